"""The events of every rank at a new count, from a program's rules."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from linkworth import _engine
from linkworth.model.trace import TraceMetadata
from linkworth.scale.align.folding import Item, Ladder, Loop
from linkworth.scale.behaviour import SLOT_MASK, Behaviour, Events, InSteps, Key, Role, slot_codes
from linkworth.scale.fit.members import Colour, Groups
from linkworth.scale.fit.partners import Partner
from linkworth.scale.fit.peers import Iterations, OffGridError
from linkworth.scale.fit.rules import Communicator, Ranks, Turns, UnfitError
from linkworth.scale.grids import positions, role_keys
from linkworth.scale.points import Point
from linkworth.scale.recording import SELF, WORLD, Numbers, Recording, Times
from linkworth.trace.read import TraceFile, open_trace
from linkworth.writing.documents import encode

ROUNDING = 1e-6
CALLS_AT_ONCE = 200_000
"""Calls that are in memory at once, so that memory does not grow with the rank count."""
_SMALL = 0.1
"""Share of the mean computation of a call's events below which one computes next to nothing."""
_MANY = 0.3
"""Share of such events from which only some of a loop's iterations compute."""


class RankEvents(NamedTuple):
    """The events of one rank."""

    rank: int
    calls: list[tuple[str, str, dict[str, Any]]]
    call: Numbers
    compute: Times
    cpu: Times
    durations: Times
    views: Mapping[int, Communicator]


Distinct = tuple[int, int, int, int, int]
"""Column, iteration and iterations of a call, and those of a loop around with owners."""


class _Sequence(NamedTuple):
    """Events of ranks whose loops run equally often."""

    slot: Numbers
    """By event: where its computation is from."""
    turn: Numbers
    """By event: how many events of its slot are before it."""
    times: Numbers
    """By slot: the number of its events."""
    step: Numbers
    """By event: the step of a loop with owners, as of so many as the largest recording has; -1: it is in none."""
    call: Numbers
    """By event: number of the distinct call."""
    distinct: list[Distinct]


def roles_at(program: Behaviour, ranks: int) -> dict[Key, Numbers]:
    """Return the ranks of each role."""
    at = positions(np.arange(ranks, dtype=np.int64), ranks, program.arrangement.grid(ranks))
    found: defaultdict[Key, list[int]] = defaultdict(list)
    for rank, key in enumerate(role_keys(program.kind, at)):
        found[key].append(rank)
    return {key: np.array(of, dtype=np.int64) for key, of in found.items()}


def events_of(recording: Recording) -> Iterator[RankEvents]:
    """Yield every rank's recorded events."""
    calls = [(call.entry, call.call_class, dict(call.fields)) for call in recording.calls]
    for rank, own in enumerate(recording.sequences):
        used, call = np.unique(own.calls, return_inverse=True)
        cpu = np.where(own.has_cpu, own.compute, -1.0)
        yield RankEvents(
            rank, [calls[number] for number in used.tolist()], call, own.compute, cpu, own.durations, {}
        )


def fill(path: Path, metadata: TraceMetadata, ranks: int, events: Iterable[RankEvents]) -> None:
    """Write ranks' events as a trace. Raises TraceWriteError."""
    writer = _engine.TraceWriter(str(path), ranks, encode(metadata).decode())
    for each in events:
        _engine.write_rank(
            writer, each.rank, each.calls, each.call.astype(np.uint32), each.compute, each.cpu, each.durations
        )
    writer.close()


def for_replay(path: Path, recording: Recording, events: Iterable[RankEvents]) -> TraceFile:
    """Write a trace on as many ranks as a recording that is replayed and then dropped, and open it."""
    recorded = recording.trace.metadata
    metadata = TraceMetadata(workload=recorded.workload, mpi=recorded.mpi, source="scaled")
    fill(path, metadata, recording.ranks, events)
    return open_trace(path)


def generate(program: Behaviour, point: Point) -> Iterator[RankEvents]:
    """Yield every rank's events, role by role. Raises UnfitError."""
    groups = Groups(point)
    for key, ranks in roles_at(program, point.ranks).items():
        yield from _of_role(program, program.roles[key], ranks, point, groups)


def _of_role(
    program: Behaviour, role: Role, ranks: Numbers, point: Point, groups: Groups
) -> Iterator[RankEvents]:
    models = _nearest(role, ranks, point)
    at = positions(ranks, point.ranks, point.grid)
    views = [_communicators(role, rank, groups) for rank in ranks.tolist()]
    alone = Iterations.once(len(ranks))
    everyone = Ranks(at, alone, point, program.arrangement, views, models)
    counts = [rule.values(everyone) for rule in role.counts]
    growth = _growth(role, point)
    whole = np.isin(role.group_of_slot, role.whole)
    alike: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number in range(len(ranks)):
        alike[tuple(each[number] for each in counts)].append(number)
    for batch in _batches(role, alike):
        users: defaultdict[Distinct, list[int]] = defaultdict(list)
        for sequence, numbers in batch:
            for each in sequence.distinct:
                users[each] += numbers
        made = {
            each: dict(zip(of, _calls(program, role, each, np.array(of), everyone, groups), strict=True))
            for each, of in users.items()
        }
        for sequence, numbers in batch:
            scaled: dict[int, tuple[Times, Times, Times]] = {}
            for which in numbers:
                model = int(models[which])
                if model not in scaled:
                    scaled[model] = _times(role.models[model], sequence, growth, whole, role.in_steps)
                yield RankEvents(
                    int(ranks[which]),
                    [made[each][which] for each in sequence.distinct],
                    sequence.call,
                    *scaled[model],
                    views[which],
                )


