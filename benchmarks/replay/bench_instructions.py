"""Instructions that the replay takes for one message, counted by valgrind's callgrind.

    .venv/bin/python benchmarks/replay/bench_instructions.py [--messages 16384] [--fabric gbe] [--ranks 64,1024,16384] [--json]

Each pattern is replayed in two lengths; what the longer one takes more, over its further messages, leaves out what is done
once: the start of the process, which is not counted at all, and of the replay. --ranks counts a stencil on so many ranks, a
node each, instead of the patterns, of two and of six turns. Counts do not depend on what else the machine does. The baseline
is the best of LogGOPSim, Dimemas and SMPI on this kind of machine.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
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


def by_ranks(counts: list[int], fabric: str, folder: Path) -> list[dict[str, object]]:
    """Count a stencil on other numbers of ranks."""
    rows: list[dict[str, object]] = []
    for ranks in counts:
        made = {}
        for turns in (2, 6):
            path = folder / f"{ranks}-{turns}.lwt"
            made[path] = patterns.grid(path, turns, ranks)
        for contention in (False, True):
            each = each_message(made, fabric, ranks, contention)
            rows.append({"pattern": "stencil", "nodes": ranks, "contention": contention,
                         "instructions_per_message": each})  # fmt: skip
            sharing = "shared" if contention else "alone"
            print(
                f"stencil {ranks:5d} ranks, {sharing:6}: {each:7.0f} instructions a message", file=sys.stderr
            )
    return rows


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
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        if given.ranks:
            rows = by_ranks([int(ranks) for ranks in given.ranks.split(",")], given.fabric, Path(folder))
        for name in given.patterns.split(",") if not given.ranks else []:
            made = {}
            for length in (given.messages, 3 * given.messages):
                path = Path(folder) / f"{name}-{length}.lwt"
                made[path] = PATTERNS[name](path, length)
            for nodes, contention in ((64, False), (64, True), (2, True)):
                each = each_message(made, given.fabric, nodes, contention)
                rows.append(
                    {
                        "pattern": name,
                        "nodes": nodes,
                        "contention": contention,
                        "instructions_per_message": each,
                    }
                )
                if not given.json:
                    beside = ""
                    if name == "stencil" and nodes > 2:
                        others = BASELINE[contention]
                        beside = (
                            f", the others' best {others:,} ({others / each:.1f} times), target {TARGET:,}"
                        )
                    sharing = "shared" if contention else "alone"
                    print(
                        f"{name:12} {nodes:2d} nodes, {sharing:6}: {each:7.0f} instructions a message{beside}",
                        flush=True,
                    )
    if given.json:
        print(json.dumps({"schema": "linkworth.benchmark/1", "rows": rows}))


if __name__ == "__main__":
    main()
