"""Peers of a call as ranks of its communicator: the same rule everywhere, or another one in some iterations."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.numbers import Model
from linkworth.scale.fit.peers import Iterations, OffGridError, Peer, Term, fit_peer
from linkworth.scale.fit.rules import InStep, Ranks, Rule, Same, Samples
from linkworth.scale.grids import Position, balanced, coordinates, positions
from linkworth.scale.recording import Numbers, Recording


class Partner(NamedTuple):
    """A peer, as a rank of the call's communicator."""

    peer: Peer
    communicator: int
    dimensions: int = 0
    """Dimensions of the grid of the communicator's members, on which the peer is known by its place; 0: the program's grid."""

    def moved(self) -> list[int]:
        """Return the dimensions of the program's grid along which the peer is elsewhere."""
        return [] if self.dimensions else self.peer.moved()

    def doubled(self) -> list[int]:
        """Return the dimensions of the program's grid along which the distance doubles, or halves, from step to step."""
        return [] if self.dimensions else self.peer.doubled()

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        views = [each[self.communicator] for each in ranks.communicators]
        index = np.array([view.place for view in views], dtype=np.int64)
        if self.dimensions:
            sizes = np.array([len(view.peers()) for view in views], dtype=np.int64)
            at = _inside(index, sizes, self.dimensions)
        else:
            at = positions(index, ranks.point.ranks, ranks.point.grid)
        found: list[int] = self.peer.ranks(at, ranks.steps).tolist()
        return found


@dataclass(frozen=True)
class OnOwnGrid:
    """A number that follows the grid of a communicator's members. It is none of the program's, and no part of its rules."""

    model: Model
    communicator: int
    dimensions: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        points = [
            ranks.point._replace(grid=balanced(len(each[self.communicator].peers()), self.dimensions))
            for each in ranks.communicators
        ]
        return [int(self.model.at(point) + 0.5) for point in points]


def fit_on_own_grid(samples: Samples, values: Numbers, partner: Partner) -> OnOwnGrid | None:
    """Return the rule of a number that the grid of the partner's communicator shows exactly."""
    numbers = np.unique(samples.recording).tolist()
    firsts = [int(np.argmax(samples.recording == number)) for number in numbers]
    if len(numbers) < len(samples.recordings) or any(
        np.ptp(values[samples.recording == number]) for number in numbers
    ):
        return None
    views = samples.only(np.array(firsts)).communicator(partner.communicator)
    grids = [balanced(len(view.peers()), partner.dimensions) for view in views]
    model = samples.fitter.on(grids).of_faces(*partner.peer.moved()).fit(numbers, values[firsts].tolist())
    return OnOwnGrid(model, partner.communicator, partner.dimensions) if model.error == 0 else None


class Member(NamedTuple):
    """A peer in a communicator of some ranks, known by its place on the whole grid."""

    peer: Peer
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        views = [each[self.communicator] for each in ranks.communicators]
        found = self.peer.ranks(ranks.at, ranks.steps).tolist()
        if any(peer >= 0 and peer not in view.peers() for peer, view in zip(found, views, strict=True)):
            raise OffGridError
        return [
            view.peers().index(peer) if peer >= 0 else peer for peer, view in zip(found, views, strict=True)
        ]


class Split(NamedTuple):
    """One rule for the first or the last iteration of a loop, and one for the others."""

    last: bool
    one: Rule
    others: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        # All are evaluated at the same iteration.
        number, count = int(ranks.steps.number[0]), int(ranks.steps.total[0])
        if number == (count - 1 if self.last else 0):
            return self.one.values(ranks)
        return self.others.values(ranks._replace(steps=_shortened(ranks.steps, last=self.last)))


class Alternating(NamedTuple):
    """Rules that take turns from iteration to iteration."""

    rules: tuple[Rule, ...]

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        period = len(self.rules)
        turn = int(ranks.steps.number[0]) % period
        return self.rules[turn].values(ranks._replace(steps=_of_turn(ranks.steps, turn, period)))


