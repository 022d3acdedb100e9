"""SimGrid's time-independent traces."""

import datetime
import os
from pathlib import Path

from linkworth import __version__, _engine
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import TraceMetadata
from linkworth.replay.collectives import rules_for
from linkworth.trace.read import TraceFile
from linkworth.units import plural
from linkworth.writing.documents import encode

ACTIONS = frozenset([
    "init", "finalize", "comm_size", "comm_split", "comm_dup", "send", "isend", "recv", "irecv", "test",
    "wait", "waitall", "barrier", "bcast", "reduce", "allreduce", "alltoall", "alltoallv", "gather",
    "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "reducescatter", "scan", "exscan",
    "compute", "sleep", "location",
])  # fmt: skip
"""Actions that SMPI of SimGrid 3.32 replays; old versions write some with capital letters."""

_ENTRY = "ti.txt"


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
    )
    return ConversionSummary(
        entry=_ENTRY,
        ranks=trace.engine.ranks,
        records=written["actions"],
        bytes=written["bytes"],
        marked_region=written["marked_region"],
        fixed_wildcards=written["fixed_wildcards"],
        unmatched=written["unmatched"],
        as_messages=written["as_messages"],
        as_sleep=written["as_sleep"],
    )


def recognises(path: Path) -> bool:
    """Return whether `path` is a file of actions, a list of such files, or a folder written by `--to ti`."""
    first = _first_line(path / _ENTRY if path.is_dir() else path)
    if first is None:
        return False
    if _is_action(first):
        return True
    listed = _first_line(_listed_file(path / _ENTRY if path.is_dir() else path, first))
    return listed is not None and _is_action(listed)


def read(path: Path, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Write the trace `output`.

    Raises `_engine.ConvertError` for an invalid action, with its file and line.
    """
    entry = path / _ENTRY if path.is_dir() else path
    metadata = TraceMetadata(
        workload=path.stem,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        linkworth=__version__,
        source="converted",
        timed=False,
    )
    made = _engine.read_ti(
        [str(each) for each in _files(entry)],
        options.flops_per_second,
        str(output),
        encode(metadata).decode(),
    )
    remarks = ["calls take no time in it, because time-independent traces have none; computation does"]
    if made["idle_waits"]:
        remarks.append(f"left out, because no message had begun: {plural(made['idle_waits'], 'wait')}")
    return ConversionSummary(
        ranks=made["ranks"],
        records=made["events"],
        bytes=made["bytes"],
        unmatched=made["unmatched"],
        unknown=made["unknown"],
        remarks=remarks,
    )


def _files(entry: Path) -> list[Path]:
    first = _first_line(entry)
    if first is None or _is_action(first):
        return [entry]
    return [_listed_file(entry, line) for line in _lines(entry.read_bytes())]


def _listed_file(entry: Path, name: str) -> Path:
    """Find a file of a list: `smpirun` uses its working folder, `--to ti` the list's folder."""
    beside = entry.parent / name
    return beside if os.path.exists(beside) else Path(name)  # noqa: PTH110 (a name that cannot be one is no error here)


def _first_line(path: Path) -> str | None:
    """Return the first line with content if `path` is a text file, else None."""
    if not path.is_file():  # opening a named pipe waits for a writer
        return None
    try:
        with path.open("rb") as file:
            start = file.read(65536)
    except (OSError, ValueError):
        return None
    if b"\0" in start:
        return None
    return next(iter(_lines(start)), None)


def _lines(content: bytes) -> list[str]:
    """Return the lines that are neither empty nor comments, without blanks around them."""
    lines = map(str.strip, os.fsdecode(content).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _is_action(line: str) -> bool:
    words = line.split()
    return len(words) > 1 and words[0].removeprefix("p").isdecimal() and words[1].lower() in ACTIONS
