"""Rules for the fields of calls that correspond to one another."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.around import Around, NextAround, fit_around, fit_by_offset, fit_neighbours
from linkworth.scale.fit.dimensions import Across, Repeats, fit_across, fit_by_dimension, fit_repeats
from linkworth.scale.fit.levels import Faces, OnLevel, Strided
from linkworth.scale.fit.members import RANKS, Colour, Groups, Order, candidates, orders
from linkworth.scale.fit.number_rules import fit_at_root, fit_number, fit_others
from linkworth.scale.fit.partners import (
    Partner,
    Rounds,
    fit_neighbour,
    fit_on_own_grid,
    fit_partner,
    fit_rounds,
)
from linkworth.scale.fit.rules import (
    ByCount,
    Completed,
    Copied,
    Each,
    Latest,
    Ranks,
    Rule,
    Same,
    Samples,
    UnfitError,
    rules_within,
)
from linkworth.scale.fit.tags import fit_tag
from linkworth.scale.fit.vectors import Even, Parts, fit_vector
from linkworth.scale.recording import Call, Numbers, is_of_neighbours

_PEERS = {"peer", "recv_peer", "actual_peer"}
_PEER_OF_TAG = {"tag": "peer", "recv_tag": "recv_peer"}
SIZES = {"bytes", "recv_bytes"}
_MOST_SPREAD = 0.5
"""Standard deviation over the mean."""
_NEIGHBOURS = {"sources", "destinations"}
_COUNTS = {"send_counts", "recv_counts"}
_TOTALS = {"bytes": "send_counts", "recv_bytes": "recv_counts"}


class Members(NamedTuple):
    """Members of a new communicator, or of the group of an epoch of one-sided calls."""

    colour: Colour
    between: bool
    """It is between these and all other ranks."""
    order: Order = RANKS

    def of(self, groups: Groups, rank: int) -> list[int]:
        """Return them for one rank."""
        return groups.of(self.colour, rank, self.order)

    def place(self, members: list[int], rank: int) -> int:
        """Return a rank's number among them."""
        return bisect_left(members, rank) if self.order == RANKS else members.index(rank)

    def remote(self, groups: Groups, rank: int) -> list[int]:
        """Return the other ranks for one rank, if it is between these."""
        return groups.others(self.colour, rank) if self.between else []


class Total(NamedTuple):
    """The sum of a list."""

    of: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [sum(each) for each in self.of.values(ranks)]


class PlacedCall(NamedTuple):
    """A call at one place of a role's sequence, or at several where it is the same."""

    entry: str
    call_class: str
    rules: dict[str, Rule]
    members: Members | None
    looped: bool
    """True if it is in a loop that runs differently often, and some field may depend on the iteration."""

    def calls(self, ranks: Ranks, groups: Groups) -> list[tuple[str, str, dict[str, Any]]]:
        """Return the call of each rank."""
        columns = {name: rule.values(ranks) for name, rule in self.rules.items()}
        out = []
        for number, rank in enumerate(ranks.at.ranks.tolist()):
            fields = {name: values[number] for name, values in columns.items()}
            if any(fields.get(name, 0) < 0 for name in SIZES):
                raise UnfitError(self.entry, "its sizes would be negative")
            if self.members is not None:
                fields["members"] = self.members.of(groups, rank)
                if "new_comm" in fields:
                    fields["remote_members"] = self.members.remote(groups, rank)
            out.append((self.entry, self.call_class, fields))
        return out

    def fixed(self, name: str) -> int:
        """Return a field that never differs."""
        rule = self.rules[name]
        if not isinstance(rule, Same):
            raise UnfitError(self.entry, f"its {_word(name)} differ")
        return int(rule.value)

    def copied(self) -> bool:
        """Return whether some field depends on data."""
        return any(
            isinstance(each, Copied | Rounds) for rule in self.rules.values() for each in rules_within(rule)
        )

    def times(self, factor: float) -> "PlacedCall":
        """Return the same on a level with so many times the points."""
        rules = {
            name: rule.times(factor) if isinstance(rule, Strided | Faces) else rule
            for name, rule in self.rules.items()
        }
        return self._replace(rules=rules)

    def across(self) -> Across | None:
        """Return the peer that is across another dimension in each iteration, if there is one."""
        return next((rule for rule in self.rules.values() if isinstance(rule, Across)), None)

    def moved(self) -> list[int]:
        """Return the dimensions along which its peers are elsewhere."""
        return [at for rule in self.rules.values() if isinstance(rule, Partner) for at in rule.moved()]

    def doubled(self) -> list[int]:
        """Return the dimensions along which its peers are twice, or half, as far away in each step."""
        return [at for rule in self.rules.values() if isinstance(rule, Partner) for at in rule.doubled()]

    def around(self) -> Around | None:
        """Return the list whose neighbours are the peers in turn, if there is one."""
        return next((rule.around for rule in self.rules.values() if isinstance(rule, NextAround)), None)


