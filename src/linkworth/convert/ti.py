"""SimGrid's time-independent traces."""

from pathlib import Path

from linkworth import _engine
from linkworth.convert.ti_import import read, recognises
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.model.settings import ReplaySettings
from linkworth.replay.collectives import rules_for
from linkworth.trace.read import TraceFile

__all__ = ["read", "recognises", "write"]


def write(trace: TraceFile, folder: Path, options: ConversionOptions) -> ConversionSummary:
    """Write `rank-N.txt` for each rank and their list `ti.txt`.

    Raises `_engine.ConvertError` for a call that the format cannot represent.
    """
    rules = rules_for(trace.metadata.mpi, ReplaySettings(mpi_library=options.mpi_library))
    written = _engine.write_ti(
        trace.engine,
        str(folder),
        options.flops_per_second,
        options.whole,
        options.collectives == "messages",
        rules.library,
        [],
    )
    return ConversionSummary(
        trace=str(trace.path),
        target="ti",
        path=str(folder),
        entry="ti.txt",
        ranks=trace.engine.ranks,
        records=written["actions"],
        bytes=written["bytes"],
        marked_region=written["marked_region"],
        fixed_wildcards=written["fixed_wildcards"],
        unmatched=written["unmatched"],
        as_messages=written["as_messages"],
        as_sleep=written["as_sleep"],
        damage=trace.damage,
    )
