"""Replayed messages and events a second on one core, against merely reading the same trace.

    .venv/bin/python benchmarks/replay/bench_replay.py [--messages 640000] [--repeats 3]

Reading is the baseline: the same pass over the same file without simulating anything. Beside each row: the best of LogGOPSim,
Dimemas and SMPI on this kind of machine, and the target. The last line is `predict`, from the trace file to the answer with its
efficiencies, in MPI calls a second. Times are medians of CPU time on one core.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import patterns

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement, block
from linkworth.replay.run import replay_in_detail

TO_ANSWER = (0.44, 2.0)
"""Million MPI calls a second: LogGOPSim from trace to answer, the target."""
COMPARED = {
    ("ring", "a node a rank", False): (1.05, 5.0),
    ("ring", "a node a rank", True): (0.24, 2.0),
    ("stencil", "a node a rank", False): (1.29, 5.0),
    ("stencil", "a node a rank", True): (0.23, 2.0),
    ("all-to-all", "a node a rank", False): (0.25, 3.0),
    ("all-to-all", "a node a rank", True): (0.20, 2.0),
    ("all-to-all", "2 nodes", True): (0.065, 1.0),
    # Over 300 s in LogGOPSim; the target is one second.
    ("one all-to-all", "a node a rank", False): (0.0035, 1.05),
}
"""Million messages a second of the others' best, and the target, by pattern, placement and contention."""


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Run `work` some times and return the median of its CPU time, which is its time on one core that has nothing else to do."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=640_000, help="about how many messages a pattern has")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    gbe = fabrics.get("gbe")
    cases: list[tuple[str, Callable[[Path], int], int]] = [
        ("ring, 64 ranks, 8 B", lambda path: patterns.ring(path, given.messages // 64), 64),
        ("stencil 8 x 8, 8 KiB", lambda path: patterns.stencil(path, given.messages // 256), 64),
        ("all-to-all, 64 ranks, 64 KiB", lambda path: patterns.all_to_all(path, given.messages // 4032), 64),
        ("one all-to-all, 1024 ranks, 8 KiB", lambda path: patterns.all_to_all(path, 1, 1024, 8192), 1024),
    ]
    print(
        f"{'pattern':36} {'placement':14} {'sharing':7} {'messages':>9} {'M msg/s':>8} {'others':>7} {'target':>7} "
        f"{'M events/s':>10} {'x reading':>9}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for title, make, ranks in cases:
            path = Path(folder) / "case.lwt"
            messages = make(path)
            trace = _engine.Trace(str(path))
            read = median_seconds(partial(_engine.profile_trace, trace), given.repeats)
            for placement, nodes, contention in (
                ("a node a rank", ranks, False),
                ("a node a rank", ranks, True),
                ("2 nodes", 2, True),
            ):
                layout = block(ranks, nodes)
                alone = ReplaySettings(contention=contention)
                took = median_seconds(
                    partial(replay_in_detail, trace, gbe, layout, settings=alone), given.repeats
                )
                name = title.partition(",")[0].removesuffix(" 8 x 8")
                compared = COMPARED.get((name, placement, contention))
                beside = f"{compared[0]:7.4} {compared[1]:7.3}" if compared else f"{'':15}"
                print(
                    f"{title:36} {placement:14} {'yes' if contention else 'no':7} {messages:9d} {messages / took / 1e6:8.2f} "
                    f"{beside} {trace.events / took / 1e6:10.2f} {took / read:9.1f}"
                )
        path = Path(folder) / "stencil.lwt"
        patterns.stencil(path, given.messages // 256)
        calls = _engine.Trace(str(path)).events
        answered = calls / median_seconds(lambda: predict(path, [gbe], Arrangement(nodes=64)), given.repeats)
    print(
        f"stencil, trace file to answer by predict: {answered / 1e6:.2f} M calls/s (the others' best {TO_ANSWER[0]}, "
        f"{answered / 1e6 / TO_ANSWER[0]:.1f} times; target {TO_ANSWER[1]})"
    )


if __name__ == "__main__":
    main()
