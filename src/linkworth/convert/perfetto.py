"""Perfetto traces (protobuf)."""

from pathlib import Path

from linkworth import _engine
from linkworth.convert.timelines import hosts_by_rank, summary
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.trace.read import TraceFile


def write(trace: TraceFile, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Write one file: a track for each rank, a slice for each call, a flow for each message."""
    written = _engine.write_perfetto(trace.engine, str(output), hosts_by_rank(trace))
    return summary(trace, written)