class ColumnFit:
    """Fit of the fields of one call, in their order, since the size of a message may follow its peer."""

    def __init__(
        self,
        samples: Samples,
        calls: Sequence[Call],
        which: Numbers,
        groups: dict[int, Groups],
        loops: Sequence[Repeats],
        on_level: OnLevel | None,
    ) -> None:
        """`which`: number of each sample's call; `loops`: what its loop may be."""
        self._first = calls[int(which[0])]
        used, self._place = np.unique(which, return_inverse=True)
        self._distinct = [calls[number] for number in used.tolist()]
        self._samples = samples
        self._groups = groups
        self._loops = loops
        self._on_level = on_level
        # A number that never differs in few recordings may still do so in those where other roles have it.
        self._fewer = len(np.unique(samples.recording)) < len(samples.recordings)
        self._rules: dict[str, Rule] = {}
        self._members: Members | None = None
        self._turning: Across | None = None
        self._neighbour: NextAround | None = None
        self._elsewhere: Partner | None = None
        """The peer on a grid that is not the program's."""

    def placed(self) -> PlacedCall:
        """Return the call with a rule for every field. Raises UnfitError."""
        for name, value in self._first.fields.items():
            self._fit(name, value)
        for name, of in _TOTALS.items():
            counts = self._rules.get(of)
            if isinstance(counts, Each | Even | Parts) and all(
                sum(call.fields[of]) == call.fields[name] for call in self._distinct
            ):
                self._rules[name] = Total(counts)
        steps = self._samples.steps
        fixed = all(isinstance(rule, Same | ByCount) for rule in self._rules.values())
        looped = not fixed and (
            self._turning is not None or steps.outer is not None or bool((steps.total > 1).any())
        )
        return PlacedCall(self._first.entry, self._first.call_class, self._rules, self._members, looped)

    def _fit(self, name: str, value: Any) -> None:  # noqa: ANN401 (fields of several types)
        different = [call.fields[name] for call in self._distinct]
        if self._on_level is not None and isinstance(value, int):
            rule = self._on_level.rule(name, self._samples, self._numbers(different), self._first.entry)
            if rule is not None:
                self._rules[name] = rule
                return
        if name == "members" and self._first.fields.get("new_comm", 0) >= 0 and value:
            self._fit_members(name, different)
            return
        if name == "remote_members" and value:
            # It goes with the members, which are fitted at their turn.
            return
        samples = self._samples
        alike = all(each == value for each in different)
        # One rank's peer is the same wherever only one dimension is shown. Counts have the length of a communicator.
        may_differ = (
            (name in SIZES and self._fewer)
            or (name in _PEERS and ((self._loops and value > 0) or self._site(name) in samples.fitter.peers))
            or (self._site(name) in samples.fitter.neighbours and value >= 0)
            or (name in _NEIGHBOURS and value)
            or (name in _COUNTS and value and (self._fewer or not is_of_neighbours(self._first.entry)))
        )
        if alike and not may_differ:
            if name in SIZES:
                samples.fitter.remember(self._site(name), value)
            self._rules[name] = Same(value)
            return
        self._rules[name] = self._rule(name, value, different, alike)

    def _site(self, name: str) -> str:
        """Return the call and the field, which other roles may have."""
        return f"{self._first.call_class if self._on_level else self._first.entry} {name}"

    def _numbers(self, different: Sequence[int]) -> Numbers:
        """Return the value of each sample."""
        return np.array(different, dtype=np.int64)[self._place]

    def _rule(self, name: str, value: Any, different: list[Any], alike: bool) -> Rule:  # noqa: ANN401
        samples, place, first = self._samples, self._place, self._first
        if name in _PEERS:
            return self._peer(name, value, self._numbers(different), alike)
        if name == "completions":
            return _fit_completions(samples, different, place, first)
        if name == "references":
            return _fit_references(samples, different, place, first.entry)
        if name in _COUNTS:
            lists = [different[each] for each in place.tolist()]
            return fit_vector(samples, lists, first, received=name == "recv_counts")
        if name in _NEIGHBOURS:
            return _fit_each(samples, different, place, first)
        if isinstance(value, int):
            return self._number(name, self._numbers(different))
        raise UnfitError(first.entry, f"its {_word(name)} differ")

    def _peer(self, name: str, value: int, numbers: Numbers, alike: bool) -> Rule:
        communicator = _communicator(self._samples, self._first)
        across_each = fit_across(self._samples, numbers, communicator, self._loops)
        if across_each is not None:
            self._turning = across_each
            return across_each
        site, fitter = self._site(name), self._samples.fitter
        known = fitter.peers.get(site)
        if site in fitter.neighbours:
            known = fit_neighbour(self._samples, numbers, communicator)
        if alike and known is None:
            return Same(value)
        rule = (
            known
            or fit_partner(self._samples, numbers, communicator)
            or fit_rounds(self._samples, numbers, communicator)
            or fit_around(self._samples, numbers, communicator)
        )
        if rule is None:
            raise UnfitError(self._first.entry, f"its {_word(name)} depend on no position on the grid")
        if isinstance(rule, NextAround):
            self._neighbour = rule
        if isinstance(rule, Partner) and rule.dimensions > 1:
            self._elsewhere = rule
        moved = rule.moved() if isinstance(rule, Partner) else []
        if moved:
            self._samples = self._samples._replace(fitter=self._samples.fitter.of_faces(*moved))
        return rule

    def _number(self, name: str, numbers: Numbers) -> Rule:
        first, samples = self._first, self._samples
        site = self._site(name)
        if name in _PEER_OF_TAG:
            peer = _PEER_OF_TAG[name]
            peers = self._numbers([call.fields[peer] for call in self._distinct])
            tag = fit_tag(samples, numbers, peers, self._rules[peer], _communicator(samples, first))
            if tag is not None:
                return tag
        if self._turning is not None:
            return fit_by_dimension(samples, numbers, self._turning, site)
        if self._neighbour is not None and np.ptp(numbers):
            return fit_by_offset(samples, numbers, self._neighbour, site, both=name in SIZES)
        if self._elsewhere is not None and name in SIZES and np.ptp(numbers):
            of_grid = fit_on_own_grid(samples, numbers, self._elsewhere)
            if of_grid is not None:
                return of_grid
        rule = (_fit_length if name == "listed" else fit_number)(samples, numbers, site)
        if name not in SIZES or not isinstance(rule, Copied):
            return rule
        root: Rule = Same(0)
        roots = np.zeros_like(numbers)
        if "collective" in first.call_class:
            root, roots = self._rules["peer"], self._numbers([each.fields["peer"] for each in self._distinct])
        of_roots = fit_at_root(samples, numbers, root, roots, _communicator(samples, first))
        at_one_root = "collective" in first.call_class and not np.ptp(roots)
        if (
            of_roots is None
            and not (at_one_root and _alike(samples, numbers))
            and _differ_by_turn(samples, numbers)
        ):
            raise UnfitError(first.entry, "its sizes differ from peer to peer by no rule")
        return of_roots or rule

    def _fit_members(self, name: str, different: list[Any]) -> None:
        place = self._place.tolist()
        lists = [different[each] for each in place]
        remote = [self._distinct[each].fields.get("remote_members", []) for each in place]
        try:
            self._members = _fit_members(self._samples, lists, remote, self._groups, self._first.entry)
        except UnfitError:
            if "new_comm" in self._first.fields:
                raise
            # A group of an epoch of one-sided calls is often that of the neighbours.
            self._rules[name] = _fit_each(self._samples, different, self._place, self._first)


