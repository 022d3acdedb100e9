"""Number of nodes of a study's cell."""

from linkworth.errors import UsageError
from linkworth.report.study.results import Group, Results
from linkworth.study.matrix import layout


def nodes_of(results: Results, group: Group) -> int | None:
    """Return the number of nodes from the study file, or else from the runs; None if neither has it."""
    workload = results.workload(group.workload)
    environment = results.environment(group.environment)
    if workload is not None and environment is not None:
        try:
            _, nodes, _ = layout(results.study, workload, environment)
        except UsageError:
            nodes = None
        if nodes is not None:
            return nodes
    said = {record.facts["nodes"] for record in group.done if record.facts.get("nodes")}
    if len(said) != 1:
        return None
    text = said.pop()
    return int(text) if text.isdecimal() else len(text.split(", "))
