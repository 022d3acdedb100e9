"""Replayed messages and events a second on one core, against merely reading the same trace.

    .venv/bin/python benchmarks/replay/bench_replay.py [--messages 640000] [--repeats 3] [--json]

Reading is the baseline: the same pass over the same file without simulating anything. Times are medians.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import patterns

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import replay_in_detail


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Run `work` some times and return the median wall time."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=640_000, help="about how many messages a pattern has")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    gbe = fabrics.get("gbe")
    cases = [
        ("ring, 64 ranks, 8 B", lambda path: patterns.ring(path, given.messages // 64), 64),
        ("stencil 8 x 8, 8 KiB", lambda path: patterns.stencil(path, given.messages // 256), 64),
        ("all-to-all, 64 ranks, 64 KiB", lambda path: patterns.all_to_all(path, given.messages // 4032), 64),
        ("one all-to-all, 1024 ranks, 8 KiB", lambda path: patterns.all_to_all(path, 1, 1024, 8192), 1024),
    ]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for title, make, ranks in cases:
            path = Path(folder) / "case.lwt"
            messages = make(path)
            trace = _engine.Trace(str(path))
            read = median_seconds(lambda t=trace: _engine.profile_trace(t), given.repeats)
            for placement, nodes, contention in (
                ("a node a rank", ranks, False),
                ("a node a rank", ranks, True),
                ("2 nodes", 2, True),
            ):
                layout = Layout(nodes=nodes, node_of_rank=[rank * nodes // ranks for rank in range(ranks)])
                alone = ReplaySettings(contention=contention)
                took = median_seconds(
                    lambda t=trace, p=layout, s=alone: replay_in_detail(t, gbe, p, settings=s), given.repeats
                )
                rows.append(
                    {
                        "pattern": title,
                        "placement": placement,
                        "contention": contention,
                        "messages": messages,
                        "events": trace.events,
                        "replay_seconds": took,
                        "messages_per_second": messages / took,
                        "events_per_second": trace.events / took,
                        "ratio_to_reading": took / read,
                    }
                )
    if given.json:
        print(json.dumps({"schema": "linkworth.benchmark/1", "rows": rows}))
        return
    print(
        f"{'pattern':36} {'placement':14} {'sharing':7} {'messages':>9} {'M msg/s':>8} {'M events/s':>10} {'x reading':>9}"
    )
    for row in rows:
        rate, events = row["messages_per_second"] / 1e6, row["events_per_second"] / 1e6
        print(
            f"{row['pattern']:36} {row['placement']:14} {'yes' if row['contention'] else 'no':7} {row['messages']:9d} "
            f"{rate:8.2f} {events:10.2f} {row['ratio_to_reading']:9.1f}"
        )


if __name__ == "__main__":
    main()