def _alike(samples: Samples, sizes: Numbers) -> bool:
    """Return whether all ranks of the largest recording have the same sizes, as in a reduction that grows with each iteration."""
    last = samples.recording == samples.recording.max()
    each = [np.sort(sizes[last & (samples.rank == rank)]) for rank in np.unique(samples.rank[last])]
    return all(np.array_equal(each[0], other) for other in each[1:])


def _differ_by_turn(samples: Samples, sizes: Numbers) -> bool:
    """Return whether sizes of one rank in the iterations of a loop are so different that their mean stands for none."""
    last = samples.recording == samples.recording.max()
    spreads = [
        float(of.std() / of.mean())
        for rank in np.unique(samples.rank[last])
        if (of := sizes[last & (samples.rank == rank)]).any()
    ]
    turns = bool((samples.steps.total > 1).any())
    return turns and bool(spreads) and float(np.mean(spreads)) > _MOST_SPREAD


def _communicator(samples: Samples, call: Call) -> int:
    number = call.fields.get("comm")
    if number is None:
        window = call.fields["window"]
        number = samples.recordings[int(samples.recording[0])].windows[int(samples.rank[0])][window]
    return int(number)


def _word(name: str) -> str:
    return {"peer": "peers", "recv_peer": "sources", "actual_peer": "matches of a wildcard"}.get(
        name, name.replace("_", " ")
    )


