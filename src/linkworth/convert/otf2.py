"""OTF2 archives: the Open Trace Format 2 of Score-P, EZTrace, TAU and Vampir."""

import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import linkworth
from linkworth import _engine
from linkworth.convert.otf2_library import library
from linkworth.errors import UsageError
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.model.trace import RankInfo, TraceMetadata
from linkworth.trace.read import TraceFile
from linkworth.units import count
from linkworth.writing.documents import encode

NAME = "traces"
"""Base name of an archive's files, as in Score-P."""
_ROOM_BYTES = 1 << 16
"""Free space below which a file that cannot be written has met a full disk."""


def recognises(path: Path) -> bool:
    """Return whether the path is an archive's anchor file, or a folder with one."""
    return path.suffix == ".otf2" or (path.is_dir() and bool(_anchors(path)))


def write(trace: TraceFile, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Write an archive into the folder `output`: `traces.otf2`, `traces.def` and the locations' events in `traces`.

    Raises EnvironmentLacksError if OTF2 is missing, `_engine.ConvertError`, and `_engine.TraceWriteError` on a full disk.
    """
    metadata = trace.metadata
    hosts = {rank.rank: rank.host for rank in metadata.ranks}
    try:
        written = _engine.write_otf2(
            trace.engine,
            str(library()),
            str(output),
            NAME,
            f"linkworth {linkworth.__version__}",
            f"{metadata.workload}, converted from {trace.path.name}",
            Path(metadata.command[0]).name if metadata.command else metadata.workload or "program",
            [hosts.get(rank, "") for rank in range(trace.engine.ranks)],
            _nanoseconds(metadata.created),
            options.attributes,
        )
    except _engine.ConvertError:
        # OTF2 gives no cause when a file cannot grow.
        if shutil.disk_usage(output).free < _ROOM_BYTES:
            raise _engine.TraceWriteError(f"{output} cannot be written: no space left") from None
        raise
    remarks = []
    if written["without_place"] and not options.attributes:
        remarks.append(f"OTF2 has no place for some fields of {written['without_place']} calls")
    return ConversionSummary(
        entry=f"{NAME}.otf2",
        ranks=trace.engine.ranks,
        records=written["records"],
        bytes=sum(file.stat().st_size for file in output.rglob("*") if file.is_file()),
        remarks=remarks,
    )


def read(path: Path, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Make a trace from an archive. Raises UsageError if it is missing or damaged, and EnvironmentLacksError."""
    del options
    anchor = _anchor(path)
    archive = _engine.Otf2Archive(str(library()), str(anchor))
    metadata = archive.metadata_json or _metadata_of_other_tool(archive, anchor)
    taken = archive.write_trace(str(output), metadata)
    return ConversionSummary(
        ranks=len(archive.hosts),
        records=taken["events"],
        bytes=taken["bytes"],
        unknown=taken["unknown"],
        remarks=_remarks(taken),
    )


def _remarks(taken: dict[str, Any]) -> list[str]:
    said = {
        "without_message": "{} non-blocking receives or collectives have no end in the archive; their requests receive nothing, "
        "and a replay stops if a sender waits for them",
        "far_ahead": "{} receives end so late that they are receives from any source",
        "divided": "{} collectives have counts by peer, which OTF2 does not store; their total is divided evenly",
        "in_place": "{} collectives may have used MPI_IN_PLACE, which their totals do not show; then their sizes are larger by "
        "1 / (ranks - 1)",
        "unfinished": "the archive ends inside of {} calls, which are left out",
    }
    remarks = [sentence.format(count(taken[name])) for name, sentence in said.items() if taken[name]]
    if taken["silent"]:
        silent = ", ".join(f"{name} ({count(calls)})" for name, calls in sorted(taken["silent"].items()))
        remarks.append(f"the archive lacks the bytes of these calls, so only their time is kept: {silent}")
    return remarks


def _metadata_of_other_tool(archive: _engine.Otf2Archive, anchor: Path) -> str:
    ranks = [
        RankInfo(rank=rank, host=host, elapsed_seconds=archive.seconds)
        for rank, host in enumerate(archive.hosts)
    ]
    metadata = TraceMetadata(
        workload=anchor.resolve().parent.name or anchor.stem,
        linkworth=linkworth.__version__,
        source="converted",
        seconds=archive.seconds,
        ranks=ranks,
    )
    return encode(metadata).decode()


def _anchor(path: Path) -> Path:
    if not path.is_dir():
        if not path.is_file():
            raise UsageError(f"{path} does not exist; give the archive's .otf2 file or its folder")
        return path
    anchors = _anchors(path)
    if not anchors:
        raise UsageError(f"{path} contains no .otf2 file; give the folder of an OTF2 archive")
    if len(anchors) > 1:
        names = ", ".join(anchor.name for anchor in anchors)
        raise UsageError(f"{path} has several OTF2 archives ({names}); give the one to convert")
    return anchors[0]


def _anchors(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.otf2") if file.is_file())


def _nanoseconds(created: str) -> int:
    try:
        return int(datetime.fromisoformat(created).timestamp()) * 1_000_000_000
    except ValueError:
        return 0
