"""Builds the behaviour of a program from its recordings."""

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.align.folding import Alignment, Item, Ladder, Loop, first_leaves, leaves_of_loops
from linkworth.scale.align.ladders import fit_bits
from linkworth.scale.align.multigrid import Multigrid
from linkworth.scale.align.owners import ByStepOf, fit_owners
from linkworth.scale.align.sequences import ParsedRole, RecordedRank, Sequences
from linkworth.scale.behaviour import Behaviour, Events, InSteps, Key, Role
from linkworth.scale.event_table import EventTable, places_of
from linkworth.scale.fit.around import PerNeighbour, fit_neighbours
from linkworth.scale.fit.columns import ColumnFit, PlacedCall
from linkworth.scale.fit.dimensions import Repeats, fit_repeats
from linkworth.scale.fit.hidden import as_across_others
from linkworth.scale.fit.levels import OnLevel
from linkworth.scale.fit.members import Groups
from linkworth.scale.fit.number_rules import fit_appearance, fit_levels_along, fit_number, fit_others
from linkworth.scale.fit.numbers import Fitter
from linkworth.scale.fit.partners import Peers, are_neighbours, fit_partner, peers_of_sites
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rings import directed
from linkworth.scale.fit.rules import ByCount, Rule, Same, Samples, Turns, UnfitError, Varying
from linkworth.scale.grids import GridRule, are_groups, are_parts
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers, Times

_FEWEST_VARYING = 3
"""Recordings that show that iterations follow no rule of the rank count."""


class _Runs(NamedTuple):
    """Iterations of a loop."""

    which: Numbers
    """Samples that enter it; the other fields have one value for each."""
    times: Numbers
    means: Times
    varies: bool
    """It runs differently often each time that it is entered, though equally on all ranks."""
    entered: Sequence[Sequence[int]]
    """Iterations each time that it is entered."""


