"""Shared parts of the formats for timelines."""

from typing import Any

from linkworth.model.conversion import ConversionSummary
from linkworth.trace.read import TraceFile
from linkworth.units import plural


def hosts_by_rank(trace: TraceFile) -> list[str]:
    """Return each rank's host, or an empty list if the trace lacks one (a skeleton's ranks ran nowhere)."""
    hosts = {each.rank: each.host for each in trace.metadata.ranks}
    if any(not hosts.get(rank) for rank in range(trace.engine.ranks)):
        return []
    return [hosts[rank] for rank in range(trace.engine.ranks)]


def summary(trace: TraceFile, written: dict[str, Any]) -> ConversionSummary:
    """Return the summary of a conversion, with the messages that could not be drawn from end to end."""
    return ConversionSummary(
        ranks=trace.engine.ranks, records=written["events"], bytes=written["bytes"], remarks=_remarks(written)
    )


def _remarks(written: dict[str, Any]) -> list[str]:
    said = []
    if half := written["half_messages"]:
        said.append(
            f"{plural(half, 'end')} of messages left out, because the trace does not contain the other end"
        )
    if unplaced := written["unplaced"]:
        said.append(
            f"{plural(unplaced, 'message')} left out, because the creation of the communicator is missing from the trace"
        )
    return said
