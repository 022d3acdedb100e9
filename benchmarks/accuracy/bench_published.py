"""Predictions against the published times of a real two-node cluster.

    .venv/bin/python benchmarks/accuracy/bench_published.py [--classes AC] [--share-cores] [--real FOLDER] [--json]

Each program is recorded for 64 ranks without running it, its computation is scaled to the time published for InfiniBand, and
the time on Gigabit Ethernet is predicted, as `linkworth predict npb:X.C -n 64 --nodes 2 --measured ib-fdr=S --on gbe
--mpi-library openmpi-4.0` does. The baseline is the naive answer, that the network changes nothing. With --real the programs run
on 64 ranks here instead (class C needs 8 GiB and some ten minutes on two cores), and their traces are kept in FOLDER and taken
from there.
"""

import argparse
import contextlib
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from linkworth.catalog import fabrics
from linkworth.measure import plan
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict, request
from linkworth.replay.layout import Arrangement
from linkworth.study import shipped_files
from linkworth.study.file import load
from linkworth.study.published import times_of
from linkworth.trace.record import record

CORES_PER_NODE = 20
THREAD_GAIN = 1.14
"""Not published; the mean of NERSC's codes on Edison (Zhao, Wright, Antypas, CUG 2013: 12 % less charge)."""


@contextlib.contextmanager
def trace_of(workload: str, ranks: int, real: Path | None) -> Iterator[Path]:
    """Give a trace: of a run here where there is a folder for it, else of a skeleton."""
    if real is None:
        with request.traced(workload, ranks, scaled=True) as trace:
            yield trace
        return
    real.mkdir(parents=True, exist_ok=True)
    trace = real / f"{workload.removeprefix('npb:')}-{ranks}.lwt"
    if not trace.exists():
        record(plan.plan(plan.workload([workload], ranks)), output=trace)
    yield trace


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", default="AC", help="letters of the classes")
    parser.add_argument("--real", type=Path, help="run the programs here; where their traces are kept")
    parser.add_argument(
        "--share-cores", action="store_true", help="the ranks of a node share its published number of cores"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    study = load(shipped_files.files()["interconnects"], scale="given")
    slow, fast = (fabrics.get(environment.fabric) for environment in study.environments)
    ranks = study.ranks
    assert ranks is not None
    settings = ReplaySettings(mpi_library=study.environments[0].mpi)
    if given.share_cores:
        settings = msgspec.structs.replace(settings, cores_per_node=CORES_PER_NODE, thread_gain=THREAD_GAIN)

    rows = []
    fast_times, slow_times = (times_of(study.published, fabric.name) for fabric in (fast, slow))
    for workload, fast_seconds in fast_times.items():
        program, measured = workload.removeprefix("npb:"), slow_times[workload]
        if program[-1] not in given.classes:
            continue
        start = time.perf_counter()
        with trace_of(f"npb:{program}", ranks, given.real) as trace:
            (found,) = predict(
                trace,
                [slow],
                Arrangement(nodes=study.nodes),
                measured=(fast, fast_seconds),
                settings=settings,
            ).predictions
        rows.append(
            {
                "program": program,
                "measured_fast_seconds": fast_seconds,
                "measured_slow_seconds": measured,
                "predicted_slow_seconds": found.seconds,
                "error": found.seconds / measured - 1,
                "naive_error": fast_seconds / measured - 1,
                "took_seconds": time.perf_counter() - start,
            }
        )
    if given.json:
        print(json.dumps({"schema": "linkworth.benchmark/1", "rows": rows}))
        return
    fast_title, slow_title = f"measured {fast.name}", f"measured {slow.name}"
    print(
        f"{'program':8} {fast_title:>16} {slow_title:>14} {'predicted':>10} {'error':>8} {'naive':>8} {'took':>8}"
    )
    for row in rows:
        print(
            f"{row['program']:8} {row['measured_fast_seconds']:14.2f} s {row['measured_slow_seconds']:12.2f} s "
            f"{row['predicted_slow_seconds']:8.2f} s {row['error']:+8.1%} {row['naive_error']:+8.1%} {row['took_seconds']:6.1f} s"
        )
    for letter in given.classes:
        of_class = [row for row in rows if row["program"][-1] == letter]
        errors = [abs(row["error"]) for row in of_class]
        naive = statistics.median(abs(row["naive_error"]) for row in of_class)
        print(
            f"class {letter}: median absolute error {statistics.median(errors):.1%}, worst {max(errors):.1%}; "
            f"of the naive answer {naive:.1%}"
        )


if __name__ == "__main__":
    main()
