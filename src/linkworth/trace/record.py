"""Runs a workload with the preload library and merges the ranks' records into one trace, however the run ended."""

import contextlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth import __version__
from linkworth._engine import TraceError, part_info
from linkworth.errors import IncompleteError, LinkworthError, UsageError
from linkworth.measure.ending import stopped_by, was_interrupted
from linkworth.measure.plan import Plan, refuse_static
from linkworth.measure.ranks_found import own_launcher, ranks_found
from linkworth.measure.run import execute, must_yield
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.run import RunResult
from linkworth.model.trace import MpiInfo, TraceMetadata, TraceSummary
from linkworth.model.workload import Workload
from linkworth.mpi import build, preload
from linkworth.places.job import Observer
from linkworth.trace.merge import merge
from linkworth.writing.documents import encode
from linkworth.writing.files import is_stream, put, unwritable, work_folder, write_atomically
from linkworth.writing.folders import remove_folder

METADATA = "metadata.json"
"""File in the folder of the parts with the inputs of the merge, so that it can also be done later."""

TIME_STEP_NS = 32
"""Step to which a recording's times are rounded. The error is at most 16 ns. The clock costs more at each end of a
call (19 to 29 ns a pair, benchmarks/RESULTS.md, 2026-11-22), and so does the recording. Finer digits are noise, which
no compression makes smaller: 1.2 to 1.6 bytes of each event."""


class _Parts(NamedTuple):
    files: list[Path]
    world_sizes: list[int]
    aborted: bool
    """Some rank called MPI_Abort."""


def record(
    decided: Plan,
    *,
    output: Path,
    timeout: float | None = None,
    watcher: Observer | None = None,
    inherit_stdin: bool = False,
    replace: bool = False,
    exact: bool = False,
) -> TraceSummary:
    """Run and record a planned workload; the summary has the trace's `path`.

    If `output` exists, a number is added to the name, unless `replace` is set. A program that fails, dies or takes
    longer than `timeout` seconds still leaves a trace up to that moment, and the summary's `state` describes the end.
    Times are rounded to `TIME_STEP_NS`, unless `exact` is set.

    Raises UsageError if the program cannot be recorded (no MPI program, linked statically, another MPI), and
    EnvironmentLacksError if this machine lacks something. Raises IncompleteError if the user stopped it or the merge
    failed: the message names what is kept.
    """
    workload = decided.workload
    refuse_static(decided)
    library = build.tracer(decided.mpi)
    made = [folder.absolute() for folder in output.parents if not folder.exists()]
    parts = _parts_folder(output)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    metadata = TraceMetadata(
        workload=workload.name,
        command=workload.command,
        created=created,
        linkworth=__version__,
        mpi=MpiInfo(library=decided.mpi.library, version=decided.mpi.library_version),
        time_step_ns=0 if exact else TIME_STEP_NS,
        one_machine=decided.launcher.name == "lab",
    )
    try:
        try:
            _save(metadata, parts)
        except OSError as error:
            raise unwritable(output, error) from None
        with ranks_found(decided, parts) as found:
            result = execute(
                decided,
                output=None,
                environment=preload.environment(
                    library,
                    behind=decided.preloaded,
                    parts=parts,
                    yielding=must_yield(decided),
                    crowded=decided.oversubscribed,
                ),
                found=found,
                timeout=timeout,
                watcher=watcher,
                inherit_stdin=inherit_stdin,
            )
            read = _read_parts(parts)
            trouble = found.trouble(decided, read.world_sizes)
        metadata = msgspec.structs.replace(
            metadata,
            exit_code=None if stopped_by(result) else result.exit_code,
            verified=result.verified,
            seconds=result.seconds,
            reported_seconds=result.reported_seconds,
        )
        if trouble:
            raise LinkworthError(f"{workload.name}: {trouble}")
        _check(decided, result, read)
    except LinkworthError:
        # Nothing usable was recorded: the checks above fail before anything is worth keeping.
        _remove(parts, made)
        raise
    except BaseException as error:
        if any(size > 0 for size in _read_parts(parts).world_sizes):
            raise _kept(parts, output, error) from error
        _remove(parts, made)
        raise
    with contextlib.suppress(OSError):
        _save(metadata, parts)
    summary = _merge_kept(parts, output, metadata, replace)
    if result.state == "complete":
        return summary
    if was_interrupted(result):
        raise IncompleteError(
            f"{workload.name}: {result.message}; what was recorded until then is in {summary.path}",
            "interrupted",
        )
    return msgspec.structs.replace(summary, state=_ending(result, read))


def _ending(result: RunResult, parts: _Parts) -> str:
    """Return how the run ended. The ranks' own records show an MPI_Abort that the launcher does not report."""
    if result.state == "failed" and parts.aborted:
        return f"aborted: the program called MPI_Abort with code {result.exit_code}"
    return f"{result.state}: {result.message}"


