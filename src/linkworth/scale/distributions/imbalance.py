"""Computation of the slowest rank between collective calls at a new count, if messages are distributions.

Events copy what recorded ranks compute, and grow with the mean. The slowest rank follows a law of its own: work that one
rank does alone takes as long on any number of ranks. Ranks that compute one after another wait for a chain that is
longer than any rank's part. The rank that computes most stands for the chain too, and the others share the rest. Where
ranks take part in few of the messages that wait for one another, such a rank would compute beside them. There, each
computes a piece of the chain before it passes a message on.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from linkworth.scale.fit.numbers import measured
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.generate import RankEvents
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers, Pair, Recording, Times


def unbalanced(
    generated: Callable[[], Iterable[RankEvents]],
    recordings: Sequence[Recording],
    ranks: int,
    size: float,
    passed_on: Collection[int],
) -> Iterator[RankEvents]:
    """Yield the events of ranks, of which the slowest computes for as long as the law of the recordings' spans gives.

    `generated`: yields events of collective calls and markers. `passed_on`: codes of markers before whose messages all
    ranks compute in a chain instead. Its time becomes the marker's duration. Raises UnfitError if not all ranks have as
    many calls.
    """
    work = _Work(generated(), passed_on)
    slowest, others = work.factors(_spans(recordings, ranks, size), ranks)
    alone, chain = work.chains(slowest, ranks)
    for each in generated():
        yield _multiplied(each, np.where(work.slowest == each.rank, slowest, others), alone, chain)


_IDLE = 0.1
"""Share of the mean computation below which a rank only gives work to others."""


def _spans(recordings: Sequence[Recording], ranks: int, size: float) -> dict[Pair, float]:
    """Return the mean seconds between two collective calls at a count and a problem's size.

    Masters that only give work to others share none of it.
    """
    masters = min(map(_masters, recordings))
    new = Point(ranks - masters, (), size)
    found = {}
    for pair, last in recordings[-1].spans.items():
        known = [each for each in recordings if pair in each.spans]
        points = [Point(each.ranks - masters, (), each.size) for each in known]
        if last > 0:
            found[pair] = measured(points, np.array([each.spans[pair] for each in known])).at(new)
    return found


def _masters(recording: Recording) -> int:
    """Return the number of ranks that hardly compute."""
    work = np.array([sequence.compute.sum() for sequence in recording.sequences])
    return int((work < _IDLE * work.mean()).sum())


class _Work:
    """Computation between collective calls of all ranks."""

    def __init__(self, events: Iterable[RankEvents], passed_on: Collection[int]) -> None:
        pairs: list[Pair] = []
        self._total = self._most = np.zeros(0)
        self._passed_on = np.zeros(0, dtype=bool)
        self.slowest = np.zeros(0, dtype=np.int64)
        """By stretch: the rank that computes most."""
        for each in events:
            starts = _starts(each)
            own = np.add.reduceat(each.compute, starts)
            if not pairs:
                ends = np.append(starts[1:], len(each.call)) - 1
                pairs = list(pairwise(["", *(each.calls[number][0] for number in each.call[ends].tolist())]))
                self._total, self._most = np.zeros(len(own)), np.zeros(len(own))
                codes = np.array([fields.get("code", -1) for _, _, fields in each.calls])
                self._passed_on = np.isin(codes, list(passed_on))[each.call[starts]]
                self.slowest = np.zeros(len(own), dtype=np.int64)
            if len(own) != len(pairs):
                raise UnfitError("messages", "not all ranks make as many collective calls")
            self._total += own
            self.slowest[own > self._most] = each.rank
            np.maximum(self._most, own, out=self._most)
        self._kinds = sorted(set(pairs))
        numbers = {pair: number for number, pair in enumerate(self._kinds)}
        self._kind = np.array([numbers[pair] for pair in pairs], dtype=np.int64)

    def factors(self, spans: Mapping[Pair, float], ranks: int) -> tuple[Times, Times]:
        """Return by stretch by what to multiply the computation of the slowest rank, and that of the others."""
        passed, total, most = (
            np.bincount(self._kind, weights) for weights in (None, self._total, self._most)
        )
        wanted = passed * [spans.get(pair, 0.0) for pair in self._kinds]
        # Nobody waits for less than the mean.
        longer = np.divide(
            np.maximum(wanted, total / ranks), most, out=np.ones_like(most), where=(wanted > 0) & (most > 0)
        )
        most_of_all = np.divide(self._total, self._most, out=np.ones_like(self._most), where=self._most > 0)
        slowest = np.minimum(longer[self._kind], most_of_all)
        rest = self._total - self._most
        others = np.divide(self._total - slowest * self._most, rest, out=np.ones_like(rest), where=rest > 0)
        return slowest, np.maximum(others, 0.0)

    def chains(self, slowest: Times, ranks: int) -> tuple[Times, Times]:
        """Return by stretch, if it is passed on, what each rank computes alone, and what all do besides, one after another.

        Together, both take as long as the slowest rank would.
        """
        span = slowest * self._most
        alone = np.maximum(self._total - span, 0.0) / max(ranks - 1, 1)
        chain = np.maximum(span - alone, 0.0)
        return np.where(self._passed_on, alone, 0.0), np.where(self._passed_on, chain, 0.0)


def _starts(events: RankEvents) -> Numbers:
    """Return where the computation before each collective call begins: at the marker before it, if there is one."""
    marks = np.array([call_class == "pcontrol" for _, call_class, _ in events.calls], dtype=bool)[events.call]
    return np.flatnonzero(~np.concatenate([[False], marks[:-1]]))


def _multiplied(events: RankEvents, factors: Times, alone: Times, chain: Times) -> RankEvents:
    starts = _starts(events)
    factors = np.where(alone + chain > 0, 0.0, factors)
    compute = events.compute * np.repeat(factors, np.diff(starts, append=len(events.call)))
    compute[starts] += alone
    durations = events.durations.copy()
    durations[starts] += chain
    return events._replace(compute=compute, cpu=np.where(events.cpu >= 0, compute, -1.0), durations=durations)
