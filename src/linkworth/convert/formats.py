"""Formats of other tools: a module `linkworth.convert.<name>` for each, and this list of their abilities.

A written format has `write(trace, output, options) -> ConversionSummary`, where `output` is a new, empty folder or
the name of a new file. A read format has `recognises(path) -> bool`, a cheap look at the file, and
`read(path, output, options) -> ConversionSummary`, which writes the trace `output`. `linkworth.convert.run` adds the
names, the formats, the trace's damage and its lack of times to the summary.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, cast

import msgspec

from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.trace.read import TraceFile


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """One format of another tool."""

    name: str
    """Name for `--to`, and of the module."""
    what: str
    """Description of what is written or read, for the help text."""
    written: Literal["folder", "file"]
    """Kind of output of a conversion."""
    suffix: str
    """Suffix of the default output, with its dot."""
    unit: str = "record"
    """Unit of `ConversionSummary.records`."""
    read: bool = False
    """Traces can be made from it."""
    timed: bool = True
    """False if the format has no time inside calls."""
    options: tuple[str, ...] = ()
    """Fields of `ConversionOptions` that only this format uses."""


class FormatModule(Protocol):
    """Module of a format; `recognises` and `read` only if traces can be made from it."""

    write: Callable[[TraceFile, Path, ConversionOptions], ConversionSummary]
    recognises: Callable[[Path], bool]
    read: Callable[[Path, Path, ConversionOptions], ConversionSummary]


FORMATS = {
    each.name: each
    for each in (
        Format(
            name="ti",
            what="SimGrid's time-independent traces, for `smpirun -replay`",
            written="folder",
            suffix=".ti",
            unit="action",
            read=True,
            timed=False,
            options=("flops_per_second", "whole", "collectives", "mpi_library"),
        ),
        Format(
            name="paje",
            what="a Paje trace, for pj_dump, ViTE and StarVZ",
            written="file",
            suffix=".paje",
            unit="call",
        ),
        Format(
            name="perfetto",
            what="a Perfetto trace, for ui.perfetto.dev",
            written="file",
            suffix=".perfetto-trace",
            unit="call",
        ),
        Format(
            name="parquet",
            what="a Parquet table of all calls, for DuckDB and pandas",
            written="file",
            suffix=".parquet",
            unit="row",
        ),
        Format(
            name="otf2",
            what="an archive of the Open Trace Format 2, as Score-P, EZTrace and TAU write it, for Vampir and otf2-print",
            written="folder",
            suffix=".otf2",
            read=True,
            options=("attributes",),
        ),
    )
}
ALIASES = {"simgrid": "ti"}
"""Other names of targets."""


def targets() -> dict[str, str]:
    """Return the descriptions of the formats that can be written, by name."""
    return {each.name: each.what for each in FORMATS.values()}


def module(name: str) -> FormatModule:
    """Return the module of a format."""
    return cast("FormatModule", importlib.import_module(f"linkworth.convert.{name}"))


def recognise(path: Path) -> str | None:
    """Return the name of the format of a file or folder; None for any other, such as a trace of linkworth."""
    return next(
        (each.name for each in FORMATS.values() if each.read and module(each.name).recognises(path)), None
    )
