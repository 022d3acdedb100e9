"""Predictions against the published times of a real two-node cluster.

    .venv/bin/python benchmarks/accuracy/bench_published.py [--classes A] [--traces FOLDER] [--json]

Each program is recorded here on 64 ranks (class C needs 8 GiB and some ten minutes on two cores), its computation is
scaled to the time published for InfiniBand, and the time on Gigabit Ethernet is predicted. The baseline is the naive
answer, that the network changes nothing.
"""

import argparse
import json
import statistics
import tempfile
import tomllib
from pathlib import Path

from linkworth.catalog import fabrics
from linkworth.measure import plan
from linkworth.predict import predict
from linkworth.trace.record import record

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", default="A", help="letters of the classes, AC for instance")
    parser.add_argument(
        "--traces", type=Path, help="where traces are kept, and taken from when they are there"
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    published = tomllib.loads((HERE / "published_2019.toml").read_text(encoding="utf-8"))
    fast, slow = fabrics.get(published["fast"]), fabrics.get(published["slow"])

    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.traces or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for program, seconds in published["seconds"].items():
            if program[-1] not in given.classes:
                continue
            trace = folder / f"{program}-{published['ranks']}.lwt"
            if not trace.exists():
                record(plan.workload([f"npb:{program}"], published["ranks"]), output=trace)
            (found,) = predict(
                trace, [slow], nodes=published["nodes"], measured=(fast, seconds[fast.name])
            ).predictions
            measured = seconds[slow.name]
            rows.append(
                {
                    "program": program,
                    "measured_fast_seconds": seconds[fast.name],
                    "measured_slow_seconds": measured,
                    "predicted_slow_seconds": found.seconds,
                    "error": found.seconds / measured - 1,
                    "naive_error": seconds[fast.name] / measured - 1,
                }
            )
    if given.json:
        print(json.dumps({"schema": "linkworth.benchmark/1", "rows": rows}))
        return
    print(
        f"{'program':8} {'measured ' + fast.name:>16} {'measured ' + slow.name:>14} {'predicted':>10} {'error':>8} {'naive':>8}"
    )
    for row in rows:
        print(
            f"{row['program']:8} {row['measured_fast_seconds']:14.2f} s {row['measured_slow_seconds']:12.2f} s "
            f"{row['predicted_slow_seconds']:8.2f} s {row['error']:+8.1%} {row['naive_error']:+8.1%}"
        )
    ours = statistics.median(abs(row["error"]) for row in rows)
    naive = statistics.median(abs(row["naive_error"]) for row in rows)
    print(f"median absolute error {ours:.1%}; of the naive answer {naive:.1%}")


if __name__ == "__main__":
    main()