def _batches(
    role: Role, alike: Mapping[tuple[Any, ...], list[int]]
) -> Iterator[list[tuple[_Sequence, list[int]]]]:
    """Yield ranks, with their sequences, whose calls are in memory at once. `alike`: ranks whose loops run equally often."""
    batch: list[tuple[_Sequence, list[int]]] = []
    left = CALLS_AT_ONCE
    for of, numbers in alike.items():
        sequence = _sequence(role, of)
        each = max(len(sequence.distinct), 1)
        start = 0
        while start < len(numbers):
            some = numbers[start : start + max(left // each, 1)]
            batch.append((sequence, some))
            start += len(some)
            left -= each * len(some)
            if left < each:
                yield batch
                batch, left = [], CALLS_AT_ONCE
    if batch:
        yield batch


def _calls(
    program: Behaviour, role: Role, distinct: Distinct, which: Numbers, everyone: Ranks, groups: Groups
) -> list[tuple[str, str, dict[str, Any]]]:
    number, iteration, iterations, outer, outers = distinct
    column = role.columns[number]
    ranks = everyone.only(which)._replace(
        steps=_steps(len(which), iteration, iterations)._replace(outer=_steps(len(which), outer, outers))
    )
    try:
        return column.calls(ranks, groups)
    except OffGridError:
        grid = program.arrangement.describe(everyone.point.ranks)
        raise UnfitError(column.entry, f"its peers would be outside the grid of {grid}") from None


def _steps(count: int, iteration: int, iterations: int) -> Iterations:
    return Iterations(np.full(count, iteration, dtype=np.int64), np.full(count, iterations, dtype=np.int64))


def _sequence(role: Role, counts: Sequence[Any]) -> _Sequence:
    entered = [0] * len(counts)

    def runs(loop: int, iteration: int) -> int:
        """Return how often a loop runs this time. A count that is a mean is kept over all times."""
        of = counts[loop]
        before = entered[loop]
        entered[loop] += 1
        if isinstance(of, Turns):
            return of.at(before)
        if isinstance(of, tuple):
            return int(of[iteration])
        mean: float = of
        return floor((before + 1) * mean + ROUNDING) - floor(before * mean + ROUNDING)

    def emit(
        items: Sequence[Item], iteration: int, iterations: int, outer: int, outers: int
    ) -> list[Numbers]:
        out: list[Numbers] = []
        run: list[int] = []

        def flush() -> None:
            if run:
                block = np.empty((5, len(run)), dtype=np.int64)
                block[0] = run
                for row, each in enumerate((iteration, iterations, outer, outers), start=1):
                    block[row] = each
                out.append(block)
                run.clear()

        for item in items:
            if isinstance(item, Loop):
                flush()
                times = runs(item.number, iteration)
                for step in range(times):
                    out.extend(emit(item.body, step, times, outer, outers))
            elif isinstance(item, Ladder):
                flush()
                turns = counts[item.number]
                steps = list(enumerate(turns[entered[item.number] % len(turns)]))
                entered[item.number] += 1
                for step, body in reversed(steps) if item.descending else steps:
                    out.extend(emit(item.bodies[body], step, len(steps), step, len(steps)))
            else:
                run.append(item)
        flush()
        return out

    leaf, iteration, iterations, outer, outers = np.concatenate(emit(role.top, 0, 1, 0, 0), axis=1)
    column = role.column_of_leaf[leaf]
    step = np.full_like(leaf, -1)
    if role.in_steps is not None:
        recorded = role.in_steps.totals[leaf]
        step = np.where((recorded > 0) & (outers > 0), outer * recorded // np.maximum(outers, 1), -1)
    # Outside of loops of different lengths, a column is the same call wherever it stands.
    looped = np.array([each.looped for each in role.columns])[column]
    iteration, iterations = np.where(looped, iteration, 0), np.where(looped, iterations, 1)
    outer, outers = np.where(looped, outer, 0), np.where(looped, outers, 0)
    where = np.stack([column, iteration, iterations, outer, outers], axis=1)
    rows, call = np.unique(where, axis=0, return_inverse=True)
    slot = _slots(role, leaf)
    times = np.bincount(slot, minlength=len(role.group_of_slot))
    order = np.argsort(slot, kind="stable")
    turn = np.empty_like(slot)
    turn[order] = np.arange(len(slot)) - (np.cumsum(times) - times)[slot[order]]
    distinct: list[Distinct] = [tuple(row) for row in rows.tolist()]
    return _Sequence(slot, turn, times, step, call.reshape(-1).astype(np.int64), distinct)


def _slots(role: Role, leaf: Numbers) -> Numbers:
    """Return the slot of each event. A leaf that follows another one than ever recorded takes one of its own slots."""
    leaf = role.like[leaf]
    codes = slot_codes(leaf)
    place = np.minimum(np.searchsorted(role.slots, codes), len(role.slots) - 1)
    strange = role.slots[place] != codes
    any_slot = np.zeros(len(role.like), dtype=np.int64)
    any_slot[role.slots & SLOT_MASK] = np.arange(len(role.slots))
    return np.where(strange, any_slot[leaf], place)


def _growth(role: Role, point: Point) -> Times:
    """Return by slot how much more a rank computes than in the largest recording."""
    factors = np.ones(int(role.group_of_slot.max()) + 1)
    for number, of in role.compute.items():
        before = of.at(role.last)
        if before > 0:
            factors[number] = of.at(point) / before
    found: Times = factors[role.group_of_slot]
    return found


def _times(
    events: Events, sequence: _Sequence, growth: Times, whole: npt.NDArray[np.bool_], in_steps: InSteps | None
) -> tuple[Times, Times, Times]:
    """Return the computation before each event, that in CPU time, and the event's duration.

    Each event is like one of the recorded rank, at the same share of those of its slot, and computes as that times the
    growth, or as its part of all where `whole`. In a loop with owners, it is like that of the same step. A mean would be the
    same for all ranks and leave no rank to wait for.
    """
    slot, step = sequence.slot, sequence.step
    recorded = np.diff(events.first)
    recorded_slot = np.repeat(np.arange(len(recorded)), recorded)

    def place_of(turn: Numbers) -> Numbers:
        found: Numbers = events.first[slot] + turn * recorded[slot] // sequence.times[slot]
        return found

    places = place_of(sequence.turn)
    sums = np.bincount(recorded_slot, events.compute, len(recorded))
    # If only the first iteration of a loop computes, so it does where the loop is longer.
    small = events.compute < _SMALL * (sums / np.maximum(recorded, 1))[recorded_slot]
    idle = np.bincount(recorded_slot, small, len(recorded)) > _MANY * recorded
    again = places == place_of(sequence.turn - 1)
    compute = np.where(idle[slot] & again, 0.0, events.compute[places])
    # Its share of more iterations is then no whole number of them.
    mean = sums / np.maximum(np.where(whole, sequence.times, recorded), 1)
    taken = np.bincount(slot, compute, len(mean)) / np.maximum(sequence.times, 1)
    compute = np.where(taken[slot] > 0, compute * (mean / np.where(taken > 0, taken, 1.0))[slot], mean[slot])
    if in_steps is not None:
        # Who owns a step computes as its owner did, which was another rank.
        own = InSteps.key(recorded_slot, events.steps)
        key = InSteps.key(slot, step)
        found = np.minimum(np.searchsorted(own, key), len(own) - 1)
        others = in_steps.before(slot, step)
        compute = np.where(
            step < 0,
            compute,
            np.where(own[found] == key, events.compute[found], np.where(others < 0, compute, others)),
        )
    compute = compute * growth[slot]
    return compute, np.where(events.has_cpu[places], compute, -1.0), events.durations[places]


def _nearest(role: Role, ranks: Numbers, point: Point) -> Numbers:
    """Return for each rank the one of its role in the largest recording that is nearest in relative position.

    On a grid with edges, it is one on the same edges if there is one.
    """
    of = np.array(sorted(role.models), dtype=np.int64)
    there = positions(of, role.last.ranks, role.last.grid)
    here = positions(ranks, point.ranks, point.grid)
    distance = np.zeros((len(ranks), len(of)))
    rules = (rule for column in role.columns for rule in column.rules.values())
    edges = any(isinstance(rule, Partner) and rule.peer.edges for rule in rules)
    for x, n, y, m in zip(here.coordinates, here.extents, there.coordinates, there.extents, strict=True):
        own = x / np.maximum(n - 1, 1)
        other = y / np.maximum(m - 1, 1)
        distance += (own[:, None] - other[None, :]) ** 2
        for end in (0, 1) if edges else ():
            distance += len(point.grid) * ((own == end)[:, None] != (other == end)[None, :])
    nearest: Numbers = of[np.argmin(distance, axis=1)]
    return nearest


def _communicators(role: Role, rank: int, groups: Groups) -> Mapping[int, Communicator]:
    found = {WORLD: Communicator(groups.of(Colour("all"), rank), rank), SELF: Communicator([rank], 0)}
    for column in role.columns:
        if column.members is not None and "new_comm" in column.rules:
            members = column.members.of(groups, rank)
            number = column.fixed("new_comm")
            found[number] = Communicator(
                members, column.members.place(members, rank), column.members.remote(groups, rank) or ()
            )
    return found