def merge_folder(parts: Path, output: Path, *, replace: bool = False, exact: bool = False) -> TraceSummary:
    """Merge a folder of parts, as left by a recording, into a trace, and remove the folder afterwards.

    Times are rounded as in the recording's settings, unless `exact` is set. Raises UsageError for a folder without
    parts, and IncompleteError if the trace cannot be written; the parts stay then.
    """
    if not any(parts.glob("*.part")):
        raise UsageError(f"{parts} contains no parts of a recording (*.part)")
    try:
        metadata = msgspec.json.decode((parts / METADATA).read_bytes(), type=TraceMetadata)
    except (OSError, *JSON_ERRORS):
        metadata = TraceMetadata(workload=output.stem, time_step_ns=TIME_STEP_NS)
    if exact:
        metadata = msgspec.structs.replace(metadata, time_step_ns=0)
    return _merge_kept(parts, output, metadata, replace)


def _merge_kept(parts: Path, output: Path, metadata: TraceMetadata, replace: bool) -> TraceSummary:
    beside = None
    try:
        beside = work_folder(output, f".{output.stem}-")  # the disk of the parts may be full
        summary = merge(parts, beside / "merged.lwt", metadata)
        path = publish(beside / "merged.lwt", output, replace)
    except (OSError, TraceError, LinkworthError, KeyboardInterrupt) as error:
        raise _kept(parts, output, error) from error
    finally:
        if beside is not None:
            remove_folder(beside)
    remove_folder(parts)
    return msgspec.structs.replace(summary, path=str(path))


def _kept(parts: Path, output: Path, error: BaseException) -> IncompleteError:
    """Return the error that names parts from which a trace can be made later."""
    interrupted = isinstance(error, KeyboardInterrupt)
    why = "it was interrupted" if interrupted else error
    return IncompleteError(
        f"the parts could not be merged into {output} ({why}); make a trace of them, where there is room, with "
        f"linkworth trace `merge` {parts} `output` {output}",
        "interrupted" if interrupted else "",
    )


_MOST_BYTES = 200
"""Bytes of a program's name in that of its trace. A file's name has 255, and that of the parts is longer."""


def default_output(workload: Workload) -> Path:
    """Return the name of a workload's trace in the current folder: `<workload>-<ranks>.lwt`."""
    plain = "".join(c if c.isalnum() or c in "._+-" else "-" for c in workload.name)
    plain = plain.encode()[:_MOST_BYTES].decode(errors="ignore")
    return Path(f"{plain}-{workload.ranks}.lwt" if workload.ranks else f"{plain}.lwt")


def _parts_folder(output: Path) -> Path:
    """Make a folder for this recording beside the output, so that simultaneous recordings do not collide."""
    return work_folder(output, f"{output.stem}-", ".parts").absolute()


def _remove(parts: Path, made: Sequence[Path]) -> None:
    """Remove the parts of a failed recording, and the folders that were made for its output, the innermost first."""
    remove_folder(parts)
    for folder in made:
        with contextlib.suppress(OSError):  # not empty: another recording is there
            folder.rmdir()


def publish(merged: Path, output: Path, replace: bool) -> Path:
    """Move a finished trace to its name; a number is added if the name is taken, also by another process meanwhile."""
    dangling = output.is_symlink() and not output.exists()
    if replace or dangling or is_stream(output):
        put(merged, output)
        return output
    number = 1
    while True:
        path = output if number == 1 else output.with_name(f"{output.stem}-{number}{output.suffix}")
        try:
            os.link(merged, path)
        except FileExistsError:
            number += 1
            continue
        except OSError:
            # A file system without hard links: reserve the name, then move.
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                number += 1
                continue
            return merged.replace(path)
        merged.unlink()
        return path


def _save(metadata: TraceMetadata, parts: Path) -> None:
    write_atomically(parts / METADATA, encode(metadata))


def _read_parts(folder: Path) -> _Parts:
    files = sorted(folder.glob("*.part"))
    sizes = []
    aborted = False
    for file in files:
        try:
            found = part_info(str(file))
        except (TraceError, OSError):
            # Damaged: the merge reports it by name.
            continue
        sizes.append(int(found["size"]))
        aborted = aborted or found["state"] == "aborted"
    return _Parts(files, sizes, aborted)


def _check(decided: Plan, result: RunResult, parts: _Parts) -> None:
    """Raise the error that explains an unusable recording, in which no rank left MPI_Init."""
    name = decided.workload.name
    began = [size for size in parts.world_sizes if size > 0]
    if parts.files and not parts.world_sizes:
        raise IncompleteError(
            f"{name}: the recordings of its ranks are damaged, so no trace was made: "
            f"{result.message or 'is the disk full?'}",
            stopped_by(result),
        )
    if not began:
        if launcher := own_launcher(decided.workload.command):
            raise UsageError(
                f"{name} is a script that starts {launcher} by itself, so nothing was recorded: "
                f"give the {launcher} command in it to linkworth instead"
            )
        if result.state == "complete":
            elsewhere = (
                ", or the nodes do not share the folder of the trace with this machine"
                if result.nodes and result.where != "local"
                else ""
            )
            raise UsageError(
                f"{name} made no MPI call that could be recorded: it is not an MPI program, it uses another MPI than "
                f"{decided.mpi.name} (choose with `mpi`), its command clears LD_PRELOAD, as env -i does, or it looks MPI up "
                f"in the library by itself, as ctypes does{elsewhere}"
            )
        if result.state in ("timeout", "killed"):
            raise IncompleteError(
                f"{name} called no MPI_Init, so nothing was recorded: {result.message}", stopped_by(result)
            )
        raise UsageError(f"{name} called no MPI_Init, so nothing was recorded: {result.message}")
