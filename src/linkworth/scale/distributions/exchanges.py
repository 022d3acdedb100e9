"""Messages at a new rank count for the distributions of recordings: every message that is sent is received."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from linkworth.scale.distributions.chains import PARTS
from linkworth.scale.fit.numbers import STEEPEST, alternating, growing, power_law, saturating
from linkworth.scale.generate import RankEvents
from linkworth.scale.grids import divisors
from linkworth.scale.points import Point
from linkworth.scale.recording import BINS, WORLD, Numbers, Recording, Rooted, Stretch, Times

_GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, without their whole parts, mix near and far messages."""
_EXCHANGE_TAG, _ROOT_TAG = 0, 1
_IN_TURN = 4.0
"""Bytes that wait for one another over those that a rank sends, above which ranks send in turn. Uneven neighbours cause less."""
_POWERS = np.linspace(-STEEPEST, STEEPEST, 33)
"""Powers of the sizes of messages, and of the shares that leave a part, which the numbers of steps are tried to follow."""

Made = tuple[str, str, dict[str, Any]]
"""Entry, class and fields of a call."""


def patterns(recordings: Sequence[Recording], ranks: int, size: float) -> dict[int, "Pattern"]:
    """Return the messages of each marker's stretch at a count and a problem's size."""
    codes = {code for each in recordings for code in each.stretches or ()}
    return {code: Pattern(_scaled(recordings, code, ranks, size), ranks) for code in codes}


def filled(events: Iterable[RankEvents], found: Mapping[int, "Pattern"]) -> Iterator[RankEvents]:
    """Yield the events of ranks with messages for markers.

    The duration of a marker is what ranks compute one after another, each when it has got the message before.
    """
    for each in events:
        yield _with_messages(each, found)


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
        return alternating(points, values, new) or growing(points, values, new) or trend(values)

    def rooted(of: Sequence[Rooted]) -> Rooted:
        return Rooted(trend([each.messages for each in of]), trend([each.bytes for each in of]))

    mean = float(last.bytes.mean())
    growth = number([float(each.bytes.mean()) for each in stretches]) / mean if mean else 1.0
    return Stretch(
        number([each.rounds for each in stretches]),
        number([each.data for each in stretches]),
        number([each.far for each in stretches]),
        number([each.messages for each in stretches]),
        np.sign(last.distance)
        * [trend([abs(each.distance[at]) for each in stretches]) for at in range(BINS)],
        np.array([trend([each.blocks[at] for each in stretches]) for at in range(BINS)]),
        last.wraps,
        last.bytes * growth,
        rooted([each.scattered for each in stretches]),
        rooted([each.gathered for each in stretches]),
    )


