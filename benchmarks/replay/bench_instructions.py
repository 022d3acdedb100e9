"""Instructions that the replay takes for one message, counted by valgrind's callgrind.

    .venv/bin/python benchmarks/replay/bench_instructions.py [--messages 16384] [--fabric gbe] [--ranks 64,1024,16384]

Each pattern is replayed in two lengths; what the longer one takes more, over its further messages, leaves out what is done
once: the start of the process, which is not counted at all, and of the replay. --ranks counts a stencil on so many ranks, a
node each, instead of the patterns, of two and of six turns. Counts do not depend on what else the machine does. The baseline
is the best of LogGOPSim, Dimemas and SMPI on this kind of machine.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import patterns

BASELINE = {False: 12_400, True: 48_500}
"""Instructions a message of the stencil: without contention LogGOPSim, with it Dimemas."""
TARGET = 1_500

# Program that valgrind runs: one replay.
REPLAY = """
import sys
from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay
path, fabric, nodes, contention = sys.argv[1:]
trace = _engine.Trace(path)
replay(trace, fabrics.get(fabric), block(trace.ranks, int(nodes)), settings=ReplaySettings(contention=contention == "True"))
"""
PATTERNS = {
    "ring": lambda path, messages: patterns.ring(path, messages // 64),
    "stencil": lambda path, messages: patterns.stencil(path, messages // 256),
    "all-to-all": lambda path, messages: patterns.all_to_all(path, messages // 4032),
}


def instructions(path: Path, fabric: str, nodes: int, contention: bool) -> int:
    """Count the instructions inside the engine's replay."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=linkworth::replay::replay_together*",
               sys.executable, "-c", REPLAY, str(path), fabric, str(nodes), str(contention)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found or not int(found[1]):
        raise SystemExit(f"valgrind counted nothing:\n{done.stderr[-2000:]}")
    return int(found[1])


def each_message(lengths: dict[Path, int], fabric: str, nodes: int, contention: bool) -> float:
    """Count what the longer of two traces takes more, a message."""
    counts = [instructions(path, fabric, nodes, contention) for path in lengths]
    fewer, more = lengths.values()
    return (counts[1] - counts[0]) / (more - fewer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--messages",
        type=int,
        default=16_384,
        help="of the shorter trace; the longer one has three times as many",
    )
    parser.add_argument("--fabric", default="gbe")
    parser.add_argument("--patterns", default="ring,stencil,all-to-all")
    parser.add_argument("--ranks", help="numbers of ranks, powers of two, with commas between them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:

        def count(name: str, make: Callable[[Path, int], int], lengths: Sequence[int], nodes: int) -> None:
            made = {(path := Path(folder) / f"{name}-{length}.lwt"): make(path, length) for length in lengths}
            cases = (
                [(nodes, False), (nodes, True)] if given.ranks else [(nodes, False), (nodes, True), (2, True)]
            )
            for places, contention in cases:
                each = each_message(made, given.fabric, places, contention)
                beside = ""
                if name == "stencil" and places > 2:
                    others = BASELINE[contention]
                    beside = f", the others' best {others:,} ({others / each:.1f} times), target {TARGET:,}"
                sharing = "shared" if contention else "alone"
                print(
                    f"{name:12} {places:5d} nodes, {sharing:6}: {each:7.0f} instructions a message{beside}",
                    flush=True,
                )

        for ranks in map(int, given.ranks.split(",") if given.ranks else []):
            count("stencil", partial(patterns.grid, ranks=ranks), (2, 6), ranks)
        for name in [] if given.ranks else given.patterns.split(","):
            count(name, PATTERNS[name], (given.messages, 3 * given.messages), 64)


if __name__ == "__main__":
    main()
