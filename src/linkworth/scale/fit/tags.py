"""Tags that name a rank, a pair of ranks, or a part of the problem that a rank has."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.rules import Communicator, Ranks, Rule, Samples
from linkworth.scale.recording import Numbers

_KINDS: Mapping[str, Callable[[Numbers, Numbers, Numbers], Numbers]] = {
    "own": lambda own, peer, size: own,
    "peer": lambda own, peer, size: peer,
    "own and peer": lambda own, peer, size: own * size + peer,
    "peer and own": lambda own, peer, size: peer * size + own,
    "sum": lambda own, peer, size: own + peer,
}

_FEWEST = 3
"""Shares that show how many parts there are."""


class PairTag(NamedTuple):
    """A tag that depends on the caller's and the peer's place in the communicator."""

    kind: str
    constant: int
    peer: Rule
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        views = [each[self.communicator] for each in ranks.communicators]
        peers = np.array(self.peer.values(ranks), dtype=np.int64)
        found: list[int] = (_of(self.kind, views, peers) + self.constant).tolist()
        return found


class PartTag(NamedTuple):
    """A tag that names the first part of the caller or the peer, or the one behind its last, of parts in equal shares."""

    of_peer: bool
    behind: bool
    parts: int
    constant: int
    peer: Rule
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        views = [each[self.communicator] for each in ranks.communicators]
        peers = np.array(self.peer.values(ranks), dtype=np.int64)
        place, size = _shares(self.of_peer, self.behind, views, peers)
        found: list[int] = (self.constant + self.parts * place // size).tolist()
        return found


def fit_tag(
    samples: Samples, tags: Numbers, peers: Numbers, peer: Rule, communicator: int
) -> PairTag | PartTag | None:
    """Return the rule of a tag. `peer`: the rule of the peers."""
    if (peers < 0).any():
        return None
    views = samples.communicator(communicator)
    for kind in _KINDS:
        rest = tags - _of(kind, views, peers)
        if (rest == rest[0]).all():
            return PairTag(kind, int(rest[0]), peer, communicator)
    for of_peer, behind in product((False, True), repeat=2):
        place, size = _shares(of_peer, behind, views, peers)
        found = _parts(place, size, tags)
        if found is not None:
            return PartTag(of_peer, behind, *found, peer, communicator)
    return None


def _shares(
    of_peer: bool, behind: bool, views: Sequence[Communicator], peers: Numbers
) -> tuple[Numbers, Numbers]:
    """Return of how many ranks the shares come first, and of how many there are."""
    place = peers if of_peer else np.array([view.place for view in views], dtype=np.int64)
    return place + behind, np.array([len(view.members) for view in views], dtype=np.int64)


def _parts(place: Numbers, size: Numbers, tags: Numbers) -> tuple[int, int] | None:
    """Return how many parts there are and the number of the first, if three or more tags show it."""
    share = place / size
    one, other = int(share.argmin()), int(share.argmax())
    if not np.ptp(size) or len(np.unique(share)) < _FEWEST:
        return None
    parts = round(float((tags[other] - tags[one]) / (share[other] - share[one])))
    constant = int(tags[one]) - parts * int(place[one]) // int(size[one])
    exact = np.array_equal((tags - constant) * size, parts * place)
    return (parts, constant) if exact and parts > 0 else None


def _of(kind: str, views: Sequence[Communicator], peers: Numbers) -> Numbers:
    own = np.array([view.place for view in views], dtype=np.int64)
    size = np.array([len(view.members) for view in views], dtype=np.int64)
    return _KINDS[kind](own, peers, size)
