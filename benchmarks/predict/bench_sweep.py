"""Speed-up of a sweep on all cores over one core; checks that the points are identical.

    .venv/bin/python benchmarks/predict/bench_sweep.py [--program npb:cg.A] [--ranks 16] [--points 64] [--repeat 3]
        [--mpiexec mpiexec]

The baseline is the same sweep with one worker, in the same run; the runs alternate, and the shortest of each counts. Threads: the
engine replays without the interpreter's lock. MPI processes (where --mpiexec is given): the whole command, with its start-up, on
one process more than there are cores (one gives out the work), against the whole command by itself with one worker.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from linkworth.catalog import fabrics
from linkworth.predict.axes import parse
from linkworth.predict.request import traced
from linkworth.predict.sweep import arrangements, sweep
from linkworth.predict.workers import ReplayWorkers
from linkworth.skeleton.rates import RateRequest

MACHINE = "xeon-e5-2650v3-x2"


def main() -> int:
    """Print one line a figure."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--program", default="npb:cg.A")
    options.add_argument("--ranks", type=int, default=16)
    options.add_argument("--points", type=int, default=64)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--mpiexec", help="of the MPI that mpi4py runs with")
    given = options.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"load      {os.getloadavg()[0]:.2f}")
    axis = f"latency=1us..100us:{given.points}"
    with traced(given.program, given.ranks, RateRequest(machine=MACHINE)) as path:
        seconds: dict[int, list[float]] = {1: [], cores: []}
        points = []
        for _ in range(given.repeat):
            for workers in seconds:
                began = time.perf_counter()
                found = sweep(
                    path,
                    [fabrics.get("gbe")],
                    [parse(axis)],
                    arrangements([2]),
                    workers=ReplayWorkers(threads=workers),
                )
                seconds[workers].append(time.perf_counter() - began)
                points.append(found.points)
    if any(each != points[0] for each in points):
        print("the points differ")
        return 1
    one, all_cores = min(seconds[1]), min(seconds[cores])
    print(f"{given.program} on {given.ranks} ranks, {given.points} replays, identical points")
    print(f"one thread       {one:.3f} s, {one / given.points * 1e3:.2f} ms a replay")
    print(f"{cores} threads        {all_cores:.3f} s, {one / all_cores:.2f} times one thread")
    if given.mpiexec:
        return with_mpi(given, axis, cores)
    return 0


def with_mpi(given: argparse.Namespace, axis: str, cores: int) -> int:
    """Print the ratio of the command on MPI processes to the command by itself."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder) / "alone.csv", Path(folder) / "together.csv"]
        arguments = ["-m", "linkworth", "sweep", given.program, "-n", str(given.ranks), "--machine", MACHINE]
        arguments += ["--on", "gbe", "--nodes", "2", "--vary", axis]
        alone = [sys.executable, *arguments, "--workers", "1", "-o", str(outputs[0])]
        together = [
            given.mpiexec,
            "-n",
            str(cores + 1),
            sys.executable,
            "-m",
            "mpi4py.futures",
            *arguments,
            "-o",
            str(outputs[1]),
        ]
        times: list[list[float]] = [[], []]
        for _ in range(given.repeat):
            for place, command in enumerate((alone, together)):
                began = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True)
                times[place].append(time.perf_counter() - began)
        if outputs[0].read_bytes() != outputs[1].read_bytes():
            print("the points of the MPI job differ")
            return 1
    print(f"command alone    {min(times[0]):.2f} s with one worker")
    print(
        f"{cores} MPI processes  {min(times[1]):.2f} s, {min(times[0]) / min(times[1]):.2f} times that, identical points"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
