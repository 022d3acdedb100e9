"""How ranks lie on nodes."""

from linkworth.errors import UsageError
from linkworth.model.prediction import Layout


def block(ranks: int, nodes: int | None = None, ppn: int | None = None) -> Layout:
    """Lay `ranks` on `nodes` in blocks of consecutive ranks, as evenly as they go, or with `ppn` ranks a node.

    Without `nodes`: as many as `ppn` needs, or two (one for a single rank). Raises UsageError where they do not fit.
    """
    for value, option in ((nodes, "--nodes"), (ppn, "--ppn")):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value}: give a whole number of at least 1")
    if nodes is None:
        nodes = -(-ranks // ppn) if ppn is not None else min(2, ranks)
    if ppn is not None and not (nodes - 1) * ppn < ranks <= nodes * ppn:
        raise UsageError(
            f"--nodes {nodes} --ppn {ppn}: that is room for {nodes * ppn} ranks on {nodes} nodes, but the trace has {ranks}; "
            f"give --nodes {-(-ranks // ppn)}, or leave --ppn out"
        )
    if nodes > ranks:
        raise UsageError(f"--nodes {nodes}: the trace has only {ranks} ranks; give at most that many nodes")
    if ppn is not None:
        return Layout(nodes=nodes, node_of_rank=[rank // ppn for rank in range(ranks)])
    return Layout(nodes=nodes, node_of_rank=[rank * nodes // ranks for rank in range(ranks)])