class Rounds(NamedTuple):
    """Peers that come once each in an order that data or time decide."""

    in_order: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank, in the order of ranks."""
        return self.in_order.values(ranks)


class Peers(NamedTuple):
    """The different peers that ranks have at one call site."""

    communicator: int
    places: Numbers
    """By peer: number of the rank that has it, counted through all recordings."""
    peers: Numbers


def peers_of_sites(recordings: Sequence[Recording]) -> dict[tuple[str, str], Peers]:
    """Return by call and field the peers of all ranks, if they are ranks of one communicator."""
    found: defaultdict[tuple[str, str], dict[tuple[int, int, int], None]] = defaultdict(dict)
    sequences = ((recording, each) for recording in recordings for each in recording.sequences)
    for place, (recording, sequence) in enumerate(sequences):
        for number in np.unique(sequence.calls).tolist():
            entry, _, fields = recording.calls[number]
            for name in {"peer", "recv_peer"} & fields.keys() if "comm" in fields else ():
                found[entry, name][fields["comm"], place, fields[name]] = None
    out = {}
    for key, of in found.items():
        communicators, places, peers = np.array(list(of), dtype=np.int64).T
        if np.ptp(communicators) == 0:
            out[key] = Peers(int(communicators[0]), places, peers)
    return out


def fit_neighbour(samples: Samples, values: Numbers, communicator: int) -> Partner | None:
    """Return the rule of a neighbour in one direction on a grid with edges, of which each rank has a place in the middle."""
    if not samples.is_of_all(communicator):
        return None
    there = values >= 0
    steps = _offsets(samples.at.only(np.flatnonzero(there)), values[there])
    if not len(steps) or (steps != steps[0]).any() or np.abs(steps[0]).max() > 1:
        return None
    terms = tuple(Term("shift", "", step) for step in steps[0].tolist())
    rule = Partner(Peer(terms, edges=bool((~there).any())), communicator)
    found = rule.peer.ranks(samples.at, samples.steps)
    return rule if np.array_equal(found, values) else None


def are_neighbours(at: Position, peers: Numbers) -> bool:
    """Return whether peers are next to the ranks on a grid with edges. All ranks along a dimension of two are."""
    there = peers >= 0
    steps = _offsets(at.only(np.flatnonzero(there)), peers[there])
    longer = all(int(n.max()) > 2 for n in at.extents)
    return len(at.extents) > 1 and longer and len(steps) > 0 and int(np.abs(steps).max()) == 1


def moved_along(at: Position, peers: Numbers) -> list[int]:
    """Return the dimensions along which some peers are elsewhere than their ranks."""
    there = np.flatnonzero(peers >= 0)
    return np.flatnonzero(_offsets(at.only(there), peers[there]).any(axis=0)).tolist()


def _offsets(at: Position, peers: Numbers) -> Numbers:
    """Return how far away peers are; a row for each."""
    return np.stack(coordinates(peers, at.extents)[0], axis=1) - np.stack(at.coordinates, axis=1)


def fit_partner(samples: Samples, values: Numbers, communicator: int) -> Rule | None:
    """Return the rule of a peer."""
    whole = _fit_partner(samples, values, communicator)
    if whole is not None or not (samples.steps.total > 1).any():
        return whole
    for last in (True, False):
        at_end = samples.steps.number == (samples.steps.total - 1 if last else 0)
        shown = [len(np.unique(samples.recording[which])) for which in (at_end, ~at_end)]
        if min(shown) < min(2, len(samples.recordings)):
            # Many rules meet the few samples of one recording.
            continue
        one = _fit_partner(samples.only(np.flatnonzero(at_end)), values[at_end], communicator)
        if one is None:
            continue
        rest = samples.only(np.flatnonzero(~at_end))
        others = _fit_partner(
            rest._replace(steps=_shortened(rest.steps, last=last)), values[~at_end], communicator
        )
        if others is not None:
            return Split(last, one, others)
    if samples.steps.outer is not None:
        of_step = _fit_partner(samples._replace(steps=samples.steps.outer), values, communicator)
        if of_step is not None:
            return InStep(of_step)
    return _alternating(samples, values, communicator)


def _fit_partner(samples: Samples, values: Numbers, communicator: int) -> Rule | None:
    if (values == values[0]).all() and values[0] < 0:
        return Same(int(values[0]))
    views = samples.communicator(communicator)
    index = np.array([view.place for view in views], dtype=np.int64)
    size = np.array([len(view.peers()) for view in views], dtype=np.int64)
    whole = bool((size == samples.at.sizes).all())
    extents = samples.at.extents
    at = Position(index, size, coordinates(index, extents)[0], extents) if whole else _inside(index, size, 1)
    peer = fit_peer(at, values, samples.steps)
    if peer is not None:
        return Partner(peer, communicator, 0 if whole else 1)
    if whole and len(extents) > 1:
        # Trees, butterflies, loops over all ranks, rings of all and groups take no notice of a grid that other calls have.
        peer = fit_peer(_inside(index, size, 1), values, samples.steps)
        longer = bool(np.ptp(samples.steps.total))
        if peer is not None and (
            samples.fitter.grouped
            or peer.doubled()
            or peer.in_tree()
            or (longer and peer.steps())
            or _have_all_ranks(samples)
        ):
            return Partner(peer, communicator, 1)
    if not whole and len(extents) > 1:
        # A row's member may be known by its place on the whole grid, such as one on the diagonal.
        of_all = np.array(
            [
                view.peers()[each] if each >= 0 else each
                for view, each in zip(views, values.tolist(), strict=True)
            ]
        )
        peer = fit_peer(samples.at, of_all, samples.steps)
        if peer is not None:
            return Member(peer, communicator)
    for dimensions in (2, 3) if samples.fitter.grids else ():
        peer = fit_peer(_inside(index, size, dimensions), values, samples.steps)
        if peer is not None:
            return Partner(peer, communicator, dimensions)
    return None


def _have_all_ranks(samples: Samples) -> bool:
    """Return whether all ranks of two or more recordings are among the samples."""
    pairs = np.unique(np.stack([samples.recording, samples.rank], axis=1), axis=0)
    numbers, counts = np.unique(pairs[:, 0], return_counts=True)
    sizes = [samples.recordings[number].ranks for number in numbers.tolist()]
    return len(sizes) > 1 and counts.tolist() == sizes


def _alternating(samples: Samples, values: Numbers, communicator: int) -> Alternating | None:
    for period in (2, 3, 4):
        if samples.steps.total.max() < 2 * period:
            # Nothing shows that the rules take turns.
            break
        rules = []
        for turn in range(period):
            here = np.flatnonzero(samples.steps.number % period == turn)
            some = samples.only(here)
            some = some._replace(steps=_of_turn(some.steps, turn, period))
            rule = _fit_partner(some, values[here], communicator) if len(here) else None
            if rule is None:
                break
            rules.append(rule)
        else:
            return Alternating(tuple(rules))
    return None


def fit_rounds(samples: Samples, values: Numbers, communicator: int) -> Rounds | None:
    """Return the rule of peers such as the senders to a root that receives from any."""
    if any(
        view.place != rank
        for view, rank in zip(samples.communicator(communicator), samples.rank, strict=True)
    ):
        return None
    ordered = np.empty_like(values)
    for recording, rank in np.unique(np.stack([samples.recording, samples.rank], axis=1), axis=0).tolist():
        here = np.flatnonzero((samples.recording == recording) & (samples.rank == rank))
        others = np.delete(np.arange(samples.recordings[recording].ranks), rank)
        if len(here) % len(others) or (np.sort(values[here].reshape(-1, len(others))) != others).any():
            return None
        ordered[here] = np.tile(others, len(here) // len(others))
    rule = fit_partner(samples, ordered, communicator)
    return None if rule is None else Rounds(rule)


def _of_turn(steps: Iterations, turn: int, period: int) -> Iterations:
    return Iterations(steps.number // period, (steps.total - turn + period - 1) // period)


def _shortened(steps: Iterations, *, last: bool) -> Iterations:
    return Iterations(steps.number - (0 if last else 1), steps.total - 1)


def _inside(index: Numbers, sizes: Numbers, dimensions: int) -> Position:
    """Return places on the grids that communicators of these sizes have by themselves."""
    known, which = np.unique(sizes, return_inverse=True)
    extents = list(np.array([balanced(size, dimensions) for size in known.tolist()])[which].T)
    return Position(index, sizes, coordinates(index, extents)[0], extents)
