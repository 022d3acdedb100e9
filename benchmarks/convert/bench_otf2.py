"""Claim: OTF2 archives are written and read in bounded memory, and read several times as fast as otf2-print prints them.

Calls a second of CPU time and peak resident memory of `linkworth convert`, to OTF2 and back, on traces of LU of two classes,
16 ranks each; start of Python included. Baseline in the same run: `otf2-print --silent`, which reads every record of the
same archive and prints none, and `otf2-print` printing to /dev/null.
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
LINKWORTH = (sys.executable, "-m", "linkworth")


class Cost(NamedTuple):
    cpu_seconds: float
    peak_bytes: int


def cost(*command: str | Path) -> Cost:
    """Run it to its end; raises where it fails."""
    child = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def say(what: str, calls: int, spent: Cost, more: str = "") -> None:
    rate = calls / spent.cpu_seconds / 1e6
    print(f"  {what:<22}{rate:7.2f} M calls/s, peak {spent.peak_bytes / 2**20:6.0f} MiB{more}", flush=True)


def measure(folder: Path, letter: str) -> None:
    trace, archive, back = (folder / name for name in (f"lu.{letter}.lwt", "archive", "back.lwt"))
    rates = [1e-9] * len(_engine.skeleton_programs()["lu"])
    made = _engine.record_skeleton("lu", [letter], RANKS, rates, str(trace), '{"workload": "npb:lu"}')
    calls = made["events"]
    print(f"LU class {letter} on {RANKS} ranks: {calls:,} calls")
    for keep in ("--attributes", "--no-attributes"):
        written = cost(*LINKWORTH, "convert", trace, "--to", "otf2", "-o", archive, keep)
        bytes_a_call = sum(file.stat().st_size for file in archive.rglob("*") if file.is_file()) / calls
        say(f"to OTF2, {keep[2:]}", calls, written, f", {bytes_a_call:.1f} bytes a call")
        read = cost(*LINKWORTH, "convert", archive, "-o", back)
        say("from OTF2", calls, read)
        if shutil.which("otf2-print"):
            for options in (["--silent"], []):
                baseline = cost("otf2-print", *options, archive / "traces.otf2")
                ratio = baseline.cpu_seconds / read.cpu_seconds
                say(
                    " ".join(["otf2-print", *options]),
                    calls,
                    baseline,
                    f" (baseline: from OTF2 is {ratio:.2f} x as fast)",
                )
        else:
            print("  otf2-print is not installed: no baseline")
        shutil.rmtree(archive)
        back.unlink()
    trace.unlink()


def main() -> None:
    nothing = cost(*LINKWORTH, "--version")
    print(f"start of Python: {nothing.cpu_seconds:.2f} s, {nothing.peak_bytes / 2**20:.0f} MiB")
    with tempfile.TemporaryDirectory() as folder:
        for letter in sys.argv[1:] or ("W", "B"):
            measure(Path(folder), letter)


if __name__ == "__main__":
    main()
