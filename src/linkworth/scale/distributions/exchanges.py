"""Messages at a new rank count for the distributions of recordings: every message that is sent is received."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from linkworth.scale.fit.numbers import STEEPEST, growing, power_law, saturating
from linkworth.scale.generate import RankEvents
from linkworth.scale.grids import divisors
from linkworth.scale.points import Point
from linkworth.scale.recording import BINS, WORLD, Numbers, Recording, Rooted, Stretch, Times

_GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, without their whole parts, mix near and far messages."""
_EXCHANGE_TAG, _ROOT_TAG = 0, 1

Made = tuple[str, str, dict[str, Any]]
"""Entry, class and fields of a call."""


def filled(
    events: Iterable[RankEvents], recordings: Sequence[Recording], ranks: int, size: float
) -> Iterator[RankEvents]:
    """Yield the events of ranks with messages for markers, at a count and a problem's size."""
    codes = {code for each in recordings for code in each.stretches or ()}
    patterns = {code: _Pattern(_scaled(recordings, code, ranks, size), ranks) for code in codes}
    for each in events:
        yield _with_messages(each, patterns)


def _scaled(recordings: Sequence[Recording], code: int, ranks: int, size: float) -> Stretch:
    """Return a stretch at a new count."""
    known = [each for each in recordings if each.stretches and code in each.stretches]
    points = [Point(each.ranks, (), each.size) for each in known]
    new = Point(ranks, (), size)
    stretches = [each.stretches[code] for each in known if each.stretches]
    last = stretches[-1]

    def trend(values: Sequence[float]) -> float:
        if values[-1] <= 0:
            return 0.0
        return saturating(points, values, new) or power_law(points, values, -STEEPEST, STEEPEST).at(new)

    def number(values: Sequence[float]) -> float:
        return growing(points, values, new) or trend(values)

    def rooted(of: Sequence[Rooted]) -> Rooted:
        return Rooted(trend([each.messages for each in of]), trend([each.bytes for each in of]))

    mean = float(last.bytes.mean())
    growth = trend([float(each.bytes.mean()) for each in stretches]) / mean if mean else 1.0
    return Stretch(
        number([each.rounds for each in stretches]),
        number([each.messages for each in stretches]),
        np.sign(last.distance)
        * [trend([abs(each.distance[at]) for each in stretches]) for at in range(BINS)],
        np.array([trend([each.blocks[at] for each in stretches]) for at in range(BINS)]),
        last.wraps,
        last.bytes * growth,
        rooted([each.scattered for each in stretches]),
        rooted([each.gathered for each in stretches]),
    )


