#!/usr/bin/env python3
"""Cost of recording: ns added to each MPI call by a trace and by a profile, a ping-pong's times, bytes an event.

    benchmarks/tracer/bench_calls.py [--mpi NAME] [--repeats N]

Each repeat runs the same program without the tracer, with it, and with it adding up a profile, in turn. The least of the
repeats is printed. The baseline is the run without. One rank: CPU time a call;
ping-pong: wall time from Send to its receipt. *two clocks* is the price of two clock readings alone. On x86 two bounds are
measured in the same turns: the least that a preloaded library adds which reads the clock twice a call and adds up, or writes
a record of a fixed size (bounds.c).
"""

import argparse
import os
import platform
import statistics
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, find, preload
from linkworth.places.mpiexec import ROOT_ALLOWED

HERE = Path(__file__).parent
EVENTS_OF_ONE_RANK = 6 * 200_000
_SUM_BOUND = "bound: sums"
_RECORD_BOUND = "bound: records"
_MODES = ("trace", _RECORD_BOUND, "profile", _SUM_BOUND)


def _launch(mpi: MpiInstallation, program: Path, ranks: int, variables: dict[str, str]) -> dict[str, float]:
    oversubscribe = ["--oversubscribe"] if mpi.kind == "openmpi" else []
    done = subprocess.run(
        [mpi.mpiexec, *oversubscribe, "-n", str(ranks), str(program)],
        env={**os.environ, **ROOT_ALLOWED, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def _bounds(mpi: MpiInstallation, folder: Path) -> dict[str, dict[str, str]]:
    """Build the two bounds; return the variables that put each before a program."""
    if platform.machine() != "x86_64":
        return {}
    variables: dict[str, dict[str, str]] = {}
    for mode, flags in ((_SUM_BOUND, []), (_RECORD_BOUND, ["-DRECORDS"])):
        library = folder / f"bound-{len(variables)}.so"
        command = [
            mpi.mpicc,
            "-O3",
            "-w",
            "-fPIC",
            "-shared",
            *flags,
            str(HERE / "bounds.c"),
            "-o",
            str(library),
        ]
        subprocess.run(command, check=True)
        variables[mode] = {"LD_PRELOAD": str(library), "BOUND_FILE": str(folder / "bound.records")}
    return variables


def measured(mpi: MpiInstallation, repeats: int) -> tuple[dict[tuple[str, str], float], float]:
    """Return the least ns of each (kind of call, "bare" or one of _MODES), and the bytes an event in the part."""
    tracer = build.tracer(mpi)
    figures: dict[tuple[str, str], list[float]] = defaultdict(list)
    sizes = []
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "calls"
        subprocess.run([mpi.mpicc, "-O2", "-w", str(HERE / "calls.c"), "-o", str(program)], check=True)
        bounds = _bounds(mpi, Path(name))
        for repeat in range(repeats):
            for ranks in (1, 2):
                parts = Path(name) / f"parts-{repeat}-{ranks}"
                parts.mkdir()
                tracing = preload.environment(tracer, parts=parts, yielding=False)
                profiling = preload.environment(tracer, parts=parts, yielding=False, profiling=True)
                modes = {"bare": {}, "trace": tracing, "profile": profiling, **bounds}
                for mode, variables in modes.items():
                    for what, value in _launch(mpi, program, ranks, variables).items():
                        figures[what, mode].append(value)
                if ranks == 1:
                    sizes.append(sum(path.stat().st_size for path in parts.glob("*.part")))
    return {key: min(values) for key, values in figures.items()}, statistics.median(
        sizes
    ) / EVENTS_OF_ONE_RANK


def _print(mpi: MpiInstallation, repeats: int) -> None:
    least, bytes_an_event = measured(mpi, repeats)
    print(f"{mpi.name}: least of {repeats}")
    modes = [mode for mode in _MODES if ("iprobe", mode) in least]
    print(f"  {'ns a call':<14}{'bare':>9}" + "".join(f"{mode + ' adds':>21} (ratio)" for mode in modes))
    for what in dict.fromkeys(key for key, _ in least):
        bare = least[what, "bare"]
        added = (f"{least[what, mode] - bare:>21.1f} ({least[what, mode] / bare:5.2f})" for mode in modes)
        print(f"  {what:<14}{bare:>9.1f}{''.join(added)}")
    print(f"  bytes an event in the part: {bytes_an_event:.2f}")


def main() -> None:
    """Measure each MPI of this machine, or the one that was named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpi", help="name, kind or prefix of one MPI; default: every one found")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    chosen = [find.choose(options.mpi)] if options.mpi else find.find_all()
    for mpi in chosen:
        if mpi.mpicc and mpi.mpiexec:
            _print(mpi, options.repeats)


if __name__ == "__main__":
    main()