class Builder:
    """Builds programs under different assumptions about grid and roles."""

    def __init__(self, sequences: Sequences, *, weak: bool, grids: bool) -> None:
        """Prepare to build programs of these sequences. `grids`: calls may be on other grids than the program's."""
        self.sequences = sequences
        self.recordings = sequences.recordings
        self.weak = weak
        self.grids = grids
        self._mean_compute = np.array(
            [
                sum(float(each.compute.sum()) for each in of.sequences)
                / max(sum(len(each.calls) for each in of.sequences), 1)
                for of in self.recordings
            ]
        )
        self._calls = [call for recording in self.recordings for call in recording.calls]

    def build(self, arrangement: GridRule, kind: int, wanted: set[Key]) -> Behaviour:
        """Return the program. `wanted`: roles at the new count. Raises UnfitError for the first call that does not fit."""
        # Most programs of other patterns have a role that no grammar reads, which takes less time to find than a fit.
        parsed = self.sequences.parse_roles(arrangement, kind, wanted)
        points = [
            Point(recording.ranks, arrangement.grid(recording.ranks), recording.size)
            for recording in self.recordings
        ]
        # Each of several models has a grid of its own.
        grids = self.grids or are_parts(kind)
        fitter = Fitter(points, weak=self.weak, grouped=are_groups(kind), grids=grids)
        groups = {number: Groups(point) for number, point in enumerate(points)}
        if len(parsed) > 1:
            self._fit_all_ranks(arrangement, fitter)
        roles = {
            key: self._role(role, arrangement, fitter, groups)
            for key, role in sorted(
                parsed.items(),
                key=lambda each: (
                    -len({sample.recording for sample in each[1].samples}),
                    -len(each[1].samples),
                ),
            )
        }
        as_across_others((role.columns for role, _ in roles.values()), points)
        # Fits of computation take long and refuse nothing, so they come last.
        computing = {key: self._with_computation(role, table, fitter) for key, (role, table) in roles.items()}
        return Behaviour(arrangement, kind, computing)

    def _fit_all_ranks(self, arrangement: GridRule, fitter: Fitter) -> None:
        """Fit the peers of all ranks, which show more than those of one role."""
        samples = [
            RecordedRank(number, rank)
            for number, of in enumerate(self.recordings)
            for rank in range(of.ranks)
        ]
        at = places_of(samples, self.recordings, arrangement)
        recording = np.array([each.recording for each in samples])
        once = Iterations.once(len(samples))
        every = Samples(at, once, recording, at.ranks, self.recordings, arrangement, fitter)
        for (entry, name), (communicator, places, peers) in self._peers.items():
            rule = None
            if len(places) == len(samples) and len(np.unique(places)) == len(samples):
                rule = fit_partner(every, peers, communicator)
            if rule is not None:
                fitter.peers[f"{entry} {name}"] = rule
            elif are_neighbours(at.only(places), peers):
                fitter.neighbours.add(f"{entry} {name}")

    @cached_property
    def _peers(self) -> dict[tuple[str, str], Peers]:
        return peers_of_sites(self.recordings)

    def _role(
        self, parsed: ParsedRole, arrangement: GridRule, fitter: Fitter, groups: dict[int, Groups]
    ) -> tuple[Role, EventTable]:
        """Return a role whose computation is not known yet, and the calls of its samples. Raises UnfitError."""
        samples, alignment = parsed.samples, self.sequences.align(parsed)
        table = EventTable(self.sequences, samples, alignment, parsed.numbers, arrangement)
        leaves = leaves_of_loops(alignment.top)
        first = first_leaves(alignment.top)
        one_of = [first[loop] for loop in range(0 if self.sequences.multigrid else alignment.loops)]
        sites = [self._calls[call].entry for call in table.call[np.searchsorted(table.leaf, one_of)].tolist()]
        each = table.of_sequences(fitter)
        runs, repeats = self._all_runs(alignment, table, each, sites)
        column_of_leaf, columns = self._columns(table, fitter, groups, repeats)
        if self.sequences.multigrid is None and self.sequences.owners is None:
            columns, column_of_leaf = directed(
                columns, column_of_leaf, [int(each.max()) for each in table.at.extents]
            )
        counts: list[Rule] = [
            self._count(
                each.only(runs[loop].which),
                runs[loop],
                [columns[int(column_of_leaf[leaf])] for leaf in leaves[loop]],
                site,
            )
            if loop in runs
            else self._steps(alignment.counts[loop], table, each, site)
            if loop not in alignment.within
            else self._within(alignment, loop, table, each, site)
            for loop, site in enumerate(sites)
        ]
        like = np.arange(len(column_of_leaf))
        group_of_slot = table.group_of_slot(column_of_leaf)
        if self.sequences.multigrid is not None:
            counts = list(self.sequences.multigrid.counts)
            like, column_of_leaf = self._copied_levels(self.sequences.multigrid, column_of_leaf, columns)
        last = self.recordings[-1]
        role = Role(
            alignment.top,
            column_of_leaf,
            like,
            columns,
            counts,
            table.slots,
            group_of_slot,
            {},
            (),
            Point(last.ranks, arrangement.grid(last.ranks), last.size),
            {},
            None,
            len({each.recording for each in samples}),
        )
        return role, table

    def _all_runs(
        self, alignment: Alignment, table: EventTable, each: Samples, sites: Sequence[str]
    ) -> tuple[dict[int, _Runs], dict[int, list[Repeats]]]:
        """Return how often each loop runs, without ladders, and the rules by which the leaves in them may repeat.

        `sites`: one of the calls of each loop.
        """
        ladders = _ladders(alignment.top)
        leaves = leaves_of_loops(alignment.top)
        runs: dict[int, _Runs] = {}
        repeats: dict[int, list[Repeats]] = {}
        # An unrolled loop leaves many inner ones that run equally often.
        known: dict[tuple[tuple[int, ...], ...], tuple[_Runs, list[Repeats]]] = {}
        for loop, site in enumerate(sites):
            if loop in ladders or loop in alignment.within:
                continue
            key = tuple(map(tuple, alignment.counts[loop]))
            if key not in known:
                run = self._runs(alignment.counts[loop], table, site)
                known[key] = run, [] if run.varies else fit_repeats(each.at.only(run.which), run.times)
            runs[loop], of = known[key]
            if of:
                repeats |= dict.fromkeys(leaves[loop], of)
        return runs, repeats

    @staticmethod
    def _copied_levels(
        multigrid: Multigrid, column_of_leaf: Numbers, columns: list[PlacedCall]
    ) -> tuple[Numbers, Numbers]:
        """Return of each leaf, with those of levels that no recording has, the leaf that it is like and its column.

        New columns are added to `columns`.
        """
        like = np.concatenate(
            [np.arange(len(column_of_leaf)), np.array([leaf for leaf, _ in multigrid.copies], dtype=np.int64)]
        )
        copies = [(int(column_of_leaf[leaf]), factor) for leaf, factor in multigrid.copies]
        new = {each: len(columns) + at for at, each in enumerate(dict.fromkeys(copies))}
        columns += [columns[column].times(factor) for column, factor in new]
        more = np.array([new[each] for each in copies], dtype=np.int64)
        return like, np.concatenate([column_of_leaf, more])

    def _runs(self, counts: Sequence[Sequence[int]], table: EventTable, site: str) -> _Runs:
        """Return how often a loop runs. `counts`: by sequence, each time that it is entered; `site`: one of its calls."""
        entered = [counts[number] for number in table.sequence_of_sample]
        which = np.array([number for number, each in enumerate(entered) if each], dtype=np.int64)
        inside = [each for each in entered if each]
        varies = any(len(set(each)) > 1 for each in inside)
        if varies:
            by_recording: defaultdict[int, set[tuple[int, ...]]] = defaultdict(set)
            for number in which.tolist():
                by_recording[table.samples_of_role[number].recording].add(tuple(entered[number]))
            if any(len(each) > 1 for each in by_recording.values()):
                unfit = UnfitError(site, "its loop runs differently often each time, and on each rank")
                unfit.fitted = 2
                raise unfit
        means = np.array([sum(each) / len(each) for each in inside])
        return _Runs(which, np.array([each[0] for each in inside]), means, varies, inside)

    def _count(self, samples: Samples, runs: _Runs, columns: Sequence[PlacedCall], site: str) -> Rule:
        """Return the rule of how often a loop runs. `columns`: its calls that are in no inner loop."""
        if runs.varies:
            recordings, first = np.unique(samples.recording, return_index=True)
            if len(recordings) > 1 and len(set(map(tuple, runs.entered))) == 1:
                return Turns(tuple(runs.entered[0]))
            return Varying(samples.fitter.iterations(recordings.tolist(), runs.means[first].tolist()), site)
        across = next((found for each in columns if (found := each.across()) is not None), None)
        if across is not None:
            return across.repeats
        peers = _fit_times_by_peers(samples, runs.times, columns)
        if peers is not None:
            return peers
        there = np.array([samples.recordings[number].ranks > 1 for number in samples.recording])
        times = runs.times[there]
        if not runs.times[~there].any() and len(set(times.tolist())) == 1:
            # One rank calls nobody, which is no step of a number that is the same at all other counts.
            return Same(int(times[0]))
        rule = fit_number(samples, runs.times)
        if runs.times.all():
            return self._if_varying(rule, samples, runs.times, site) or rule
        if isinstance(rule, ByCount) and rule.exact():
            return rule
        return fit_appearance(samples, runs.times, site)

    @staticmethod
    def _if_varying(rule: Rule, samples: Samples, times: Numbers, site: str) -> Varying | None:
        """Return the rule of iterations that follow none, such as those of a solver that converges, else None."""
        if not isinstance(rule, Same | ByCount):
            return None
        recordings, first = np.unique(samples.recording, return_index=True)
        series = recordings.tolist(), times[first].astype(float).tolist()
        # It is infinite if a rule may be exact on grids that these recordings do not show.
        error = rule.model.error if isinstance(rule, ByCount) and len(recordings) >= _FEWEST_VARYING else 0.0
        if 0 < error < math.inf or samples.fitter.iterates(*series):
            return Varying(samples.fitter.iterations(*series), site)
        return None

    def _steps(self, counts: Sequence[Sequence[Any]], table: EventTable, each: Samples, site: str) -> Rule:
        """Return the rule of a ladder's steps. `counts`: by sequence, those of each time that it is entered."""
        entered = [counts[number] for number in table.sequence_of_sample]
        which = [number for number, times in enumerate(entered) if times]
        features = self.sequences.ladders.features if self.sequences.ladders else ()
        samples = each.only(np.array(which, dtype=np.int64))
        if self.sequences.owners is not None:
            return fit_owners(samples, [entered[number] for number in which], site)
        return fit_bits(samples, [entered[number] for number in which], site, features)

    @staticmethod
    def _within(alignment: Alignment, loop: int, table: EventTable, each: Samples, site: str) -> Rule:
        """Return the rule of how often a loop in the steps of a ladder runs."""
        ladder, entered = alignment.within[loop]
        numbers = table.sequence_of_sample
        counts = [alignment.counts[loop][number] for number in numbers]
        totals = np.array([len(alignment.counts[ladder][number][0]) for number in numbers])
        which = np.repeat(np.arange(len(counts)), [len(of) for of in counts])
        steps = np.concatenate([np.array(entered[number], dtype=np.int64) for number in numbers])
        samples = each.only(which)._replace(steps=Iterations(steps, totals[which]))
        rule = fit_number(samples, np.concatenate([np.array(of, dtype=np.int64) for of in counts]))
        recordings = np.unique(each.recording)
        lengths = [float(totals[each.recording == number][0]) for number in recordings]
        return ByStepOf(rule, each.fitter.fit(recordings.tolist(), lengths))

    def _columns(
        self, table: EventTable, fitter: Fitter, groups: dict[int, Groups], repeats: dict[int, list[Repeats]]
    ) -> tuple[Numbers, list[PlacedCall]]:
        starts = np.flatnonzero(np.diff(table.leaf, prepend=-1))
        ends = np.append(starts[1:], len(table.leaf))
        # Leaves whose samples are the same calls get one column.
        generator = np.random.default_rng(1)
        place = np.arange(len(table.leaf)) - np.repeat(starts, ends - starts)
        weights = generator.integers(1, 2**63, size=int(place.max()) + 1, dtype=np.uint64)
        mixed = weights[place] * (table.call.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1))
        hashes = np.add.reduceat(mixed, starts) + (ends - starts).astype(np.uint64)
        on_level = self.sequences.multigrid.on_level if self.sequences.multigrid else [None] * len(starts)
        known = {each: number for number, each in enumerate(dict.fromkeys(map(_frozen, on_level)))}
        hashes += np.array([known[_frozen(each)] for each in on_level], dtype=np.uint64)
        _, first, column_of_leaf = np.unique(hashes, return_index=True, return_inverse=True)
        # Peers are what wrong assumptions fail at, so they come first, and then what most recordings show.
        shown = [table.recordings_of(slice(int(starts[leaf]), int(ends[leaf]))) for leaf in first.tolist()]
        hardest = sorted(
            range(len(first)),
            key=lambda each: (self._ease(int(table.call[starts[first[each]]])), -shown[each]),
        )
        columns: dict[int, PlacedCall] = {}
        for number in hardest:
            leaf = int(first[number])
            part = slice(int(starts[leaf]), int(ends[leaf]))
            try:
                columns[number] = ColumnFit(
                    table.samples(part, fitter),
                    self._calls,
                    table.call[part],
                    groups,
                    repeats.get(leaf, []),
                    on_level[leaf],
                ).placed()
            except UnfitError as error:
                error.fitted = 2 + len(columns)
                raise
        return column_of_leaf.astype(np.int64), [columns[number] for number in range(len(first))]

    def _ease(self, call: int) -> int:
        fields = self._calls[call].fields
        return 0 if "peer" in fields and fields["peer"] > 0 else 1 if "members" in fields else 2

    def _with_computation(self, role: Role, table: EventTable, fitter: Fitter) -> Role:
        group = role.group_of_slot[table.slot]
        of = np.array([each.recording for each in table.samples_of_role])[table.sample]
        shape = (len(self.recordings), int(group.max()) + 1)
        cell = of * shape[1] + group
        times = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        sums = np.bincount(cell, table.compute, shape[0] * shape[1]).reshape(shape)
        # A slot of one recording only grows as an event of all ranks does on average.
        mean = fitter.smooth(range(len(self.recordings)), self._mean_compute)
        ranks = np.bincount([each.recording for each in table.samples_of_role], minlength=shape[0])
        models, whole = {}, []
        for place in np.flatnonzero(sums.any(axis=0)).tolist():
            known = np.flatnonzero(times[:, place])
            values = sums[known, place] / times[known, place]
            models[place] = fitter.smooth(known.tolist(), values) if len(known) > 1 else mean
            if models[place].error and len(known) > 1:
                # If only the first iteration of a loop computes, the mean of all follows no curve.
                total = fitter.smooth(known.tolist(), sums[known, place] / ranks[known])
                if total.error < models[place].error / 2:
                    models[place] = total
                    whole.append(place)
        last = len(self.recordings) - 1
        slots = len(role.group_of_slot)
        # A slot that the rank never filled has the mean of other ranks: of the largest recording, or else of some.
        means = np.zeros(slots)
        for some in (np.ones_like(of, dtype=bool), of == last):
            filled = np.bincount(table.slot[some], minlength=slots)
            seconds = np.bincount(table.slot[some], table.compute[some], slots)
            means = np.where(filled, seconds / np.maximum(filled, 1), means)
        totals = np.zeros(len(role.like), dtype=np.int64)
        totals[table.leaf[of == last]] = table.steps[of == last]
        events = {}
        for number, each in enumerate(table.samples_of_role):
            if each.recording != last:
                continue
            mine = np.flatnonzero(table.sample == number)
            missing = np.setdiff1d(np.arange(slots), table.slot[mine])
            slot = np.concatenate([table.slot[mine], missing])
            order = np.argsort(slot, kind="stable")
            events[each.rank] = Events(
                np.searchsorted(slot[order], np.arange(slots + 1)),
                np.concatenate([table.compute[mine], means[missing]])[order],
                np.concatenate([table.durations[mine], np.zeros(len(missing))])[order],
                np.concatenate([table.has_cpu[mine], np.ones(len(missing), dtype=bool)])[order],
                np.concatenate([table.step[mine], np.zeros(len(missing), dtype=np.int64)])[order],
            )
        if not totals.any():
            return role._replace(compute=models, whole=whole, models=events)
        here = np.flatnonzero((of == last) & (totals[table.leaf] > 0))
        keys, at = np.unique(InSteps.key(table.slot[here], table.step[here]), return_inverse=True)
        in_steps = InSteps(keys, np.bincount(at, table.compute[here]) / np.bincount(at), totals)
        return role._replace(compute=models, whole=whole, models=events, in_steps=in_steps)


