"""Tests that lw-netbench repeats until their mean is precise: between pairs of ranks, and of collectives."""

import math
from collections.abc import Sequence
from functools import partial
from statistics import fmean

import msgspec

from linkworth.bench.replayed import exchanges
from linkworth.bench.replayed.calls import Rank, Script
from linkworth.bench.replayed.exchanges import Exchange
from linkworth.bench.settings import BenchSettings, doublings
from linkworth.model.bench import BenchRow
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings

WARM_UP = 2
"""Operations before the timed ones: they fill the pipeline, and a connection's first message meets an idle network."""
PINGPONG_WARM_UP = 24
"""Warm-up of a ping-pong: its short messages take so many to empty a shaped link's bucket."""
ROUNDS = 4
ORDER_BYTES = 24
"""Size of the message by which the first rank announces the next step."""
LEAST_SECONDS = 1e-9
"""Least time by which b_eff and HPC Challenge divide, for networks without any cost."""
SHORTEST_SAMPLE_SECONDS = 3.5e-6
"""Least length of a sample: lw-netbench repeats a collective in it until it takes 100 times the resolution of its
clock. That is 35 ns for MPI_Wtime of MPICH 5.0.2 on an x86-64 machine (`timer resolution` of its results;
2026-11-22)."""
MOST_IN_A_SAMPLE = 100
"""Limit for networks that cost almost nothing."""


class ReplayedRanks(msgspec.Struct, frozen=True):
    """Fabric, layout and settings of the ranks that take part."""

    fabric: Fabric
    layout: Layout
    settings: ReplaySettings = ReplaySettings()

    @property
    def ranks(self) -> int:
        """Number of ranks that take part."""
        return len(self.layout.node_of_rank)

    def part(self, members: Sequence[int]) -> "ReplayedRanks":
        """Return the place of some of the ranks, in that order."""
        nodes = [self.layout.node_of_rank[member] for member in members]
        return ReplayedRanks(self.fabric, Layout(nodes=self.layout.nodes, node_of_rank=nodes), self.settings)


def repeated(
    place: ReplayedRanks, sizes: Sequence[int], exchange: Exchange, warm_up: int = WARM_UP
) -> list[list[float]]:
    """Return the seconds of one operation on each rank, size by size."""
    script = Script(place.ranks)
    for size in sizes:
        script.all(lambda rank: rank.collective("MPI_Bcast", ORDER_BYTES, ORDER_BYTES, root=0))
        script.all(exchange, size, warm_up)
        script.timed(exchange, size, ROUNDS)
    return [
        [seconds / ROUNDS for seconds in own]
        for own in script.replay(place.fabric, place.layout, place.settings)
    ]


def pair_rows(
    place: ReplayedRanks,
    sizes: Sequence[int],
    exchange: Exchange,
    *,
    share: float,
    ways: int = 1,
    warm_up: int = WARM_UP,
    label: str = "",
) -> list[BenchRow]:
    """Return the rows of a test of pairs: a `share` of the slowest leader's time, and all pairs' bytes in it."""
    pairs = place.ranks // 2
    found = []
    for size, own in zip(sizes, repeated(place, sizes, exchange, warm_up), strict=True):
        seconds = share * max(own[:pairs])
        found.append(row(size, seconds, ways * pairs * size, label))
    return found


def row(size: int, seconds: float, moved_bytes: float, label: str = "") -> BenchRow:
    """Return a row; `moved_bytes` are those of one operation, 0 if a bandwidth has no meaning."""
    return BenchRow(
        bytes=size,
        latency_seconds=seconds,
        bandwidth_bytes_per_second=moved_bytes / seconds if moved_bytes and seconds > 0 else None,
        samples=ROUNDS,
        label=label,
    )


def _label(number: int, noun: str) -> str:
    """Return the label of a row as the measured tests write it, without commas."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def multipair_rows(place: ReplayedRanks, sizes: Sequence[int], settings: BenchSettings) -> list[BenchRow]:
    """Return the rows of 1, 2, 4, ... pairs and of all."""
    most = place.ranks // 2
    found = []
    for pairs in doublings(most):
        active = [*range(pairs), *range(most, most + pairs)]
        exchange = partial(exchanges.windows, messages=settings.window, pairs=pairs)
        label = _label(pairs, "pair")
        found += pair_rows(place.part(active), sizes, exchange, share=1 / settings.window, label=label)
    return found


def incast_rows(place: ReplayedRanks, sizes: Sequence[int]) -> list[BenchRow]:
    """Return the rows of 1, 2, 4, ... senders and of all: the first rank's time until all messages arrive."""
    found = []
    for senders in doublings(place.ranks - 1):
        label = _label(senders, "sender")
        exchange = partial(exchanges.incast, senders=senders)
        own = repeated(place.part(range(senders + 1)), sizes, exchange)
        found += [
            row(size, of_ranks[0], senders * size, label) for size, of_ranks in zip(sizes, own, strict=True)
        ]
    return found


def overlap_rows(place: ReplayedRanks, sizes: Sequence[int]) -> list[BenchRow]:
    """Return the rows of a transfer, of equally long computation, and of both at once with the hidden share."""
    alone = dict(zip(sizes, map(max, repeated(place, sizes, exchanges.at_once)), strict=True))
    both = map(max, repeated(place, sizes, partial(exchanges.at_once, computing=alone.__getitem__)))
    found = []
    for size, together in zip(sizes, both, strict=True):
        hidden = (2 * alone[size] - together) / alone[size] if alone[size] > 0 else 0.0
        last = row(size, together, 0, "both at once")
        found += [
            row(size, alone[size], 2 * size, "transfer"),
            row(size, alone[size], 0, "computation"),
            msgspec.structs.replace(last, overlap_share=min(max(hidden, 0.0), 1.0)),
        ]
    return found


def collective_rows(place: ReplayedRanks, test: str, sizes: Sequence[int]) -> list[BenchRow]:
    """Return the rows of a collective: the slowest rank's time after a barrier."""
    moved = {"alltoall": place.ranks - 1, "allgather": place.ranks - 1, "barrier": 0}.get(test, 1)
    once = _collective_seconds(place, test, sizes, [1] * len(sizes))
    counts = [
        min(MOST_IN_A_SAMPLE, math.ceil(SHORTEST_SAMPLE_SECONDS / max(seconds, 1e-12))) for seconds in once
    ]
    found = dict(zip(sizes, once, strict=True))
    short = [(size, count) for size, count in zip(sizes, counts, strict=True) if count > 1]
    if short:
        again = _collective_seconds(place, test, [size for size, _ in short], [count for _, count in short])
        found |= {size: seconds for (size, _), seconds in zip(short, again, strict=True)}
    return [row(size, seconds, moved * size) for size, seconds in found.items()]


def _collective_seconds(
    place: ReplayedRanks, test: str, sizes: Sequence[int], counts: Sequence[int]
) -> list[float]:
    call = exchanges.COLLECTIVES[test]
    script = Script(place.ranks)

    def sample(rank: Rank, size: int, count: int) -> None:
        for _ in range(count):
            call(rank, size)

    for size, count in zip(sizes, counts, strict=True):
        for _ in range(WARM_UP + ROUNDS):
            script.all(lambda rank: rank.collective("MPI_Barrier"))
            script.timed(sample, size, count)
    slowest = [max(own) for own in script.replay(place.fabric, place.layout, place.settings)]
    return [
        fmean(slowest[first + WARM_UP : first + WARM_UP + ROUNDS]) / count
        for first, count in zip(range(0, len(slowest), WARM_UP + ROUNDS), counts, strict=True)
    ]
