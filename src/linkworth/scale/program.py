"""Builds the behaviour of a program from its recordings."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from linkworth.scale.align.folding import (
    Alignment,
    Grammar,
    Item,
    Ladder,
    Loop,
    Mismatch,
    Parse,
    align,
    first_leaves,
    fold,
    leaves_of_loops,
    parse,
)
from linkworth.scale.align.ladders import Ladders, Tokens, fit_bits, symbol_of
from linkworth.scale.align.merging import merge
from linkworth.scale.align.multigrid import Multigrid
from linkworth.scale.align.owners import ByStepOf, Owners, fit_owners
from linkworth.scale.behaviour import SLOT_BITS, SLOT_MASK, Behaviour, Events, InSteps, Key, Role, slot_codes
from linkworth.scale.fit.around import fit_neighbours
from linkworth.scale.fit.columns import ColumnFit, PlacedCall
from linkworth.scale.fit.dimensions import Repeats, fit_repeats
from linkworth.scale.fit.levels import OnLevel
from linkworth.scale.fit.members import Groups
from linkworth.scale.fit.numbers import Fitter
from linkworth.scale.fit.partners import Peers, are_neighbours, fit_partner, peers_of_sites
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rings import directed
from linkworth.scale.fit.rules import ByCount, Rule, Samples, UnfitError, Varying, fit_appearance, fit_number
from linkworth.scale.grids import (
    SHARES,
    GridRule,
    Position,
    are_groups,
    first_of_others,
    kind_of_groups,
    kind_of_share,
    positions,
    role_keys,
)
from linkworth.scale.points import Point
from linkworth.scale.recording import Alphabet, Call, Numbers, Recording, Times

MANY_RANKS = 12
_SMALLEST_GROUP = 3
"""Even and odd ranks are a kind of their own."""
MOST_MERGED = 3
"""Sequences of one role for each recording, if they may lack parts of each other."""


class _Runs(NamedTuple):
    """Iterations of a loop."""

    which: Numbers
    """Samples that enter it; the other fields have one value for each."""
    times: Numbers
    means: Times
    varies: bool
    """It runs differently often each time that it is entered, though equally on all ranks."""


class _Sample(NamedTuple):
    recording: int
    rank: int


class Builder:
    """Builds programs under different assumptions about grid and roles."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        alphabet: Alphabet,
        ladders: Ladders | None,
        multigrid: Multigrid | None,
        owners: Owners | None,
        *,
        weak: bool,
        merging: bool,
        folding: bool,
    ) -> None:
        """Prepare to build.

        `merging`: a sequence may lack parts that another one has. `folding`: keep loops that always run equally often.
        """
        self.merging = merging
        self.folding = folding
        self.recordings = list(recordings)
        self.alphabet = alphabet
        self.weak = weak
        self.ladders = ladders
        self.multigrid = multigrid
        self.owners = owners
        stepped = ladders or owners
        self._symbols = (
            stepped.codes
            if stepped
            else [
                [self.alphabet.of_recording[number][each.calls] for each in recording.sequences]
                for number, recording in enumerate(self.recordings)
            ]
        )
        # Ranks on ladders of different heights do not call alike.
        self._texts = [
            [each.tobytes() + (b"%d" % recording.ranks if stepped else b"") for each in of]
            for recording, of in zip(self.recordings, self._symbols, strict=True)
        ]
        self._grammars: dict[bytes, Grammar] = {}
        self._tokens: dict[bytes, Tokens] = {}
        self._alignments: dict[tuple[bytes, ...], Alignment | UnfitError] = {}
        self._unfits: dict[tuple[bytes, bytes], UnfitError | None] = {}
        self._mean_compute = np.array(
            [
                sum(float(each.compute.sum()) for each in of.sequences)
                / max(sum(len(each.calls) for each in of.sequences), 1)
                for of in self.recordings
            ]
        )
        self._calls: list[Call] = []
        self._first_call = []
        for recording in self.recordings:
            self._first_call.append(len(self._calls))
            self._calls += recording.calls

    def possible(self) -> bool:
        """Return whether there may be a program: not if no two of many ranks call alike, so that there are no roles."""
        if self.ladders is not None:
            return self.ladders.found()
        if self.multigrid is not None:
            return self.multigrid.found()
        if self.owners is not None:
            return self.owners.found()
        largest = self._texts[-1]
        return not self.merging or len(largest) < MANY_RANKS or len(set(largest)) < len(largest)

    def kinds_of_groups(self) -> Iterator[int]:
        """Yield kinds of roles of groups in which ranks call alike: those of a node, or those that run one of two models."""
        most = min(len(self._texts[0]), len(self._texts[-1]) // 2)
        for size in range(_SMALLEST_GROUP, most + 1):
            if all(len(of) % size == 0 and of[size:] == of[:-size] for of in self._texts):
                if len(set(self._texts[0])) > 1:
                    yield kind_of_groups(size)
                break
        for share in range(len(SHARES)):
            firsts = [int(first_of_others(share, np.array(len(of)))) for of in self._texts]
            parts = [(of[1:first], of[first + 1 :]) for of, first in zip(self._texts, firsts, strict=True)]
            # They differ from rank 0 and the others.
            differ = len(set(self._texts[-1][1:])) > 1
            if min(firsts) and differ and all(len(set(part)) <= 1 for both in parts for part in both):
                yield kind_of_share(share)

    def align(
        self, arrangement: GridRule, kind: int, wanted: set[Key]
    ) -> dict[Key, tuple[list[_Sample], tuple[Alignment, dict[bytes, int]]]]:
        """Align the ranks of every role. Raises UnfitError for the first call that does not align."""
        samples: defaultdict[Key, list[_Sample]] = defaultdict(list)
        for number, recording in enumerate(self.recordings):
            at = positions(
                np.arange(recording.ranks, dtype=np.int64), recording.ranks, arrangement.grid(recording.ranks)
            )
            for rank, key in enumerate(role_keys(kind, at)):
                samples[key].append(_Sample(number, rank))
        last = len(self.recordings) - 1
        for key in wanted:
            if not any(each.recording == last for each in samples.get(key, [])):
                raise UnfitError("ranks", "the new count has roles that the largest recording lacks")
        used = {each.recording for key in wanted for each in samples[key]}
        for number, recording in enumerate(self.recordings):
            if number not in used:
                raise UnfitError(
                    "ranks", f"the recording on {recording.ranks} has none of the roles at the new count"
                )
        if self.multigrid is not None:
            on_levels = self.multigrid.align(arrangement)
            self._texts = self.multigrid.texts
        return {
            key: (samples[key], on_levels if self.multigrid else self._align(samples[key]))
            for key in sorted(wanted, key=lambda key: (-len(self._different(samples[key])), key))
        }

    def build(self, arrangement: GridRule, kind: int, wanted: set[Key]) -> Behaviour:
        """Return the program. `wanted`: roles at the new count. Raises UnfitError for the first call that does not fit."""
        # Alignment is quick and fits are not, so every role is aligned before any is fitted.
        aligned = self.align(arrangement, kind, wanted)
        points = [
            Point(recording.ranks, arrangement.grid(recording.ranks), recording.size)
            for recording in self.recordings
        ]
        fitter = Fitter(points, weak=self.weak, grouped=are_groups(kind))
        groups = {number: Groups(point) for number, point in enumerate(points)}
        if len(aligned) > 1:
            self._fit_all_ranks(arrangement, fitter)
        roles = {
            key: self._role(of, alignment, arrangement, fitter, groups)
            for key, (of, alignment) in sorted(
                aligned.items(),
                key=lambda each: (-len({sample.recording for sample in each[1][0]}), -len(each[1][0])),
            )
        }
        # Fits of computation take long and refuse nothing, so they come last.
        computing = {key: self._with_computation(role, table, fitter) for key, (role, table) in roles.items()}
        return Behaviour(arrangement, kind, computing)

    def _fit_all_ranks(self, arrangement: GridRule, fitter: Fitter) -> None:
        """Fit the peers of all ranks, which show more than those of one role."""
        samples = [
            _Sample(number, rank) for number, of in enumerate(self.recordings) for rank in range(of.ranks)
        ]
        at = _where(samples, self.recordings, arrangement)
        steps = Iterations(np.zeros(len(samples), dtype=np.int64), np.ones(len(samples), dtype=np.int64))
        recording = np.array([each.recording for each in samples])
        every = Samples(at, steps, recording, at.ranks, self.recordings, arrangement, fitter)
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

    def _different(self, samples: Sequence[_Sample]) -> dict[bytes, _Sample]:
        """Return the different sequences of a role, each with a rank that has it."""
        texts: dict[bytes, _Sample] = {}
        for each in samples:
            texts.setdefault(self._texts[each.recording][each.rank], each)
        return texts

    def _align(self, samples: Sequence[_Sample]) -> tuple[Alignment, dict[bytes, int]]:
        """Align the different sequences of a role; which one a sample has is in the dictionary."""
        texts = self._different(samples)
        numbers = {text: number for number, text in enumerate(texts)}
        known = self._alignments.get(tuple(texts))
        if isinstance(known, UnfitError):
            raise known
        if known is not None:
            return known, numbers
        if self.owners is not None:
            return self._align_owners(self.owners, texts), numbers
        ladders = self.ladders
        if ladders:
            tokens = [self._tokens_of(ladders, text, each) for text, each in texts.items()]
            sequences = [each.symbols for each in tokens]
        else:
            sequences = [self._symbols[each.recording][each.rank].tolist() for each in texts.values()]
        lengths = [len(each) for each in sequences]
        grammar, parses = Grammar(tuple(sequences[0]), []), dict[bytes, Parse]()
        if len(texts) > 1 or self.folding:
            try:
                grammar, parses = self._grammar(texts, sequences)
            except UnfitError as error:
                self._alignments[tuple(texts)] = error
                raise
        found = align(
            [parses.get(text) or parse(grammar, each) for text, each in zip(texts, sequences, strict=True)],
            lengths,
            unrolled=not self.folding,
        )
        if ladders:
            found = ladders.expanded(found, tokens)
        self._alignments[tuple(texts)] = found
        return found, numbers

    def _align_owners(self, owners: Owners, texts: dict[bytes, _Sample]) -> Alignment:
        sequences = [self._symbols[each.recording][each.rank] for each in texts.values()]
        try:
            found = owners.align(sequences, [each.recording for each in texts.values()])
        except Mismatch:
            unfit = UnfitError("calls", "the steps that ranks own have other calls at each count")
        except UnfitError as error:
            unfit = error
        else:
            self._alignments[tuple(texts)] = found
            return found
        self._alignments[tuple(texts)] = unfit
        raise unfit

    def _tokens_of(self, ladders: Ladders, text: bytes, sample: _Sample) -> Tokens:
        if text not in self._tokens:
            codes = self._symbols[sample.recording][sample.rank].tolist()
            self._tokens[text] = ladders.tokens(codes, self.recordings[sample.recording].ranks)
        return self._tokens[text]

    def _grammar(
        self, texts: dict[bytes, _Sample], sequences: Sequence[list[int]]
    ) -> tuple[Grammar, dict[bytes, Parse]]:
        """Return a grammar of all sequences, and those that it has parsed with it.

        It is that of the longest, or one that has what the others have as well.
        """
        # The longest first: what they have in common with the next is the most.
        known = sorted(
            zip(texts.items(), sequences, strict=True), key=lambda each: len(each[1]), reverse=True
        )
        (longest, _), sequence = known[0]
        may_merge = self.merging and len(known) <= MOST_MERGED * len(self.recordings)
        if not may_merge:
            # A call that the longest never makes is found without folding.
            made = set(sequence)
            for (_, sample), other in known:
                for position, symbol in enumerate(other):
                    if symbol not in made:
                        raise self._misplaced(sample, other, position)
        grammar = self._folded(longest, sequence)
        parses: dict[bytes, Parse] = {}
        merged = False
        for (text, sample), sequence in known:
            if merged or (longest, text) not in self._unfits:
                parsed = self._parsed(grammar, sample, sequence, strict=may_merge)
                unfit = parsed if isinstance(parsed, UnfitError) else None
                if not merged:
                    self._unfits[longest, text] = unfit
                if not isinstance(parsed, UnfitError):
                    parses[text] = parsed
            else:
                unfit = self._unfits[longest, text]
            if unfit is None:
                continue
            both = None
            if may_merge:
                both = merge(grammar, self._folded(text, sequence))
            if both is None:
                lax = self._parsed(grammar, sample, sequence, strict=False) if may_merge else unfit
                if isinstance(lax, UnfitError):
                    raise lax
                continue
            grammar, merged = both, True
        for (text, sample), sequence in known if merged else ():
            parsed = self._parsed(grammar, sample, sequence, strict=False)
            if isinstance(parsed, UnfitError):
                raise parsed
            parses[text] = parsed
        return grammar, parses

    def _folded(self, text: bytes, sequence: list[int]) -> Grammar:
        found = self._grammars.get(text)
        if found is None:
            found = self._grammars[text] = fold(sequence)
        return found

    def _parsed(
        self, grammar: Grammar, sample: _Sample, sequence: list[int], *, strict: bool
    ) -> Parse | UnfitError:
        """Return a sequence as the grammar reads it, or the error if the grammar does not describe it."""
        try:
            return parse(grammar, sequence, strict=strict)
        except Mismatch as error:
            return self._misplaced(sample, sequence, error.position)

    def _misplaced(self, sample: _Sample, sequence: list[int], position: int) -> UnfitError:
        unfit = UnfitError(
            self.alphabet.names[symbol_of(sequence[position])],
            f"call {position + 1} of rank {sample.rank} of {self.recordings[sample.recording].ranks} is not where the "
            "largest recording has it",
        )
        unfit.fitted = 1
        return unfit

    def _role(
        self,
        samples: Sequence[_Sample],
        aligned: tuple[Alignment, dict[bytes, int]],
        arrangement: GridRule,
        fitter: Fitter,
        groups: dict[int, Groups],
    ) -> tuple[Role, "_Table"]:
        """Return a role whose computation is not known yet, and the calls of its samples. Raises UnfitError."""
        alignment, numbers = aligned
        table = _Table(self, samples, alignment, numbers, arrangement)
        leaves = leaves_of_loops(alignment.top)
        first = first_leaves(alignment.top)
        one_of = [first[loop] for loop in range(0 if self.multigrid else alignment.loops)]
        sites = [self._calls[call].entry for call in table.call[np.searchsorted(table.leaf, one_of)].tolist()]
        each = table.of_sequences(fitter)
        ladders = _ladders(alignment.top)
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
        column_of_leaf, columns = self._columns(table, fitter, groups, repeats)
        if self.ladders is None and self.multigrid is None and self.owners is None:
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
        if self.multigrid is not None:
            counts = list(self.multigrid.counts)
            like = np.concatenate(
                [like, np.array([leaf for leaf, _ in self.multigrid.copies], dtype=np.int64)]
            )
            copies = [(int(column_of_leaf[leaf]), factor) for leaf, factor in self.multigrid.copies]
            new = {each: len(columns) + at for at, each in enumerate(dict.fromkeys(copies))}
            columns += [columns[column].times(factor) for column, factor in new]
            more = np.array([new[each] for each in copies], dtype=np.int64)
            column_of_leaf = np.concatenate([column_of_leaf, more])
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
            Point(last.ranks, arrangement.grid(last.ranks), last.size),
            {},
            None,
            len({each.recording for each in samples}),
        )
        return role, table

    def _runs(self, counts: Sequence[Sequence[int]], table: "_Table", site: str) -> "_Runs":
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
        return _Runs(which, np.array([each[0] for each in inside]), means, varies)

    def _count(self, samples: Samples, runs: "_Runs", columns: Sequence[PlacedCall], site: str) -> Rule:
        """Return the rule of how often a loop runs. `columns`: its calls that are in no inner loop."""
        if runs.varies:
            recordings, first = np.unique(samples.recording, return_index=True)
            means = runs.means[first]
            # Only a steady trend goes on; the rest is the data's.
            if not ((np.diff(means) > 0).all() or (np.diff(means) < 0).all()):
                means = np.full_like(means, means.mean())
            return Varying(samples.fitter.smooth(recordings.tolist(), means), site)
        across = next((found for each in columns if (found := each.across()) is not None), None)
        if across is not None:
            return across.repeats
        neighbours = fit_neighbours(samples, runs.times)
        if neighbours is not None:
            return neighbours
        rule = fit_number(samples, runs.times)
        if runs.times.all() or (isinstance(rule, ByCount) and rule.exact()):
            return rule
        return fit_appearance(samples, runs.times, site)

    def _steps(self, counts: Sequence[Sequence[Any]], table: "_Table", each: Samples, site: str) -> Rule:
        """Return the rule of a ladder's steps. `counts`: by sequence, those of each time that it is entered."""
        entered = [counts[number] for number in table.sequence_of_sample]
        which = [number for number, times in enumerate(entered) if times]
        features = self.ladders.features if self.ladders else ()
        samples = each.only(np.array(which, dtype=np.int64))
        if self.owners is not None:
            return fit_owners(samples, [entered[number] for number in which], site)
        return fit_bits(samples, [entered[number] for number in which], site, features)

    @staticmethod
    def _within(alignment: Alignment, loop: int, table: "_Table", each: Samples, site: str) -> Rule:
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
        self, table: "_Table", fitter: Fitter, groups: dict[int, Groups], repeats: dict[int, list[Repeats]]
    ) -> tuple[Numbers, list[PlacedCall]]:
        starts = np.flatnonzero(np.diff(table.leaf, prepend=-1))
        ends = np.append(starts[1:], len(table.leaf))
        # Leaves whose samples are the same calls get one column.
        generator = np.random.default_rng(1)
        place = np.arange(len(table.leaf)) - np.repeat(starts, ends - starts)
        weights = generator.integers(1, 2**63, size=int(place.max()) + 1, dtype=np.uint64)
        mixed = weights[place] * (table.call.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1))
        hashes = np.add.reduceat(mixed, starts) + (ends - starts).astype(np.uint64)
        on_level = self.multigrid.on_level if self.multigrid else [None] * len(starts)
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

    def _with_computation(self, role: Role, table: "_Table", fitter: Fitter) -> Role:
        group = role.group_of_slot[table.slot]
        of = np.array([each.recording for each in table.samples_of_role])[table.sample]
        shape = (len(self.recordings), int(group.max()) + 1)
        cell = of * shape[1] + group
        times = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        sums = np.bincount(cell, table.compute, shape[0] * shape[1]).reshape(shape)
        # A slot of one recording only grows as an event of all ranks does on average.
        mean = fitter.smooth(range(len(self.recordings)), self._mean_compute)
        models = {}
        for place in np.flatnonzero(sums.any(axis=0)).tolist():
            known = np.flatnonzero(times[:, place])
            values = sums[known, place] / times[known, place]
            models[place] = fitter.smooth(known.tolist(), values) if len(known) > 1 else mean
        last = len(self.recordings) - 1
        slots = len(role.group_of_slot)
        # A slot that the rank never filled has the mean of other ranks: of the largest recording, or else of some.
        means = np.zeros(slots)
        for some in (np.ones_like(of, dtype=bool), of == last):
            times = np.bincount(table.slot[some], minlength=slots)
            sums = np.bincount(table.slot[some], table.compute[some], slots)
            means = np.where(times, sums / np.maximum(times, 1), means)
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
            return role._replace(compute=models, models=events)
        here = np.flatnonzero((of == last) & (totals[table.leaf] > 0))
        keys, at = np.unique(InSteps.key(table.slot[here], table.step[here]), return_inverse=True)
        in_steps = InSteps(keys, np.bincount(at, table.compute[here]) / np.bincount(at), totals)
        return role._replace(compute=models, models=events, in_steps=in_steps)


