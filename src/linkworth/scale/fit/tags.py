"""Tags that name a rank or a pair of ranks."""

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
}


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


def fit_tag(samples: Samples, tags: Numbers, peers: Numbers, peer: Rule, communicator: int) -> PairTag | None:
    """Return the rule of a tag. `peer`: the rule of the peers."""
    if (peers < 0).any():
        return None
    views = samples.communicator(communicator)
    for kind in _KINDS:
        rest = tags - _of(kind, views, peers)
        if (rest == rest[0]).all():
            return PairTag(kind, int(rest[0]), peer, communicator)
    return None


def _of(kind: str, views: Sequence[Communicator], peers: Numbers) -> Numbers:
    own = np.array([view.place for view in views], dtype=np.int64)
    size = np.array([len(view.members) for view in views], dtype=np.int64)
    return _KINDS[kind](own, peers, size)