class Pattern:
    """Messages of a stretch at a rank count, in steps: evenly spaced ranks each send to the one that is as far.

    By step, one entry in each array.
    """

    def __init__(self, stretch: Stretch, ranks: int) -> None:
        """Divide the messages among steps, and these among rounds."""
        self._ranks = ranks
        self._scattered, self._gathered = stretch.scattered, stretch.gathered
        # A root takes a result before it gives the next task, and two messages of each such turn wait for one another.
        both = round(min(stretch.scattered.messages, stretch.gathered.messages))
        self._turns = max(min(round(stretch.rounds / 2) + 1, both), 1)
        rounds = max(round(stretch.rounds) - 2 * (self._turns - 1), 1)
        self.passed_on = ranks > 1 and 0 < stretch.messages < rounds
        """More messages wait for one another than a rank sends, so that some ranks have none in some rounds."""
        # A tenth of a message more takes no further step.
        steps = rounds * max(ceil(stretch.messages / rounds - 0.1), 1)
        mean = max(float(stretch.bytes.mean()), 1.0)
        in_turn = self.passed_on or (ranks > 1 and 0 < _IN_TURN * stretch.messages * mean < stretch.data)
        if in_turn:
            # Somebody sends in each step.
            steps = max(steps, min(round(stretch.data / mean), int(stretch.messages * ranks)))
        if stretch.messages <= 0 or ranks == 1:
            rounds = steps = 0
        self._begins = np.arange(rounds + 1) * steps // max(rounds, 1)
        parts = np.array([each for each in divisors(ranks) if each < ranks or ranks == 1])
        nearest = np.argmin(np.abs(np.log(parts[:, None] / stretch.blocks[None, :])), axis=0)
        block = ranks // parts[nearest]
        distance = np.rint(stretch.distance).astype(np.int64)
        distance = np.where(stretch.wraps, distance % block, np.clip(distance, 1 - block, block - 1))
        distance = np.where(distance, distance, 1)
        per_bin = np.full(BINS, steps / BINS)
        if in_turn:
            per_bin = _steps_per_bin(stretch, steps, _leaving(ranks, block, distance, stretch.wraps), ranks)
        edges = np.interp(
            np.arange(steps + 1), np.concatenate([[0.0], np.cumsum(per_bin)]), np.arange(BINS + 1)
        )
        amounts = np.interp(edges, np.arange(BINS + 1), np.concatenate([[0.0], np.cumsum(stretch.bytes)]))
        order = np.argsort(np.argsort(np.arange(steps) * _GOLDEN % 1))
        self._bytes = np.rint(np.diff(amounts) / np.diff(edges))[order].astype(np.int64)
        share = np.minimum(np.diff(edges)[order] * stretch.messages / BINS, 1.0)
        middle = ((edges[1:] + edges[:-1]) / 2).astype(np.int64)[order]
        self._block, self._wraps, self._distance = block[middle], stretch.wraps[middle], distance[middle]
        # Who would send beyond its part does not, so that more of the others do.
        inside = np.where(self._wraps, 1, 1 - np.abs(self._distance) / self._block)
        shares = np.minimum(share / np.maximum(inside, share), 1.0)
        self._senders = np.diff(np.floor(np.concatenate([[0.0], np.cumsum(shares)]) * ranks + 1e-6)).astype(
            np.int64
        )
        sender, senders = 0, []
        for begin, end in pairwise(self._begins.tolist()):
            senders.append(sender)
            # Who waits for the largest message of a round sends in the next. At the end of a part, the chain turns round.
            largest = begin + int(np.argmax(self._bytes[begin:end]))
            if rounds > 1 and self._away(sender, largest) < 0:
                self._distance[largest] *= -1
            there = int(self._away(sender, largest))
            sender = there if there >= 0 else sender
        self._first = np.repeat(np.array(senders, dtype=np.int64), np.diff(self._begins))

    def calls(self, rank: int) -> tuple[list[Made], Times, Times]:
        """Return the calls of a rank, and shares of times before each and after all.

        First of the time that the rank computes on its own, then of what it computes besides, as one of a chain of ranks.
        """
        to, source = self._away(rank), self._away(rank, towards=-1)
        sends = self._sends(np.full_like(to, rank)) & (to >= 0)
        receives = self._sends(source) & (source >= 0)
        out: list[Made] = []
        before: list[int] = []
        rounds: list[int] = []
        firsts = np.arange(self._turns + 1) * (len(self._begins) - 1) // self._turns
        for turn, (first, last) in enumerate(pairwise(firsts.tolist())):
            out += self._with_root(rank, turn)
            passed = [len(out)]
            for begin, end in pairwise(self._begins[first : last + 1].tolist()):
                from_, into = (begin + np.flatnonzero(each[begin:end]) for each in (receives, sends))
                calls = [_call("irecv", int(source[at]), int(self._bytes[at])) for at in from_]
                calls += [_call("isend", int(to[at]), int(self._bytes[at])) for at in into]
                if calls:
                    out += [*calls, _wait(len(calls))]
                passed.append(len(out))
            # All ranks compute as much before a round, whether or not they have messages in it.
            before += passed[:-1] or passed
            rounds += passed[:-1]
        out += self._with_root(rank, self._turns)
        in_chain = np.array(rounds, dtype=np.int64)[self._first[self._begins[:-1]] == rank]
        alone, chain = (
            np.bincount(each, minlength=len(out) + 1) / max(len(of), 1)
            for each, of in ((before, before), (in_chain, rounds))
        )
        return out, alone, chain

    def _with_root(self, rank: int, turn: int) -> list[Made]:
        """Return a rank's messages with a root before a turn: results of the turn before, and then tasks for this one."""
        results, tasks = self._dealt(self._gathered, turn - 1), self._dealt(self._scattered, turn)
        if rank == 0:
            kinds, peers = ("recv", "send"), range(1, self._ranks)
        else:
            kinds, peers = ("send", "recv"), range(1)
        return [
            _call(kind, peer, size, _ROOT_TAG)
            for peer in peers
            for kind, (count, size) in zip(kinds, (results, tasks), strict=True)
            for _ in range(count)
        ]

    def _dealt(self, rooted: Rooted, turn: int) -> tuple[int, int]:
        """Return the number of a rank's messages with a root in a turn, and their bytes. There is none before the first turn."""
        count = round(rooted.messages)
        until, then = (count * min(max(each, 0), self._turns) // self._turns for each in (turn, turn + 1))
        return then - until, round(rooted.bytes / rooted.messages) if count else 0

    def _away(self, rank: int, at: int | slice = slice(None), towards: int = 1) -> Numbers:
        """Return the rank that is so far away in some steps, or -1 beyond its part. `towards`: -1 for the other direction."""
        block = self._block[at]
        place = rank % block
        there = place + towards * self._distance[at]
        inside = self._wraps[at] | ((there >= 0) & (there < block))
        return np.where(inside, rank - place + there % block, -1)

    def _sends(self, ranks: Numbers) -> npt.NDArray[np.bool_]:
        """Return whether a rank sends, another one in each step."""
        place = (ranks - self._first) % self._ranks
        number = -(-place * self._senders // self._ranks)
        evenly = number * self._ranks // np.maximum(self._senders, 1) == place
        sends: npt.NDArray[np.bool_] = (number < self._senders) & evenly
        return sends


def _leaving(ranks: int, block: Numbers, distance: Numbers, wraps: npt.NDArray[np.bool_]) -> Times:
    """Return by bin the share of its messages that go to another part of all ranks."""
    source = np.arange(ranks)[:, None]
    there = source % block + distance
    inside = wraps | ((there >= 0) & (there < block))
    leaves = source * PARTS // ranks != (source - source % block + there % block) * PARTS // ranks
    share: Times = (leaves & inside).sum(axis=0) / np.maximum(inside.sum(axis=0), 1)
    return share


def _steps_per_bin(stretch: Stretch, steps: int, leaving: Times, ranks: int) -> Times:
    """Return how many steps have messages of each bin, if there are more than messages of a rank.

    Not all ranks send in some. Which messages take these steps decides how many bytes wait for one another, and how many
    messages that leave their part of the ranks. `leaving`: the share that does, by bin.
    """
    powers = np.stack(np.meshgrid(_POWERS, _POWERS), axis=-1).reshape(-1, 2, 1)
    weights = (stretch.bytes + 1.0) ** powers[:, 0] * (leaving + 0.01) ** powers[:, 1]
    weights /= weights.sum(axis=1, keepdims=True)
    found: Times = stretch.messages / BINS + (steps - stretch.messages) * weights
    wanted = (stretch.bytes, stretch.data), (leaving, stretch.far * steps / max(stretch.rounds, 1.0))
    errors = np.sum([np.abs(np.log((found @ each + 1.0) / (of + 1.0))) for each, of in wanted], axis=0)
    # Somebody sends in each step.
    nobody = (found > stretch.messages / BINS * ranks).any(axis=1)
    best: Times = found[np.lexsort((errors, nobody))[0]]
    return best


def _call(call_class: str, peer: int, size: int, tag: int = _EXCHANGE_TAG) -> Made:
    fields = {"comm": WORLD, "peer": peer, "tag": tag, "bytes": size}
    if call_class == "recv":
        fields |= {"actual_peer": 0, "actual_tag": 0}
    return f"MPI_{call_class.capitalize()}", call_class, fields


def _wait(count: int) -> Made:
    completions = [(back, False, 0, 0) for back in range(count, 0, -1)]
    return "MPI_Waitall", "complete", {"mode": 1, "listed": count, "completions": completions}


def _with_messages(each: RankEvents, found: Mapping[int, Pattern]) -> RankEvents:
    """Return a rank's events with the messages for markers."""
    calls = list(each.calls)
    code_of = {
        number: fields["code"]
        for number, (_, call_class, fields) in enumerate(each.calls)
        if call_class == "pcontrol"
    }
    blocks: dict[int, tuple[Numbers, Times, Times]] = {}
    own = each.compute.copy()
    lengths = np.ones(len(own), dtype=np.int64)
    durations = each.durations.copy()
    call: list[Numbers] = []
    compute: list[Times] = []
    done = 0
    for at in np.flatnonzero(np.isin(each.call, list(code_of))).tolist():
        code = code_of[int(each.call[at])]
        if code not in blocks:
            made, alone, chain = found[code].calls(each.rank)
            blocks[code] = np.arange(len(calls), len(calls) + len(made)), alone, chain
            calls += made
        made_here, alone, chain = blocks[code]
        times = alone * own[at] + chain * each.durations[at]
        call += [each.call[done:at], made_here]
        compute += [own[done:at], times[:-1]]
        # Computation after the messages goes before the call that follows.
        own[at + 1] += times[-1]
        durations[at] = 0.0
        lengths[at] = len(made_here)
        done = at + 1
    seconds = np.concatenate([*compute, own[done:]])
    used, numbers = np.unique(np.concatenate([*call, each.call[done:]]), return_inverse=True)
    return each._replace(
        calls=[calls[number] for number in used.tolist()],
        call=numbers,
        compute=seconds,
        cpu=np.where(np.repeat(each.cpu, lengths) >= 0, seconds, -1.0),
        durations=np.repeat(durations, lengths),
    )
