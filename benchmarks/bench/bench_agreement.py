"""`linkworth bench` against NetPIPE (NPopenmpi) and HPC Challenge's latency and bandwidth section, on the same two ranks.

    .venv/bin/python benchmarks/bench/bench_agreement.py [--rounds 15] [--places node,gbe] [--only netpipe|hpcc]

In one node, over shared memory, and over the emulated Gigabit Ethernet (`gbe`; needs what `linkworth lab` needs), where the wire
sets the times and not what else runs on the machine.

A round is one short run of theirs and one of ours, next to each other; every second round begins with ours. Each round gives a
ratio of each figure. Shown is the median over the rounds with its 95 % confidence interval, and a verdict: the interval is
within 5 % of 1, beyond, or reaches over the bound, and these rounds cannot tell. What is compared, and how the same quantity
is measured on both sides: other_tools.py.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import other_tools

from linkworth.errors import LinkworthError
from linkworth.measure.open_place import open_place
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.mpi import find, target
from linkworth.places.place import OpenPlace
from linkworth.statistics import describe

TOLERANCE = 0.05
WITHIN, BEYOND, UNKNOWN = "within 5 %", "NOT within 5 %", "cannot be told from these rounds"
RANGES = {"up to 1 KiB": (1, 1024 + 3), "to 64 KiB": (1028, 65536 + 3), "above": (65540, 1 << 31)}
"""Ranges of NetPIPE's sizes, which are perturbed by 3 bytes."""
FEWEST_ROUNDS = 6
"""With fewer, even their whole range contains the median with less than 95 % probability (1 - 2 / 2^n)."""
Figures = dict[str, float]
Rounds = dict[str, list[tuple[float, float]]]
"""By figure: theirs and ours of each round."""


class Effort(NamedTuple):
    """Sizes and durations of a round in one place."""

    most: int
    """Largest size for NetPIPE, bytes."""
    trips: int
    """Round trips of one of its trials. Each begins on a full token bucket of a shaped link, and it takes the best: with 5
    trips, sizes from 1 to 64 KiB came out 13 % faster than the link is."""
    seconds: float
    """Duration of our test for each size."""


EFFORTS = {"node": Effort(1 << 20, 100, 0.01), "gbe": Effort(1 << 17, 50, 0.05)}


class Judged(NamedTuple):
    """The ratio of a figure over all rounds."""

    median: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        if self.low >= 1 - TOLERANCE and self.high <= 1 + TOLERANCE:
            return WITHIN
        return BEYOND if self.high < 1 - TOLERANCE or self.low > 1 + TOLERANCE else UNKNOWN

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f}): {self.verdict}"


def judge(ratios: Sequence[float]) -> Judged:
    """Return the median ratio with its interval, which is unknown of few rounds."""
    described = describe(ratios)
    bounds = described.median_interval
    if bounds is None or len(ratios) < FEWEST_ROUNDS:
        return Judged(described.median, 0.0, float("inf"))
    return Judged(described.median, bounds.low, bounds.high)


def take_turns(rounds: int, theirs: Callable[[], Figures], ours: Callable[[Figures], Figures]) -> Rounds:
    """Run both sides as often; `ours` is told what theirs measured (before, if it was before)."""
    found: Rounds = defaultdict(list)
    other: Figures = {}
    for number in range(rounds):
        if number % 2 == 0:
            other = theirs()
            own = ours(other)
        else:
            own = ours(other)
            other = theirs()
        for name in other.keys() & own.keys():
            found[name].append((other[name], own[name]))
    return found


def ratios(pairs: Sequence[tuple[float, float]]) -> list[float]:
    return [ours / theirs for theirs, ours in pairs]


def of_rounds(figures: Mapping[str, Sequence[tuple[float, float]]]) -> Judged:
    """Judge the median over the figures of each round."""
    return judge([statistics.median(each) for each in zip(*map(ratios, figures.values()), strict=True)])


def show_hpcc(found: Rounds) -> None:
    for name in other_tools.FIGURES:
        theirs, ours = (statistics.median(side) for side in zip(*found[name], strict=True))
        unit, scale = ("MB/s", 1e-6) if "bandwidth" in name else ("us", 1e6)
        print(
            f"  {name:24} ours {ours * scale:10.3f} {unit:4} theirs {theirs * scale:10.3f} {unit:4}  {judge(ratios(found[name]))}"
        )
    print(f"  HPC Challenge, median of the six of each round: {of_rounds(found)}", flush=True)


def show_netpipe(found: Rounds) -> None:
    def size(name: str) -> int:
        return int(name.split()[0])

    for label, (least, most) in RANGES.items():
        some = {name: pairs for name, pairs in found.items() if least <= size(name) <= most}
        if some:
            verdicts = Counter(judge(ratios(pairs)).verdict for pairs in some.values())
            counted = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
            print(f"  NetPIPE, {len(some)} sizes {label}: {of_rounds(some)} (single sizes: {counted})")
    print(f"  NetPIPE, median of all {len(found)} sizes of each round: {of_rounds(found)}", flush=True)


def compare(place: str, opened: OpenPlace | None, mpi: MpiInstallation, given: argparse.Namespace) -> None:
    effort = EFFORTS[place]
    with tempfile.TemporaryDirectory(prefix="linkworth-agreement-") as name:
        folder = Path(name)
        if given.only != "netpipe":
            show_hpcc(
                take_turns(
                    given.rounds,
                    lambda: other_tools.hpcc(opened, mpi, folder),
                    lambda _: other_tools.ours_as_hpcc(opened, mpi),
                )
            )
        if given.only != "hpcc":
            show_netpipe(
                take_turns(
                    given.rounds,
                    lambda: other_tools.netpipe(opened, mpi, folder, effort.most, effort.trips),
                    lambda theirs: other_tools.ours_as_netpipe(
                        opened, mpi, [int(name.split()[0]) for name in theirs], effort.seconds
                    ),
                )
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--places", default="node,gbe", help="of node (shared memory) and gbe (the lab)")
    parser.add_argument("--only", choices=["netpipe", "hpcc"], help="only this one (default: both)")
    given = parser.parse_args()
    places = given.places.split(",")
    unknown = [place for place in places if place not in EFFORTS]
    if unknown:
        parser.error(f"--places: {unknown[0]} is not one of {', '.join(EFFORTS)}")
    print(f"load average {os.getloadavg()[0]:.2f}")
    mpi = find.choose(None, target.of_command(["NPopenmpi"]))
    for place in places:
        with ExitStack() as stack:
            opened = None
            if place != "node":
                opened = stack.enter_context(open_place(Place(kind="lab", name=place, nodes=2)))
            where = "one node, shared memory" if opened is None else f"{place} between two nodes of the lab"
            print(f"{where}, {mpi.name}, {given.rounds} rounds; ours / theirs (95 % interval):", flush=True)
            try:
                compare(place, opened, mpi, given)
            except LinkworthError as error:
                sys.exit(f"{place}: {error}")


if __name__ == "__main__":
    main()
