"""Tags that name a rank, a pair of ranks, or a part of the problem that a rank has."""

from collections.abc import Callable, Mapping, Sequence
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
    "behind own": lambda own, peer, size: own + 1,
    "behind peer": lambda own, peer, size: peer + 1,
}
_SHARES = ("own", "behind own", "peer", "behind peer")
"""Kinds that are numbers of ranks, whose shares come first."""
_FEWEST = 3
"""Shares that show how many parts there are."""


class PlaceTag(NamedTuple):
    """A tag that depends on the caller's and the peer's place in the communicator."""

    kind: str
    parts: int | None
    """The tag names the first part of the problem, of so many in equal shares, behind those ranks. None: it names ranks."""
    constant: int
    peer: Rule
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        views = [each[self.communicator] for each in ranks.communicators]
        peers = np.array(self.peer.values(ranks), dtype=np.int64)
        number, size = _of(self.kind, views, peers)
        if self.parts is not None:
            number = self.parts * number // size
        found: list[int] = (number + self.constant).tolist()
        return found


def fit_tag(
    samples: Samples, tags: Numbers, peers: Numbers, peer: Rule, communicator: int
) -> PlaceTag | None:
    """Return the rule of a tag. `peer`: the rule of the peers."""
    if (peers < 0).any():
        return None
    views = samples.communicator(communicator)
    for kind in _KINDS:
        rest = tags - _of(kind, views, peers)[0]
        if (rest == rest[0]).all():
            return PlaceTag(kind, None, int(rest[0]), peer, communicator)
    for kind in _SHARES:
        found = _parts(*_of(kind, views, peers), tags)
        if found is not None:
            return PlaceTag(kind, *found, peer, communicator)
    return None


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


def _of(kind: str, views: Sequence[Communicator], peers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the number of a kind, and the size of the communicator."""
    own = np.array([view.place for view in views], dtype=np.int64)
    size = np.array([len(view.members) for view in views], dtype=np.int64)
    return _KINDS[kind](own, peers, size), size