def _frozen(on_level: OnLevel | None) -> object:
    return on_level and (on_level.levels, on_level.peers, tuple(on_level.faces.items()))


def _fit_times_by_peers(samples: Samples, times: Numbers, columns: Sequence[PlacedCall]) -> Rule | None:
    """Return the rule of a loop over peers, or over requests for them. `columns`: its calls."""
    around = next((found for each in columns if (found := each.around()) is not None), None)
    if around is not None:
        return PerNeighbour(around, 1)
    for dimension in {at for each in columns for at in each.doubled()}:
        if (levels := fit_levels_along(samples.at, times, dimension)) is not None:
            return levels
    # A collective in each of log p steps would fit too: in a torus of 8, 16, 32 or 64 ranks each has log p neighbours.
    over_requests = not any("comm" in each.rules for each in columns)
    along = {at for each in columns for at in each.moved()}
    return (fit_neighbours(samples, times) if over_requests else None) or fit_others(samples.at, times, along)


def _ladders(items: Sequence[Item]) -> dict[int, list[int]]:
    """Return the leaves of each ladder that are in no loop inside it."""
    found: dict[int, list[int]] = {}
    for item in items:
        if isinstance(item, Ladder):
            found[item.number] = [leaf for body in item.bodies for leaf in body if isinstance(leaf, int)]
        elif isinstance(item, Loop):
            found |= _ladders(item.body)
    return found
