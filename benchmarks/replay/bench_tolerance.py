"""Latency and bandwidth tolerance of a trace of 51,200 messages, against one replay of it.

    .venv/bin/python benchmarks/replay/bench_tolerance.py [--messages 51200] [--repeats 5]

The baseline is a single replay on the same fabric. Linear programming over the same number of messages takes 38 s and 1.13 GB
on this kind of machine. Times are medians of CPU time, which is time on a core that has nothing else to do.
"""

import argparse
import functools
import resource
import statistics
import tempfile
import time
from pathlib import Path

import patterns

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.settings import ReplaySettings
from linkworth.predict.tolerance import tolerances
from linkworth.replay.layout import block
from linkworth.replay.run import replay


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=51_200)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stencil.lwt"
        messages = patterns.stencil(path, given.messages // 256)
        trace = _engine.Trace(str(path))
        layout = block(64, 64)
        gbe = fabrics.get("gbe")
        for contention in (False, True):
            settings = ReplaySettings(contention=contention)
            replayed = functools.partial(replay, trace, layout=layout, settings=settings)
            once, whole, replays = [], [], 0
            for _ in range(given.repeats):
                start = time.process_time()
                replayed(gbe)
                middle = time.process_time()
                found = tolerances(replayed, [gbe])
                whole.append(time.process_time() - middle)
                once.append(middle - start)
                replays = sum(each.replays for each in found) + 2
            tolerance_seconds, replay_seconds = statistics.median(whole), statistics.median(once)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
            print(
                f"stencil 8 x 8, {messages} messages, {'shared' if contention else 'alone'}: 3 latency and 3 bandwidth "
                f"tolerances in {tolerance_seconds:.3f} s ({replays} replays), {tolerance_seconds / replay_seconds:.1f} "
                f"times one replay ({replay_seconds:.3f} s); peak memory {peak:.0f} MB"
            )


if __name__ == "__main__":
    main()
