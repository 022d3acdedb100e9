"""Growth of the replay's cost with ranks, and its memory for traces of any length.

    .venv/bin/python benchmarks/replay/bench_scaling.py [--part ranks|length] [--most-ranks 16384] [--most-messages 100000000]
        [--huge 1000000000] [--seconds 120] [--whole]

*ranks*: a periodic stencil of 64 to 16,384 ranks with the same number of messages each time, a node a rank and 64 ranks a
node, with and without contention. Each is replayed in two lengths: the further messages of the longer one give the cost a
message, the rest is what a rank costs once. The baseline is the cost a message on 64 ranks; the target is that it grows no
faster than the logarithm of the ranks. With 64 ranks a node each node has a tile of 8 x 8 of the grid, so that one message in
eight leaves its node whatever their number, and the baseline is 256 ranks, the least with a network. *length*: the bundled
stencil on 4 ranks with 1 million messages and more, replayed in a process of its own; its memory is what the replay takes
beyond the interpreter and the modules, and the target is 50 MB for any length. The longest trace (--huge) is replayed for as
long as --seconds allows; if that is too short, its memory is that of the part that was replayed, and the row says so. --whole
replays it to its end, without contention only, whatever that takes, and says on stderr every half a minute how much of the
file has been read. Times of *ranks* are CPU times, those of *length* wall times.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import patterns

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay

MESSAGES = 1 << 18
"""Number of messages in the shorter trace of the part *ranks*."""
MIB = 1 << 20

# One replay in a process of its own. It prints its peak memory before and after, even if it is interrupted.
CHILD = """
import json, os, re, sys, threading, time
from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay
path, contention, limit = sys.argv[1], sys.argv[2] == "True", float(sys.argv[3])
def anonymous():
    # Pages of the trace file, which is mapped, are the system's cache and do not count.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))
def share_read():
    # Pages of the mapped file that were used since the marks were cleared, after its check.
    used, inside = 0, False
    with open("/proc/self/smaps") as maps:
        for line in maps:
            if re.match("[0-9a-f]+-", line):
                inside = line.rstrip().endswith(path)
            elif inside and line.startswith("Referenced:"):
                used += int(line.split()[1]) * 1024
    return used / os.stat(path).st_size
gbe = fabrics.get("gbe")
trace = _engine.Trace(path)
with open("/proc/self/clear_refs", "w") as marks:
    marks.write("1")
before = peak = anonymous()
ended = threading.Event()
def say(whole, seconds, answer):
    print(json.dumps({"whole": whole, "seconds": seconds, "answer": answer, "bytes": peak - before}), flush=True)
def watch():
    global peak
    began = said = time.monotonic()
    while not ended.wait(0.02 if limit < float("inf") else 0.5):
        peak = max(peak, anonymous())
        if limit == float("inf") and time.monotonic() - said > 30:
            said = time.monotonic()
            print(f"{said - began:.0f} s: {share_read():.1%} of the trace read", file=sys.stderr, flush=True)
        if time.monotonic() - began > limit:
            say(False, time.monotonic() - began, None)
            os._exit(0)
watcher = threading.Thread(target=watch)
watcher.start()
began = time.monotonic()
found = replay(trace, gbe, block(trace.ranks, trace.ranks), settings=ReplaySettings(contention=contention))
peak = max(peak, anonymous())
ended.set()
watcher.join()
say(True, time.monotonic() - began, found.seconds)
"""


def least_seconds(
    trace: _engine.Trace, fabric: Fabric, layout: Layout, settings: ReplaySettings, repeats: int
) -> float:
    """Return the CPU time of the fastest of some replays."""
    took = []
    for _ in range(repeats):
        began = time.thread_time()
        replay(trace, fabric, layout, settings=settings)
        took.append(time.thread_time() - began)
    return min(took)


def by_ranks(most: int, repeats: int) -> None:
    """Replay stencils on 64, 256, ... ranks."""
    print(
        f"{'ranks':>6} {'placement':16} {'sharing':7} {'messages':>9} {'ns a message':>12} {'us a rank':>9} "
        f"{'ratio':>6} {'log ratio':>9}"
    )
    gbe = fabrics.get("gbe")
    least: dict[tuple[str, bool], tuple[int, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        ranks = 64
        while ranks <= most:
            turns = max(1, MESSAGES // (4 * ranks))
            for placement, nodes, tile in (("a node a rank", ranks, 1), ("64 ranks a node", ranks // 64, 8)):
                if nodes == 1:
                    continue
                made = {}
                for length in (turns, 3 * turns):
                    path = Path(folder) / f"{ranks}-{length}.lwt"
                    messages = patterns.grid(path, length, ranks, tile=tile)
                    made[_engine.Trace(str(path))] = messages
                    path.unlink()
                fewer, more = made.values()
                for contention in (False, True):
                    settings = ReplaySettings(contention=contention)
                    short, long = (
                        least_seconds(trace, gbe, block(ranks, nodes), settings, repeats) for trace in made
                    )
                    each = (long - short) / (more - fewer)
                    fewest, base = least.setdefault((placement, contention), (ranks, each))
                    once = max(0.0, short - fewer * each) / ranks
                    print(
                        f"{ranks:6d} {placement:16} {'yes' if contention else 'no':7} {more:9d} {each * 1e9:12.0f} "
                        f"{once * 1e6:9.1f} {each / base:6.2f} {math.log2(ranks) / math.log2(fewest):9.2f}"
                    )
            ranks *= 4


def by_length(most: int, huge: int, seconds: float, whole: bool) -> None:
    """Replay ever longer traces in processes of their own."""
    print(
        f"{'messages':>11} {'file, MiB':>9} {'sharing':7} {'replayed':>9} {'seconds':>8} {'memory, MiB':>11}"
    )
    lengths = [10**power for power in range(6, 12) if 10**power <= most]
    if huge > most:
        lengths.append(huge)
    with tempfile.TemporaryDirectory() as folder:
        for messages in lengths:
            path = Path(folder) / f"{messages}.lwt"
            made = patterns.long_stencil(path, messages)
            to_the_end = whole and messages == lengths[-1]
            for contention in (False,) if to_the_end else (False, True):
                limit = "inf" if to_the_end else str(seconds)
                command = [sys.executable, "-c", CHILD, str(path), str(contention), limit]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                found = json.loads(done.stdout)
                replayed = "all" if found["whole"] else "a part"
                print(
                    f"{made:11d} {path.stat().st_size / MIB:9.1f} {'yes' if contention else 'no':7} {replayed:>9} "
                    f"{found['seconds']:8.1f} {found['bytes'] / MIB:11.1f}"
                )
            path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["ranks", "length"])
    parser.add_argument("--most-ranks", type=int, default=16_384)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--most-messages", type=int, default=100_000_000)
    parser.add_argument("--huge", type=int, default=1_000_000_000)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one replay of the part length")
    parser.add_argument(
        "--whole", action="store_true", help="replay the longest trace to its end, without contention"
    )
    given = parser.parse_args()
    if given.part != "length":
        by_ranks(given.most_ranks, given.repeats)
    if given.part != "ranks":
        by_length(given.most_messages, given.huge, given.seconds, given.whole)


if __name__ == "__main__":
    main()
