"""Programs that ask which ranks share a node, and the validity of their traces on another layout."""

from collections.abc import Sequence

import msgspec

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.prediction import Layout
from linkworth.trace.read import TraceFile

_RECORD_IT = "record the program with as many ranks a node (in a lab or on the hosts of a file)"


class NodeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Ranks that shared a node in the recorded run, as the program asked (native/profile/node_groups.hpp)."""

    shares_memory: bool
    """True for a window of MPI_Win_allocate_shared, False for a communicator of MPI_Comm_split_type."""
    members: list[int]
    among: list[int]
    """Members of the communicator that was split."""
    calls: int
    """Messages and collectives on the communicator, on those derived from it, and on their windows."""


def node_groups(trace: TraceFile) -> list[NodeGroup]:
    """Return the groups that the program of a trace asked for; most programs have none."""
    return [msgspec.convert(group, NodeGroup) for group in _engine.node_groups(trace.engine)]


def node_warnings(trace: TraceFile, layout: Layout) -> list[str]:
    """Return a warning if the program would make different node communicators on `layout` than in the trace.

    Raises UsageError if the layout separates ranks that share memory: the trace has no messages for their exchange,
    so the program cannot be predicted there.
    """
    groups = node_groups(trace)
    node = layout.node_of_rank
    parted = [group for group in groups if len({node[rank] for rank in group.members}) > 1]
    if shared := [group for group in parted if group.shares_memory]:
        raise UsageError(_parted_memory(trace, shared, node))
    if parted:
        calls = sum(group.calls for group in parted)
        replayed = (
            f": {calls:,} of its {trace.engine.events:,} calls are replayed on the recorded ones, and what it would exchange "
            f"between nodes instead is not known; {_RECORD_IT}"
        )
        unused = f". It makes no calls on the recorded ones; if the ranks of a node decide what it does, {_RECORD_IT}"
        return [
            f"{_asked(parted)}, and this layout puts them on {_nodes(parted, node)} nodes. There the program would make "
            f"smaller node communicators{replayed if calls else unused}"
        ]
    grown = [group for group in groups if not group.shares_memory and _would_grow(trace, group, node)]
    if grown:
        return [
            f"{_asked(grown)}, and this layout puts more ranks on a node. There the program would make larger node "
            f"communicators, and what it would exchange inside a node instead is not known; {_RECORD_IT}"
        ]
    return []


def one_rank_a_node(trace: TraceFile) -> str | None:
    """Return a sentence on what replays with one rank a node ignore of a node-aware program; None for others."""
    groups = [group for group in node_groups(trace) if len(group.members) > 1]
    if not groups:
        return None
    how = "shares memory" if any(group.shares_memory for group in groups) else "makes node communicators"
    return (
        f"the program {how} where it ran ({_largest(groups)} ranks a node), so its group of network dependence and what "
        "networks change are those of the recorded calls: on one rank a node it would make others"
    )


def _asked(groups: Sequence[NodeGroup]) -> str:
    return f"the program asked for the ranks of its node (MPI_Comm_split_type), up to {_largest(groups)} where it was recorded"


def _parted_memory(trace: TraceFile, groups: Sequence[NodeGroup], node: Sequence[int]) -> str:
    return (
        f"{trace.path}: memory is shared by up to {_largest(groups)} ranks (MPI_Win_allocate_shared), and this layout puts them "
        f"on {_nodes(groups, node)} nodes, where they cannot. What they exchange through it is in no message of the trace, so "
        f"nothing is predicted; keep them on one node (`nodes` 1, `ppn` {_largest(groups)} or `placement`), or {_RECORD_IT}"
    )


def _largest(groups: Sequence[NodeGroup]) -> int:
    return max(len(group.members) for group in groups)


def _nodes(groups: Sequence[NodeGroup], node: Sequence[int]) -> int:
    return max(len({node[rank] for rank in group.members}) for group in groups)


def _would_grow(trace: TraceFile, group: NodeGroup, node: Sequence[int]) -> bool:
    """Return whether a group of all ranks of its node would have more members on the layout."""
    host = {rank.rank: rank.host for rank in trace.metadata.ranks}
    if not group.members or any(not host.get(rank) for rank in group.among):
        return False
    first = group.members[0]
    recorded = {rank for rank in group.among if host[rank] == host[first]}
    # A type for a part of a node, such as a NUMA domain, does not describe the whole node.
    return recorded == set(group.members) != {rank for rank in group.among if node[rank] == node[first]}
