"""Perfetto's traces (protobuf)."""

from pathlib import Path

from linkworth import _engine
from linkworth.convert.timelines import hosts_by_rank, summary
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.trace.read import TraceFile


def write(trace: TraceFile, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Write one file: a track a rank, a slice a call, a flow a message."""
    written = _engine.write_perfetto(trace.engine, str(output), hosts_by_rank(trace))
    return summary(trace, output, "perfetto", written)
