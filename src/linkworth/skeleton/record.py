"""Writes the trace that a run of a bundled program would produce."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from linkworth import __version__, _engine
from linkworth.errors import UsageError
from linkworth.model.rates import RateSource
from linkworth.model.trace import TraceMetadata, TraceSummary
from linkworth.skeleton.program import Program, check
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.trace.record import publish
from linkworth.writing.documents import encode
from linkworth.writing.files import not_written, unwritable, work_folder
from linkworth.writing.folders import remove_folder


def record_skeleton(
    program: Program,
    ranks: int,
    rates: RateSource,
    output: Path,
    *,
    replace: bool = False,
    progress: StepProgress = SILENT,
) -> TraceSummary:
    """Write the trace of `program` on `ranks` ranks, with computation at `rates`; nothing is run.

    If `output` exists, a number is added to the name, unless `replace` is set; the summary has the `path`. Memory is
    that of one rank for each core. Raises UsageError for an invalid rank count and an output that cannot be made, and
    EnvironmentLacksError for a full disk.
    """
    check(program, ranks)
    metadata = TraceMetadata(
        workload=program.workload,
        command=program.command,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        linkworth=__version__,
        source="skeleton",
        timed=False,
        rates=rates,
    )
    folder = work_folder(output, f".{output.stem}-")
    try:
        progress.plan(ranks)
        written = write_skeleton(
            program,
            ranks,
            rates,
            folder / "skeleton.lwt",
            encode(metadata).decode(),
            progress=lambda _: progress.step(f"{program.workload}: ranks recorded"),
        )
        path = publish(folder / "skeleton.lwt", output, replace)
    except _engine.TraceWriteError as error:
        raise not_written(error, folder / "skeleton.lwt", output) from None
    except (_engine.SkeletonError, _engine.TraceError) as error:
        raise UsageError(f"{program.workload}: {error}") from None
    except OSError as error:
        raise unwritable(output, error) from None
    finally:
        remove_folder(folder)
    return TraceSummary(
        path=str(path),
        ranks=ranks,
        events=written["events"],
        bytes=written["file_bytes"],
        verified=None,
        workload=program.workload,
        state="complete",
        rates=rates,
    )


def write_skeleton(
    program: Program,
    ranks: int,
    rates: RateSource,
    path: Path,
    metadata_json: str,
    *,
    iterations: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> dict[str, int]:
    """Write a program's trace on all cores, and return its numbers of events and bytes.

    `iterations`: those of a shorter run. Raises the engine's errors: SkeletonError for a program that cannot be recorded so.
    """
    return _engine.record_skeleton(
        program.name,
        program.arguments,
        ranks,
        [rates.seconds_per_operation[phase] for phase in program.phases],
        str(path),
        metadata_json,
        len(os.sched_getaffinity(0)),
        progress,
        iterations,
    )
