"""Paje traces."""

from pathlib import Path

from linkworth import _engine
from linkworth.convert.timelines import hosts_by_rank, summary
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.trace.read import TraceFile


def write(trace: TraceFile, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Write one file in order of time: a container for each rank, a state for each call, a link for each message."""
    written = _engine.write_paje(trace.engine, str(output), hosts_by_rank(trace))
    return summary(trace, written)