def _fit_members(
    samples: Samples,
    lists: Sequence[list[int]],
    remote: Sequence[list[int]],
    groups: dict[int, Groups],
    site: str,
) -> Members:
    between = any(remote)
    colours = candidates(len(samples.at.extents), grids=samples.fitter.grids)
    for order, colour in product(orders(lists), colours):
        if all(
            groups[recording].of(colour, rank, order) == members
            for recording, rank, members in zip(
                samples.recording.tolist(), samples.rank.tolist(), lists, strict=True
            )
        ):
            found = Members(colour, between, order)
            if between and any(
                found.remote(groups[recording], rank) != members
                for recording, rank, members in zip(
                    samples.recording.tolist(), samples.rank.tolist(), remote, strict=True
                )
            ):
                raise UnfitError(site, "the members of its other group are not all other ranks")
            return found
    raise UnfitError(
        site, "the members of its communicator follow no rows, columns, blocks or planes of the grid"
    )


def _fit_completions(samples: Samples, different: Sequence[Any], place: Numbers, call: Call) -> Rule:
    references = {tuple(each[0] for each in one) for one in different}
    wild = {tuple(each[1] for each in one) for one in different}
    if len(references) == 1 and len(wild) == 1:
        peers: Rule
        try:
            peers = _fit_matches(samples, different, place, call)
        except UnfitError:
            # Time decides the order in which messages reach receives from any source.
            different = [_in_rank_order(one) for one in different]
            peers = Rounds(_fit_matches(samples, different, place, call))
        tags = Each(
            tuple(
                fit_number(samples, np.array([one[item][3] for one in different], dtype=np.int64)[place])
                for item in range(len(different[0]))
            )
        )
        return Completed(next(iter(references)), next(iter(wild)), peers, tags)
    if any(any(one) for one in wild):
        raise UnfitError(call.entry, "it completes different numbers of receives from any source")
    return _latest(
        samples, [[each[0] for each in one] for one in different], place, call.entry, completions=True
    )


def _fit_matches(samples: Samples, different: Sequence[Any], place: Numbers, call: Call) -> Each:
    return _fit_each(samples, [[each[2] for each in one] for one in different], place, call)


def _in_rank_order(completions: Sequence[Any]) -> list[Any]:
    """Return completions whose receives from any source are matched in the order of ranks."""
    matches = iter(sorted(each[2:] for each in completions if each[1]))
    return [(*each[:2], *(next(matches) if each[1] else each[2:])) for each in completions]


def _fit_references(samples: Samples, different: Sequence[list[int]], place: Numbers, site: str) -> Rule:
    return _latest(samples, different, place, site, completions=False)


def _latest(
    samples: Samples, different: Sequence[list[int]], place: Numbers, site: str, *, completions: bool
) -> Rule:
    count = _fit_length(samples, np.array([len(one) for one in different], dtype=np.int64)[place])
    for oldest_first in (True, False):
        if all(
            one == list(range(len(one), 0, -1) if oldest_first else range(1, len(one) + 1))
            for one in different
        ):
            return Latest(count, oldest_first, completions)
    if len({len(one) for one in different}) == 1:
        items = tuple(
            fit_number(samples, np.array([one[item] for one in different], dtype=np.int64)[place])
            for item in range(len(different[0]))
        )
        return MovingCompletions(items) if completions else Each(items)
    raise UnfitError(site, "it completes different requests at other counts")


def _fit_length(samples: Samples, lengths: Numbers, site: str = "") -> Rule:
    """Return the rule of a number of requests, which may be as many for each dimension of the grid."""
    by_dimension = fit_repeats(samples.at, lengths) if np.ptp(lengths) else []
    if by_dimension:
        return by_dimension[0]
    found = fit_neighbours(samples, lengths) or fit_others(samples.at, lengths, ())
    return found or fit_number(samples, lengths, site)


class MovingCompletions(NamedTuple):
    """Completed requests that are further back the more ranks there are."""

    items: tuple[Rule, ...]

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [
            [(reference, False, 0, 0) for reference in row]
            for row in zip(*(item.values(ranks) for item in self.items), strict=True)
        ]


def _fit_each(samples: Samples, different: Sequence[list[int]], place: Numbers, call: Call) -> Each:
    """Fit lists of peers, item by item."""
    lengths = {len(one) for one in different}
    if len(lengths) > 1:
        raise UnfitError(call.entry, "its numbers of neighbours differ")
    communicator = call.fields.get("new_comm", call.fields.get("comm", 0))
    items: list[Rule] = []
    for item in range(lengths.pop()):
        numbers = np.array([one[item] for one in different], dtype=np.int64)[place]
        if (numbers == numbers[0]).all():
            # A role that one recording shows at one place has the same ones there, which are others elsewhere.
            near = fit_neighbour(samples, numbers, communicator) if numbers[0] >= 0 else None
            items.append(near or Same(int(numbers[0])))
            continue
        rule = fit_partner(samples, numbers, communicator)
        if rule is None:
            raise UnfitError(call.entry, "its neighbours depend on no position on the grid")
        items.append(rule)
    return Each(tuple(items))