class _Pattern:
    """Messages of a stretch at a rank count, in steps: evenly spaced ranks each send to the one that is as far.

    By step, one entry in each array.
    """

    def __init__(self, stretch: Stretch, ranks: int) -> None:
        """Divide the messages among steps, and these among rounds."""
        self._ranks = ranks
        self._scattered, self._gathered = stretch.scattered, stretch.gathered
        rounds = max(round(stretch.rounds), 1)
        # A tenth of a message more takes no further step.
        self._at_once = max(ceil(stretch.messages / rounds - 0.1), 1)
        steps = rounds * self._at_once if stretch.messages > 0 and ranks > 1 else 0
        share = min(stretch.messages / max(steps, 1), 1.0)
        edges = np.linspace(0, BINS, steps + 1)
        amounts = np.interp(edges, np.arange(BINS + 1), np.concatenate([[0.0], np.cumsum(stretch.bytes)]))
        order = np.argsort(np.argsort(np.arange(steps) * _GOLDEN % 1))
        self._bytes = np.rint(np.diff(amounts) / np.diff(edges))[order].astype(np.int64)
        middle = ((edges[1:] + edges[:-1]) / 2).astype(np.int64)[order]
        parts = np.array([each for each in divisors(ranks) if each < ranks or ranks == 1])
        nearest = np.argmin(np.abs(np.log(parts[:, None] / stretch.blocks[None, :])), axis=0)
        self._block = (ranks // parts[nearest])[middle]
        distance = np.rint(stretch.distance).astype(np.int64)[middle]
        self._wraps = stretch.wraps[middle]
        distance = np.where(
            self._wraps, distance % self._block, np.clip(distance, 1 - self._block, self._block - 1)
        )
        self._distance = np.where(distance, distance, 1)
        # Who would send beyond its part does not, so that more of the others do.
        inside = np.where(self._wraps, 1, 1 - np.abs(self._distance) / self._block)
        shares = np.minimum(share / np.maximum(inside, share), 1.0)
        self._senders = np.diff(np.floor(np.concatenate([[0.0], np.cumsum(shares)]) * ranks + 1e-6)).astype(
            np.int64
        )
        self._first = np.zeros(steps, dtype=np.int64)
        for step in range(1, steps):
            # A rank that receives in one step sends in the next.
            before = int(self._first[step - 1])
            place = before % self._block[step - 1]
            there = place + self._distance[step - 1]
            if self._wraps[step - 1] or 0 <= there < self._block[step - 1]:
                before += there % self._block[step - 1] - place
            self._first[step] = before

    def calls(self, rank: int) -> tuple[list[Made], Times]:
        """Return the calls of a rank, and the share of its computation before each and after all."""
        out = _of_root(rank, self._ranks, self._scattered, sends=rank == 0)
        to, source = self._away(rank, self._distance), self._away(rank, -self._distance)
        sends = self._sends(np.full_like(to, rank)) & (to >= 0)
        receives = self._sends(source) & (source >= 0)
        passed = [len(out)]
        for begin in range(0, len(to), self._at_once):
            steps = range(begin, begin + self._at_once)
            calls = [_call("irecv", int(source[at]), int(self._bytes[at])) for at in steps if receives[at]]
            calls += [_call("isend", int(to[at]), int(self._bytes[at])) for at in steps if sends[at]]
            if calls:
                out += [*calls, _wait(len(calls))]
            passed.append(len(out))
        # All ranks compute as much before a round, whether or not they have messages in it.
        before = passed[:-1] or passed
        share = np.bincount(before, minlength=len(out) + 1) / len(before)
        gathered = _of_root(rank, self._ranks, self._gathered, sends=rank != 0)
        out += gathered
        share = np.append(share, np.zeros(len(gathered)))
        return out, share

    def _away(self, rank: int, distance: Numbers) -> Numbers:
        """Return the rank that is so far away in each step, or -1 beyond its part."""
        place = rank % self._block
        there = place + distance
        inside = self._wraps | ((there >= 0) & (there < self._block))
        return np.where(inside, rank - place + there % self._block, -1)

    def _sends(self, ranks: Numbers) -> npt.NDArray[np.bool_]:
        """Return whether a rank sends, another one in each step."""
        place = (ranks - self._first) % self._ranks
        number = -(-place * self._senders // self._ranks)
        evenly = number * self._ranks // np.maximum(self._senders, 1) == place
        sends: npt.NDArray[np.bool_] = (number < self._senders) & evenly
        return sends


def _of_root(rank: int, ranks: int, rooted: Rooted, *, sends: bool) -> list[Made]:
    count = round(rooted.messages)
    size = round(rooted.bytes / rooted.messages) if count else 0
    peers = range(1, ranks) if rank == 0 else [0]
    return [_call("send" if sends else "recv", peer, size, _ROOT_TAG) for peer in peers for _ in range(count)]


def _call(call_class: str, peer: int, size: int, tag: int = _EXCHANGE_TAG) -> Made:
    fields = {"comm": WORLD, "peer": peer, "tag": tag, "bytes": size}
    if call_class == "recv":
        fields |= {"actual_peer": 0, "actual_tag": 0}
    return f"MPI_{call_class.capitalize()}", call_class, fields


def _wait(count: int) -> Made:
    completions = [(back, False, 0, 0) for back in range(count, 0, -1)]
    return "MPI_Waitall", "complete", {"mode": 1, "listed": count, "completions": completions}


def _with_messages(each: RankEvents, patterns: Mapping[int, _Pattern]) -> RankEvents:
    """Return a rank's events with the calls of patterns for markers."""
    calls = list(each.calls)
    code_of = {
        number: fields["code"]
        for number, (_, call_class, fields) in enumerate(each.calls)
        if call_class == "pcontrol"
    }
    blocks: dict[int, tuple[Numbers, Times]] = {}
    own = each.compute.copy()
    lengths = np.ones(len(own), dtype=np.int64)
    call: list[Numbers] = []
    compute: list[Times] = []
    done = 0
    for at in np.flatnonzero(np.isin(each.call, list(code_of))).tolist():
        code = code_of[int(each.call[at])]
        if code not in blocks:
            made, share = patterns[code].calls(each.rank)
            blocks[code] = np.arange(len(calls), len(calls) + len(made)), share
            calls += made
        made_here, share = blocks[code]
        times = share * own[at]
        call += [each.call[done:at], made_here]
        compute += [own[done:at], times[:-1]]
        # Computation after the messages goes before the call that follows.
        own[at + 1] += times[-1]
        lengths[at] = len(made_here)
        done = at + 1
    seconds = np.concatenate([*compute, own[done:]])
    used, numbers = np.unique(np.concatenate([*call, each.call[done:]]), return_inverse=True)
    return each._replace(
        calls=[calls[number] for number in used.tolist()],
        call=numbers,
        compute=seconds,
        cpu=np.where(np.repeat(each.cpu, lengths) >= 0, seconds, -1.0),
        durations=np.repeat(each.durations, lengths),
    )
