"""Claim: a conversion takes the memory of a rank or of all ranks' ends, not of the trace, and keeps up with any reader.

Peak resident memory of `linkworth convert` on a trace of LU of class W (0.94 M calls) and on one of class D (11.8 M calls), on 16
ranks each, and calls a second of CPU time, start of Python included. Baselines: the memory that the smaller trace took, and
pj_dump (PajeNG) reading what `--to paje` wrote of the same calls, without printing them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from linkworth import _engine

RANKS = 16
TARGETS = ("paje", "perfetto", "parquet", "ti", "otf2")
READ = ("ti", "otf2")
LINKWORTH = (sys.executable, "-m", "linkworth")


class Cost(NamedTuple):
    cpu_seconds: float
    peak_bytes: int


def cost(command: list[str]) -> Cost:
    """Run it to its end; raises where it fails."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def size(path: Path) -> int:
    return sum(each.stat().st_size for each in [path, *path.rglob("*")] if each.is_file())


def skeleton(folder: Path, letter: str) -> tuple[Path, int]:
    path = folder / f"lu.{letter}.lwt"
    rates = [1e-9] * len(_engine.skeleton_programs()["lu"])
    return path, _engine.record_skeleton("lu", [letter], RANKS, rates, str(path), '{"workload": "npb:lu"}')[
        "events"
    ]


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


SMALLER: dict[str, Cost] = {}
"""Cost of the same conversion of the first trace."""


def say(what: str, events: int, spent: Cost, more: str = "") -> None:
    rate = events / spent.cpu_seconds / 1e6
    before = SMALLER.setdefault(what, spent)
    grown = f" ({spent.peak_bytes / before.peak_bytes:.2f} x)" if before is not spent else ""
    print(
        f"  {what:<14}{rate:7.2f} M calls/s, peak {spent.peak_bytes / 2**20:6.0f} MiB{grown}{more}",
        flush=True,
    )


def convert_to(target: str, trace: Path, events: int, *, with_baseline: bool) -> None:
    output = trace.with_name(f"out.{target}")
    spent = cost([*LINKWORTH, "convert", str(trace), "--to", target, "-o", str(output)])
    say(f"to {target}", events, spent, f", {size(output) / events:.1f} bytes a call")
    if target == "paje" and with_baseline:
        if shutil.which("pj_dump"):
            read = cost(["pj_dump", "--quiet", str(output)])
            ratio = read.cpu_seconds / spent.cpu_seconds
            say("pj_dump -q", events, read, f" (baseline: writing is {ratio:.1f} x as fast)")
        else:
            print("  pj_dump is not installed: no baseline")
    if target in READ:
        back = trace.with_name("back.lwt")
        say(f"from {target}", events, cost([*LINKWORTH, "convert", str(output), "-o", str(back)]))
        remove(back)
    remove(output)


def main() -> None:
    nothing = cost([*LINKWORTH, "--version"])
    print(f"start of Python: {nothing.cpu_seconds:.2f} s, {nothing.peak_bytes / 2**20:.0f} MiB")
    with tempfile.TemporaryDirectory() as folder:
        for letter in ("W", "D"):
            trace, events = skeleton(Path(folder), letter)
            print(f"LU class {letter} on {RANKS} ranks: {events:,} calls")
            for target in TARGETS:
                # pj_dump keeps all of a trace in memory: not the large one.
                convert_to(target, trace, events, with_baseline=letter == "W")


if __name__ == "__main__":
    main()
