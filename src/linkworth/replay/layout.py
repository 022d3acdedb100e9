"""Placement of ranks on nodes."""

import os
import re
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.model.prediction import Layout
from linkworth.units import plural

PLACEMENTS = "block, cyclic, a list of node numbers such as 0,0,1,1, or a hostfile or rankfile"
_RANKFILE_LINE = re.compile(r"rank\s+(\d{1,9})\s*=\s*(\S+)(\s.*)?")
_HOSTFILE_LINE = re.compile(r"([^\s:=]+)(?::(\d{1,9}))?((?:\s+(?:max[-_])?(?:slots|cpu)\s*=\s*\d{1,9})*)")
_SLOTS = re.compile(r"(?<![-_])(?:slots|cpu)\s*=\s*(\d+)")


class Arrangement(msgspec.Struct, frozen=True, kw_only=True):
    """Number of nodes, and the placement of ranks on them."""

    nodes: int | None = None
    """None: two, or as many as `ppn` needs."""
    ppn: int | None = None
    """Ranks on a node. None: spread evenly."""
    placement: str = "block"
    """`block`, `cyclic`, node numbers separated by commas, or the path of a hostfile or rankfile."""

    def layout(self, ranks: int) -> Layout:
        """Return the node of each rank. Raises UsageError if the ranks do not fit."""
        return lay_out(ranks, self.nodes, self.ppn, self.placement)


def lay_out(
    ranks: int,
    nodes: int | None = None,
    ppn: int | None = None,
    placement: str = "block",
    *,
    numbered: bool = False,
    option: str = "`placement` ",
) -> Layout:
    """Place `ranks` on nodes: `block`, `cyclic`, node numbers separated by commas, or the path of a hostfile or
    rankfile.

    A list and a file give the nodes themselves, in the order of their first rank. With `numbered`, the numbers of a
    list are those of the nodes, some of which may stay empty. `option` is named in errors, before the placement.
    Raises UsageError for a placement that does not fit the ranks.
    """
    if placement == "block":
        return block(ranks, nodes, ppn)
    if placement == "cyclic":
        count = block(ranks, nodes, ppn).nodes
        return Layout(nodes=count, node_of_rank=[rank % count for rank in range(ranks)])
    listed = re.fullmatch(r"[\d, ]+", placement) is not None
    if listed:
        try:
            names = [str(int(word)) for word in placement.split(",")]
        except ValueError:
            raise UsageError(
                f"{option}{placement}: give a node's number for each rank, such as 0,0,1,1"
            ) from None
    elif os.path.isfile(placement):  # noqa: PTH113 (a text that cannot be a name is no error here)
        names = _hosts_of_file(Path(placement), ranks)
    else:
        raise UsageError(f"{option}{placement}: no such file; give {PLACEMENTS}")
    if nodes is not None or ppn is not None:
        raise UsageError(f"{option}{placement}: it names the nodes already; leave `nodes` and `ppn` out")
    if len(names) != ranks:
        raise UsageError(
            f"{option}{placement}: it places {plural(len(names), 'rank')}, but the trace has {ranks}"
        )
    if numbered and listed:
        numbers = [int(name) for name in names]
        return Layout(nodes=max(numbers) + 1, node_of_rank=numbers)
    order = {name: index for index, name in enumerate(dict.fromkeys(names))}
    return Layout(nodes=len(order), node_of_rank=[order[name] for name in names])


def _hosts_of_file(path: Path, ranks: int) -> list[str]:
    """Return the host of each rank from a rankfile (Open MPI) or a hostfile (Open MPI, MPICH), filled host by host."""
    lines = [
        (number, line.split("#")[0].strip())
        for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), 1)
    ]
    lines = [(number, line) for number, line in lines if line]
    by_rank: dict[int, str] = {}
    slots: list[str] = []
    for number, line in lines:
        if found := _RANKFILE_LINE.fullmatch(line):
            if int(found[1]) in by_rank:
                raise UsageError(
                    f"{path}, line {number}: rank {found[1]} is placed twice; keep one line for it"
                )
            by_rank[int(found[1])] = found[2]
        elif not by_rank and (found := _HOSTFILE_LINE.fullmatch(line)):
            named = _SLOTS.search(found[3])
            slots += [found[1]] * min(ranks, int(found[2] or (named[1] if named else 1)))
        else:
            raise UsageError(
                f"{path}, line {number}: {line!r} is neither a host (node1, node1:8, node1 slots=8) nor a rank (rank 0=node1)"
            )
    if by_rank:
        missing = [rank for rank in range(ranks) if rank not in by_rank]
        if missing or len(by_rank) != ranks:
            count = f"it places {plural(len(by_rank), 'rank')}, but the trace has {ranks}"
            raise UsageError(
                f"{path}: {f'rank {missing[0]} is missing' if missing else count}; give one line a rank"
            )
        return [by_rank[rank] for rank in range(ranks)]
    if len(slots) < ranks:
        raise UsageError(
            f"{path}: room for {plural(len(slots), 'rank')}, but the trace has {ranks}; add hosts or slots"
        )
    return slots[:ranks]


def block(ranks: int, nodes: int | None = None, ppn: int | None = None) -> Layout:
    """Place `ranks` on `nodes` in blocks of consecutive ranks, as evenly as possible, or with `ppn` ranks on each node.

    Without `nodes`: as many as `ppn` needs, or two (one for a single rank). Raises UsageError if they do not fit.
    """
    for value, option in ((nodes, "`nodes`"), (ppn, "`ppn`")):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value}: give a whole number of at least 1")
    if nodes is None:
        nodes = -(-ranks // ppn) if ppn is not None else min(2, ranks)
    if ppn is not None and not (nodes - 1) * ppn < ranks <= nodes * ppn:
        raise UsageError(
            f"`nodes` {nodes} `ppn` {ppn}: that is room for {plural(nodes * ppn, 'rank')} on "
            f"{plural(nodes, 'node')}, but the trace has {ranks}; "
            f"give `nodes` {-(-ranks // ppn)}, or leave `ppn` out"
        )
    if nodes > ranks:
        raise UsageError(
            f"`nodes` {nodes}: the trace has only {plural(ranks, 'rank')}; give at most that many nodes"
        )
    if ppn is not None:
        return Layout(nodes=nodes, node_of_rank=[rank // ppn for rank in range(ranks)])
    return Layout(nodes=nodes, node_of_rank=[rank * nodes // ranks for rank in range(ranks)])
