"""Cost of a run beyond the program: reading counters, and a Slurm job compared with the same srun by hand.

Baselines, in the same run: the time between two readings (0.5 s) for the counters; `sbatch --wait` of a script with nothing but
the same srun for the job. The Slurm part needs root and Slurm's daemons, and starts a cluster of four nodes on this machine.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from linkworth.measure.counters import INTERVAL_SECONDS
from linkworth.measure.open_place import open_place
from linkworth.measure.plan import plan, workload
from linkworth.measure.run import execute
from linkworth.model.place import Place
from linkworth.mpi.find import find_all
from linkworth.places.local import LocalPlace

ROUNDS = 5
ROOT = Path(__file__).parents[2]


def median_seconds(action: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        action()
        times.append(time.monotonic() - began)
    return statistics.median(times)


def counters() -> None:
    opened = LocalPlace()
    once = median_seconds(lambda: [opened.counters() for _ in range(100)]) / 100
    print(
        f"counters of this machine: {once * 1e6:.0f} us a reading, {once / INTERVAL_SECONDS:.5f} of the time between two"
    )


def slurm(folder: Path) -> None:
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/places")]
    import capabilities
    from slurm_cluster import SlurmCluster

    lacking = capabilities.lacking("slurm")
    if lacking:
        print(f"Slurm: not here: {lacking}")
        return
    began = time.monotonic()
    with SlurmCluster(folder / "cluster") as cluster:
        print(f"Slurm: {time.monotonic() - began:.2f} s to four idle nodes")
        os.environ.update(cluster.environment)
        os.chdir(folder)
        mpi = next(mpi for mpi in find_all() if mpi.kind in ("mpich", "openmpi"))
        plugin = "pmix" if mpi.kind == "openmpi" else "pmi2"
        script = folder / "by-hand.sh"
        script.write_text(f"#!/bin/sh\nsrun --mpi={plugin} -n 4 true\n")
        by_hand = median_seconds(
            lambda: subprocess.run(
                ["sbatch", "--wait", "-n4", "-N4", "-o/dev/null", script], check=True, capture_output=True
            )
        )
        with open_place(Place(kind="slurm", nodes=4)) as opened:
            decided = plan(workload(["true"], 4, opened), mpi.name, opened)

            def run() -> None:
                result = execute(decided, output=None, environment={}, timeout=None)
                assert result.state == "complete", result.message

            began = time.monotonic()
            run()
            first = time.monotonic() - began
            job = median_seconds(run)
        print(f"a run as a job: {job:.2f} s, {job / by_hand:.2f} of sbatch --wait by hand ({by_hand:.2f} s)")
        print(
            f"the first run with {mpi.name} on a cluster, with the size probe (and its compilation, if new): {first:.2f} s"
        )


def main() -> None:
    counters()
    with tempfile.TemporaryDirectory(prefix="linkworth-bench-") as folder:
        slurm(Path(folder))


if __name__ == "__main__":
    main()
