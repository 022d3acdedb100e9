"""Skeletons: time and memory to record them, and how far predictions from them are from those of a real run's trace.

1. Every program, class D on 64 ranks (limits: 20 s and 1 GiB), and those with many messages, class E on 1,024.
2. Class A (or CLASS) on 4 ranks, or RANKS: the prediction from the skeleton, calibrated as a user's is (a smaller run on one
   rank here), against the prediction from the trace of a real run. The baseline is the real X are more
   than the cores, a core's caches and the way to memory are shared in the real run and not in what is predicted, so that the
   bound does not hold there; the most ranks, up to 4, that have a core each and that the program takes are compared as well.

    python benchmarks/skeleton/bench_skeleton.py [--class A] [--programs lu,cg] [--ranks 4] [--no-real]
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from linkworth import _engine
from linkworth.catalog import apps
from linkworth.errors import UsageError
from linkworth.skeleton import parse
from linkworth.skeleton.program import check

LIMIT_SECONDS = 20.0
LIMIT_MIB = 1024.0
FABRICS = ("gbe", "ib-fdr")
RANKS = 4
MOST_DIFFERENCE = 0.25
"""Stated bound of a prediction from a skeleton against that from a real trace: what caches and noise change in a rate."""

CHILD = """
import json, os, resource, sys, time
from linkworth import _engine
name, letter, ranks, path = sys.argv[1:]
start = time.monotonic()
rates = [1e-10] * len(_engine.skeleton_programs()[name])
made = _engine.record_skeleton(name, [letter], int(ranks), rates, path, "{}", len(os.sched_getaffinity(0)))
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps(made | {"seconds": time.monotonic() - start, "cpu": usage.ru_utime + usage.ru_stime,
                         "mib": usage.ru_maxrss / 1024}))
"""


def record(name: str, letter: str, ranks: int, folder: Path) -> bool:
    """Record one skeleton in a process of its own and print its figures; return whether it keeps the limits."""
    path = folder / "skeleton.lwt"
    command = [sys.executable, "-c", CHILD, name, letter, str(ranks), str(path)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    path.unlink()
    print(
        f"{name}.{letter} {ranks:5d} ranks {found['events']:12,d} events {found['seconds']:7.2f} s "
        f"({found['cpu']:6.2f} s CPU) {found['events'] / found['seconds'] / 1e6:7.1f} M events/s "
        f"{found['mib']:5.0f} MiB {found['file_bytes'] / 1e6:7.2f} MB   "
        f"time/limit {found['seconds'] / LIMIT_SECONDS:.3f}, memory/limit {found['mib'] / LIMIT_MIB:.3f}",
        flush=True,
    )
    return bool(found["seconds"] < LIMIT_SECONDS and found["mib"] < LIMIT_MIB)


def linkworth(*arguments: str) -> dict[str, object]:
    """Return the JSON document of a call of the command line."""
    command = [sys.executable, "-m", "linkworth", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    document: dict[str, object] = json.loads(done.stdout)
    return document


def seconds(target: str, ranks: int, *options: str) -> list[float]:
    """Return the predicted time on each fabric, one rank a node."""
    on = [word for fabric in FABRICS for word in ("--on", fabric)]
    document = linkworth("predict", target, *on, "--nodes", str(ranks), *options)
    return [each["seconds"] for each in document["predictions"]]  # type: ignore[attr-defined]


def rank_counts(name: str, letter: str, wanted: int) -> list[int]:
    """Return the rank counts to compare: the wanted one, and the most up to it that have a core each."""
    program = parse([f"npb:{name}.{letter}"])
    for ranks in range(min(wanted, len(os.sched_getaffinity(0))), 0, -1):
        with contextlib.suppress(UsageError):
            check(program, ranks)
            return sorted({ranks, wanted})
    return [wanted]


def compare(name: str, letter: str, ranks: int, folder: Path) -> bool:
    """Print the skeleton's predictions over the real trace's; return whether they keep the bound, or need not."""
    workload = f"npb:{name}.{letter}"
    trace = folder / f"{name}.lwt"
    linkworth("trace", "-n", str(ranks), "-o", str(trace), workload)
    real = seconds(str(trace), ranks)
    start = time.monotonic()
    made = seconds(workload, ranks, "-n", str(ranks))
    trace.unlink()
    ratios = [skeleton / run for skeleton, run in zip(made, real, strict=True)]
    shown = ", ".join(
        f"{fabric} {skeleton:.4g} s / {run:.4g} s = {ratio:.3f}"
        for fabric, skeleton, run, ratio in zip(FABRICS, made, real, ratios, strict=True)
    )
    own_core = ranks <= len(os.sched_getaffinity(0))
    print(
        f"{workload} on {ranks} nodes, skeleton / real{'' if own_core else ' (ranks shared cores)'}: {shown}   "
        f"({time.monotonic() - start:.1f} s)",
        flush=True,
    )
    return not own_core or all(abs(ratio - 1) <= MOST_DIFFERENCE for ratio in ratios)


def main() -> int:
    """Run both parts; return 1 where a limit or the bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--class", dest="letter", default="A")
    parser.add_argument("--programs", help="names with commas between [default: all with classes]")
    parser.add_argument("--ranks", type=int, default=RANKS, help="of the predictions [default: %(default)s]")
    parser.add_argument("--no-real", action="store_true", help="record only")
    options = parser.parse_args()
    known = [name for name in _engine.skeleton_programs() if f"npb:{name}" in apps.names()]
    programs = options.programs.split(",") if options.programs else known
    broken = []
    with tempfile.TemporaryDirectory(prefix="linkworth-bench-") as made:
        folder = Path(made)
        for name in programs:
            if not record(name, "D", 64, folder):
                broken.append(f"{name}.D")
        for name in programs:
            if "E" in apps.get(f"npb:{name}").classes:
                record(name, "E", 1024, folder)
        for name in () if options.no_real else programs:
            for ranks in rank_counts(name, options.letter, options.ranks):
                if not compare(name, options.letter, ranks, folder):
                    broken.append(f"{name}.{options.letter} on {ranks} ranks (prediction)")
    if broken:
        print(f"beyond the limits: {', '.join(broken)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
