"""Replay and profile of traffic whose peers and sizes change from turn to turn, beside a regular stencil, on one core.

    .venv/bin/python benchmarks/replay/bench_irregular.py [--messages 1000000] [--patterns permutations,particles,mesh,stencil]
        [--repeats 3] [--no-counts] [--fabric gbe]

*permutations*: each turn four random permutations of 64 or of 512 ranks, sizes drawn from seven values of 8 B to 200 kB, all
non-blocking with one wait. *particles*: each rank exchanges with 12 neighbours, one in 50 of which changes in a turn, and the
sizes are those of a random number of particles. *mesh*: an adaptive mesh, whose ranks have 4 to 20 neighbours and blocks of
four levels, which are made anew every 20 turns. Computation between turns is exponential. *stencil*: four neighbours and one
size, for comparison. Rates are medians of CPU time, replayed with a node a rank, alone (no contention) and shared. Counts are
those of valgrind's callgrind for a longer replay less those for a shorter one, with a second cache of --cache KiB and no third
one. The last column is the rate beside LogGOPSim's 1.15 M messages/s on the permutations and 1.4 on the stencil, as
reported for a machine of this kind; this benchmark does not run it.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import patterns
from bench_replay import median_seconds

from linkworth import _engine
from linkworth.bench.replayed.calls import Rank, writer
from linkworth.catalog import fabrics
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay

SIZES = [8, 64, 512, 4096, 16_384, 65_536, 200_000]
WORK_SECONDS = 200e-6
LOGGOPSIM = {"permutations": 1.15, "stencil": 1.4}
"""Million messages a second."""
TARGET = {False: 5.0, True: 3.0}
PROFILE_TARGET = 20.0

# Program that valgrind runs: one replay.
REPLAY = """
import sys
from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay
path, fabric, contention = sys.argv[1:]
trace = _engine.Trace(path)
replay(trace, fabrics.get(fabric), block(trace.ranks, trace.ranks), settings=ReplaySettings(contention=contention == "True"))
"""

Turn = list[tuple[int, int, int]]
"""Messages of a turn: source, destination, bytes."""


def permutations(ranks: int, draw: random.Random) -> Iterator[Turn]:
    """Make turns of four random permutations."""
    order = list(range(ranks))
    while True:
        turn: Turn = []
        for _ in range(4):
            draw.shuffle(order)
            turn += zip(range(ranks), order, draw.choices(SIZES, k=ranks), strict=True)
        yield turn


def particles(ranks: int, draw: random.Random) -> Iterator[Turn]:
    """Make turns of exchanges with neighbours that change slowly."""
    near = [
        [(rank + step) % ranks for step in (-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6)]
        for rank in range(ranks)
    ]
    while True:
        for own in near:
            for place in range(len(own)):
                if draw.random() < 0.02:
                    own[place] = draw.randrange(ranks)
        yield [
            (rank, peer, 56 * max(0, round(draw.gauss(400, 60))))
            for rank, own in enumerate(near)
            for peer in own
        ]


def mesh(ranks: int, draw: random.Random) -> Iterator[Turn]:
    """Make turns of an adaptive mesh, which is refined every 20 turns."""
    while True:
        turn: Turn = []
        for rank in range(ranks):
            for _ in range(draw.randint(2, 10)):
                peer = (rank + round(draw.gauss(0, 6))) % ranks
                size = 8 * 16**2 * 4 ** draw.randrange(4)
                turn += [(rank, peer, size), (peer, rank, size)]
        for _ in range(20):
            yield turn


def record(path: Path, ranks: int, messages: int, turns: Iterator[Turn], seed: int) -> int:
    """Write a trace of so many messages. Return their number."""
    draw = random.Random(seed)
    trace = writer(path, ranks)
    own = [Rank(trace, rank) for rank in range(ranks)]
    done = 0
    while done < messages:
        turn = next(turns)
        sent: list[Turn] = [[] for _ in own]
        received: list[Turn] = [[] for _ in own]
        for item in turn:
            sent[item[0]].append(item)
            received[item[1]].append(item)
        for rank, caller in enumerate(own):
            for source, _, size in received[rank]:
                caller.begin_receive(source, size)
            for _, destination, size in sent[rank]:
                caller.begin_send(destination, size)
            caller.wait(
                len(sent[rank]) + len(received[rank]), after_seconds=draw.expovariate(1 / WORK_SECONDS)
            )
        done += len(turn)
    trace.close()
    return done


def maker(kind: Callable[[int, random.Random], Iterator[Turn]], ranks: int) -> Callable[[Path, int], int]:
    """Return a writer of traces of one pattern."""
    return lambda path, messages: record(path, ranks, messages, kind(ranks, random.Random(7)), 11)


PATTERNS: dict[str, list[tuple[int, Callable[[Path, int], int]]]] = {
    "permutations": [(64, maker(permutations, 64)), (512, maker(permutations, 512))],
    "particles": [(64, maker(particles, 64))],
    "mesh": [(64, maker(mesh, 64))],
    "stencil": [(64, lambda path, messages: patterns.stencil(path, messages // 256))],
}


def counts(path: Path, fabric: str, contention: bool, cache: int) -> list[int]:
    """Count a replay's instructions, and the accesses to data that miss the first and the second cache."""
    command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", f"--LL={cache},8,64", "--D1=32768,8,64",
               "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=linkworth::replay::replay_together*",
               sys.executable, "-c", REPLAY, str(path), fabric, str(contention)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : ([\d ]+)", done.stderr)
    if done.returncode != 0 or not found:
        raise SystemExit(f"valgrind counted nothing:\n{done.stderr[-2000:]}")
    instructions, _, _, _, first_read, first_write, _, second_read, second_write = map(int, found[1].split())
    return [instructions, first_read + first_write, second_read + second_write]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=1_000_000, help="about how many a pattern has")
    parser.add_argument(
        "--counted", type=int, default=40_000, help="messages of the shorter trace for valgrind"
    )
    parser.add_argument(
        "--cache", type=int, default=512, help="KiB of the second cache that valgrind simulates"
    )
    parser.add_argument("--patterns", default=",".join(PATTERNS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-counts", action="store_true")
    parser.add_argument("--fabric", default="gbe")
    given = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    fabric = fabrics.get(given.fabric)
    for name in given.patterns.split(","):
        for ranks, make in PATTERNS[name]:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "whole.lwt"
                messages = make(path, given.messages)
                trace = _engine.Trace(str(path))
                lengths = {}
                for times in (1, 3) if not given.no_counts else ():
                    lengths[Path(folder) / f"{times}.lwt"] = times * given.counted
                for part, length in lengths.items():
                    lengths[part] = make(part, length)
                took = median_seconds(partial(_engine.profile_trace, trace), given.repeats)
                line = (
                    f"{name:12} {ranks:4d} ranks: {path.stat().st_size / trace.events:.2f} B an event, "
                    f"profile {trace.events / took / 1e6:5.1f} M events/s (target {PROFILE_TARGET})"
                )
                for contention in (False, True):
                    sharing = "shared" if contention else "alone"
                    settings = ReplaySettings(contention=contention)
                    took = median_seconds(
                        partial(replay, trace, fabric, block(trace.ranks, trace.ranks), settings=settings),
                        given.repeats,
                    )
                    line += (
                        f"; {sharing} {messages / took / 1e6:5.2f} M messages/s (target {TARGET[contention]})"
                    )
                    if name in LOGGOPSIM and not contention:
                        line += f", {messages / took / 1e6 / LOGGOPSIM[name]:.1f} x LogGOPSim as reported"
                    if lengths:
                        fewer, more = lengths.values()
                        short, long = (
                            counts(part, given.fabric, contention, 1024 * given.cache) for part in lengths
                        )
                        each = [(b - a) / (more - fewer) for a, b in zip(short, long, strict=True)]
                        line += (
                            f", {each[0]:.0f} instructions, {each[1]:.1f} and {each[2]:.2f} misses a message"
                        )
                print(line, flush=True)


if __name__ == "__main__":
    main()
