"""Reads the counters of a place while a job runs: its nodes' counts, and the use of their cores over time."""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from linkworth.model.counters import NodeCounters
from linkworth.model.run import CoreUse
from linkworth.places.counters import difference
from linkworth.places.job import Observer, Stream

INTERVAL_SECONDS = 0.5
CHEAP_SECONDS = 0.02
"""Longest reading to repeat during a run; a longer one would disturb it, and is taken at the start and end only."""
MOST_NUMBERS = 20_000
"""Most samples x cores to keep; beyond it every second sample is dropped and the interval doubled."""


class _Sample(NamedTuple):
    seconds: float
    nodes: list[NodeCounters]


class CounterWatch:
    """An observer that reads counters before, during and after a job, and forwards everything."""

    def __init__(self, read: Callable[[], list[NodeCounters]], inner: Observer) -> None:
        self._read = read
        self._inner = inner
        self._interval = INTERVAL_SECONDS
        began = time.monotonic()
        first = read()
        self._started = time.monotonic()
        self._cheap = bool(first) and self._started - began < CHEAP_SECONDS
        self._samples = [_Sample(0.0, first)]
        self._width = max(sum(len(node.core_seconds) for node in first), 1)

    def output(self, stream: Stream, data: bytes) -> None:
        """Forward the output."""
        self._inner.output(stream, data)

    def tick(self, seconds: float) -> None:
        """Take a sample if one is due."""
        self._inner.tick(seconds)
        now = time.monotonic() - self._started
        if not self._cheap or now - self._samples[-1].seconds < self._interval:
            return
        self._samples.append(_Sample(now, self._read()))
        if len(self._samples) * self._width > MOST_NUMBERS:
            self._samples = self._samples[::2]
            self._interval *= 2

    def finish(self) -> tuple[list[NodeCounters], list[CoreUse]]:
        """Read a last time; return each node's counts over the job, and the use of its cores."""
        last = _Sample(time.monotonic() - self._started, self._read())
        first = self._samples[0]
        # A last interval far shorter than the others is not significant: merge it into the one before.
        if len(self._samples) > 1 and last.seconds - self._samples[-1].seconds < self._interval / 2:
            self._samples.pop()
        samples = [*self._samples, last]
        return difference(first.nodes, last.nodes), core_use(samples)


def core_use(samples: Sequence[tuple[float, Sequence[NodeCounters]]]) -> list[CoreUse]:
    """Convert readings of CPU time, each with its seconds since the start, into shares of the intervals.

    The share is limited to 1: the kernel counts CPU time in ticks, and a short interval may have one too many.
    """
    (began, first), (ended, last) = samples[0], samples[-1]
    result = []
    for total in difference(first, last):
        if not total.core_seconds or ended <= began:
            continue
        times, shares = [], []
        for (early, before), (late, after) in pairwise(samples):
            step = next((node for node in difference(before, after) if node.node == total.node), None)
            if step and step.core_seconds and late > early:
                times.append(round(late, 3))
                shares.append(_shares(step, late - early))
        result.append(
            CoreUse(node=total.node, mean=_shares(total, ended - began), times=times, samples=shares)
        )
    return result


def _shares(node: NodeCounters, seconds: float) -> list[float]:
    return [round(min(busy / seconds, 1.0), 4) for busy in node.core_seconds]
