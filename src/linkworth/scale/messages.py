"""A check that every message that is sent is received."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from linkworth.scale.fit.rules import Communicator, UnfitError
from linkworth.scale.generate import RankEvents
from linkworth.scale.recording import COLLECTIVE, NEW_COMMUNICATORS, SENDS, Call, Recording

ANY_SOURCE, ANY_TAG = -1, -1

_RECEIVES = {"recv", "irecv", "recv_init", "precv_init"}
_BOTH = {"sendrecv", "isendrecv"}

SLACK = 0.1
"""Share of all bytes that may be beyond the receives, if some size looked exact only by chance."""


class TruncatedError(UnfitError):
    """A message that is longer than its receive."""


_Group = tuple[int, int, str, int]
"""Size and members of a communicator, a collective call, and its root."""

Channel = tuple[int, int, int]
"""Source and destination, as ranks of all, and tag."""


Hashes = dict[int, tuple[Sequence[int], int]]
"""By identity: a list of members, and its hash. Ranks share the lists, and a hash for each rank takes quadratic time."""


def groups_of(views: Mapping[int, Communicator], known: Hashes) -> dict[int, tuple[int, int]]:
    """Return the number of members of each of a rank's communicators, and their hash. Those of two groups have none.

    `known`: hashes of other ranks, to which new ones are added.
    """
    found = {}
    for number, view in views.items():
        if not view.remote:
            members = view.members
            if id(members) not in known:
                known[id(members)] = members, hash(tuple(members))
            found[number] = len(members), known[id(members)][1]
    return found


def _check_freed(rank: int, calls: Sequence[Call], times: Sequence[int]) -> None:
    """Check that a rank makes each communicator as often as it frees it."""
    left: Counter[int] = Counter()
    for call, count in zip(calls, times, strict=True):
        if call.call_class in NEW_COMMUNICATORS:
            left[call.fields["new_comm"]] += count
        elif call.call_class == "comm_free":
            left[call.fields["comm"]] -= count
    for call in calls:
        if call.call_class == "comm_free" and left[call.fields["comm"]] < 0:
            raise UnfitError(call.entry, f"rank {rank} would free a communicator more often than it makes it")


class _Side:
    """Messages and bytes of one side of a channel."""

    __slots__ = ("bytes", "entry", "messages")

    def __init__(self) -> None:
        self.messages = 0
        self.bytes = 0
        self.entry = ""

    def add(self, messages: int, size: int, entry: str) -> None:
        self.messages += messages
        self.bytes += messages * size
        self.entry = self.entry or entry


class Messages:
    """Messages by channel, added up over ranks."""

    def __init__(self, loose: set[str], slack: float = 0.0) -> None:
        """Start with none. `loose`: calls whose sizes are not known well enough to be compared."""
        self._loose = loose
        self._slack = slack
        self._sent: defaultdict[Channel, _Side] = defaultdict(_Side)
        self._received: defaultdict[Channel, _Side] = defaultdict(_Side)
        self._wild: defaultdict[int, int] = defaultdict(int)
        self._together: defaultdict[_Group, list[int]] = defaultdict(lambda: [0, 0])
        """By group and its calls: how often they were made by all members together, and by the first one."""
        self._edges: defaultdict[tuple[int, int], int] = defaultdict(int)
        """By source and destination: how often the one names the other as a neighbour, less how often the other does."""
        self._hashes: Hashes = {}

    def add(
        self, rank: int, calls: Sequence[Call], times: Sequence[int], views: Mapping[int, Communicator]
    ) -> None:
        """Add a rank. `times`: how often it made each call. Raises UnfitError for a communicator that it does not have."""
        _check_freed(rank, calls, times)
        groups = groups_of(views, self._hashes)
        for call, count in zip(calls, times, strict=True):
            if call.call_class in COLLECTIVE and call.fields["comm"] in groups:
                name, root = call.entry.partition("@")[0], call.fields["peer"]
                made = self._together[*groups[call.fields["comm"]], name, root]
                made[0] += count
                made[1] += count if views[call.fields["comm"]].place == 0 else 0
            if call.call_class in NEW_COMMUNICATORS and call.fields["has_topology"]:
                self._name_neighbours(rank, call, count)
            if not count or call.call_class not in SENDS | _RECEIVES:
                continue
            fields = call.fields
            view = views.get(fields["comm"])
            if view is None:
                continue
            if call.call_class in SENDS and fields["peer"] >= 0:
                to = view.peers()[fields["peer"]]
                self._sent[rank, to, fields["tag"]].add(count, fields["bytes"], call.entry)
            if call.call_class in _RECEIVES:
                self._receive(rank, call, count, view, "")
            elif call.call_class in _BOTH:
                self._receive(rank, call, count, view, "recv_")

    def _name_neighbours(self, rank: int, call: Call, count: int) -> None:
        members = call.fields["members"]
        for to in call.fields["destinations"]:
            if to >= 0:
                self._edges[rank, members[to]] += count
        for source in call.fields["sources"]:
            if source >= 0:
                self._edges[members[source], rank] -= count

    def _receive(self, rank: int, call: Call, count: int, view: Communicator, prefix: str) -> None:
        fields = call.fields
        peer, tag = fields[f"{prefix}peer"], fields[f"{prefix}tag"]
        if peer == ANY_SOURCE or tag == ANY_TAG:
            peer, tag = fields.get("actual_peer", ANY_SOURCE), fields.get("actual_tag", ANY_TAG)
            if peer == ANY_SOURCE or tag == ANY_TAG:
                self._wild[rank] += count
                return
        if peer >= 0:
            self._received[view.peers()[peer], rank, tag].add(count, fields[f"{prefix}bytes"], call.entry)

    def check(self) -> None:
        """Raise UnfitError for the first message that only one side knows of, or that is longer than its receive.

        Or for a collective call that not all ranks of its communicator make.
        """
        left: defaultdict[int, int] = defaultdict(int)
        truncated: TruncatedError | None = None
        excess = 0
        for channel in sorted({*self._sent, *self._received}):
            source, to, tag = channel
            sent, received = self._sent[channel], self._received[channel]
            more = sent.messages - received.messages
            left[to] += more
            if more and (more < 0 or not self._wild[to]):
                raise UnfitError(
                    sent.entry or received.entry,
                    f"rank {source} sends {_messages(sent.messages)} with tag {tag} to rank {to}, which receives "
                    f"{received.messages}",
                )
            if sent.bytes > received.bytes and not more and not self._loose & {sent.entry, received.entry}:
                excess += sent.bytes - received.bytes
                truncated = truncated or TruncatedError(
                    sent.entry,
                    f"rank {source} sends {sent.bytes} bytes with tag {tag} to rank {to}, which has room for {received.bytes}",
                )
        for (size, _, name, _), (made, by_first) in self._together.items():
            if made != size * by_first:
                raise UnfitError(
                    name,
                    f"the first of {size} ranks would call it {by_first} times, and all together {made} times",
                )
        for (source, to), more in self._edges.items():
            if more:
                raise UnfitError(
                    "neighbours",
                    f"only one of ranks {source} and {to} would be a neighbour of the other in a topology",
                )
        for to, wild in self._wild.items():
            if left[to] > wild:
                raise UnfitError(
                    "messages",
                    f"{left[to]} messages reach the receives of rank {to} from any source, which are {wild}",
                )
        if truncated is not None and excess > self._slack * sum(side.bytes for side in self._sent.values()):
            raise truncated


def _messages(count: int) -> str:
    return f"{count} message{'s' if count != 1 else ''}"


class Balanced:
    """Passes ranks through, and checks their messages after the last one."""

    def __init__(
        self, ranks: Iterable[RankEvents], largest: Recording, loose: set[str], slack: float
    ) -> None:
        """Check nothing that the largest recording does not keep either, such as receives that are cancelled."""
        self._ranks = ranks
        self._balance = Messages(loose, slack) if is_balanced(largest) else None

    def __iter__(self) -> Iterator[RankEvents]:
        for each in self._ranks:
            if self._balance is not None:
                calls = [Call(*call) for call in each.calls]
                times = np.bincount(each.call, minlength=len(calls)).tolist()
                self._balance.add(each.rank, calls, times, each.views)
            yield each
        if self._balance is not None:
            self._balance.check()


def is_balanced(recording: Recording) -> bool:
    """Return whether every message of a recording has a receive with room for it."""
    balance = Messages(set())
    try:
        for rank, sequence in enumerate(recording.sequences):
            used, times = np.unique(sequence.calls, return_counts=True)
            views: dict[int, Communicator] = {
                number: Communicator(
                    members,
                    members.index(rank) if rank in members else 0,
                    recording.remotes[rank].get(number, []),
                )
                for number, members in recording.communicators[rank].items()
            }
            balance.add(rank, [recording.calls[number] for number in used.tolist()], times.tolist(), views)
        balance.check()
    except UnfitError:
        return False
    return True