def _frozen(on_level: OnLevel | None) -> object:
    return on_level and (on_level.levels, on_level.peers, tuple(on_level.faces.items()))


def _ladders(items: Sequence[Item]) -> dict[int, list[int]]:
    """Return the leaves of each ladder that are in no loop inside it."""
    found: dict[int, list[int]] = {}
    for item in items:
        if isinstance(item, Ladder):
            found[item.number] = [leaf for body in item.bodies for leaf in body if isinstance(leaf, int)]
        elif isinstance(item, Loop):
            found |= _ladders(item.body)
    return found


class _Table:
    """All events of a role's samples, by leaf."""

    def __init__(
        self,
        builder: Builder,
        samples: Sequence[_Sample],
        alignment: Alignment,
        numbers: dict[bytes, int],
        arrangement: GridRule,
    ) -> None:
        self.samples_of_role = list(samples)
        self._recording = np.array([each.recording for each in samples], dtype=np.int64)
        self.arrangement = arrangement
        self.recordings = builder.recordings
        self.sequence_of_sample = [numbers[builder._texts[each.recording][each.rank]] for each in samples]
        sequences = [self.recordings[each.recording].sequences[each.rank] for each in samples]
        self._leaf_of = [alignment.leaf_of[number] for number in self.sequence_of_sample]
        leaf = np.concatenate(self._leaf_of)
        self._order = order = np.argsort(leaf, kind="stable")
        self.leaf = leaf[order]

        def gathered(parts: list[Numbers]) -> Numbers:
            return np.concatenate(parts)[order]

        self.sample = gathered(
            [np.full(len(each.calls), number, dtype=np.int64) for number, each in enumerate(sequences)]
        )
        self.call = gathered(
            [
                each.calls + builder._first_call[sample.recording]
                for each, sample in zip(sequences, samples, strict=True)
            ]
        )
        self.iteration = gathered([alignment.iteration[number] for number in self.sequence_of_sample])
        self.iterations = gathered([alignment.iterations[number] for number in self.sequence_of_sample])
        self.step = self.steps = np.zeros_like(self.iteration)
        if alignment.steps:
            self.step = gathered([alignment.step[number] for number in self.sequence_of_sample])
            self.steps = gathered([alignment.steps[number] for number in self.sequence_of_sample])
        self._sequences = sequences
        self.at = _where(samples, self.recordings, arrangement)

    # Most programs are refused before slots and times are used.

    @cached_property
    def _slots(self) -> tuple[Numbers, Numbers]:
        slots, slot = np.unique(np.concatenate(list(map(slot_codes, self._leaf_of))), return_inverse=True)
        return slots, slot[self._order]

    @property
    def slots(self) -> Numbers:
        """Return the different slots."""
        return self._slots[0]

    @property
    def slot(self) -> Numbers:
        """Return the number of each event's slot."""
        return self._slots[1]

    @cached_property
    def compute(self) -> Times:
        """Return the computation before each event."""
        return np.concatenate([each.compute for each in self._sequences])[self._order]

    @cached_property
    def durations(self) -> Times:
        """Return how long each event took."""
        return np.concatenate([each.durations for each in self._sequences])[self._order]

    @cached_property
    def has_cpu(self) -> npt.NDArray[np.bool_]:
        """Return whether the computation is in CPU time."""
        return np.concatenate([each.has_cpu for each in self._sequences])[self._order]

    def group_of_slot(self, column_of_leaf: Numbers) -> Numbers:
        """Return slots whose computation is fitted together: the same call after the same call."""
        columns = np.append(column_of_leaf, -1)
        before, leaf = columns[(self.slots >> SLOT_BITS) - 1], column_of_leaf[self.slots & SLOT_MASK]
        return np.unique(before * (int(column_of_leaf.max()) + 2) + leaf, return_inverse=True)[1]

    def recordings_of(self, part: slice) -> int:
        """Return the number of recordings that have some events."""
        return len(np.unique(self._recording[self.sample[part]]))

    def samples(self, part: slice, fitter: Fitter) -> Samples:
        """Return the samples of some events."""
        outer = None
        if (self.steps[part] > 0).all() and (self.steps[part] != self.iterations[part]).any():
            outer = Iterations(self.step[part], self.steps[part])
        steps = Iterations(self.iteration[part], self.iterations[part], outer)
        return self._samples(self.sample[part], steps, fitter)

    def of_sequences(self, fitter: Fitter) -> Samples:
        """Return one sample for each sequence."""
        count = len(self.samples_of_role)
        steps = Iterations(np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64))
        return self._samples(np.arange(count), steps, fitter)

    def _samples(self, which: Numbers, steps: Iterations, fitter: Fitter) -> Samples:
        at = self.at.only(which)
        return Samples(at, steps, self._recording[which], at.ranks, self.recordings, self.arrangement, fitter)


def _where(samples: Sequence[_Sample], recordings: Sequence[Recording], arrangement: GridRule) -> Position:
    parts = [
        positions(
            np.array([each.rank], dtype=np.int64),
            recordings[each.recording].ranks,
            arrangement.grid(recordings[each.recording].ranks),
        )
        for each in samples
    ]
    dimensions = range(arrangement.dimensions)
    return Position(
        np.concatenate([part.ranks for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        [np.concatenate([part.coordinates[d] for part in parts]) for d in dimensions],
        [np.concatenate([part.extents[d] for part in parts]) for d in dimensions],
    )
