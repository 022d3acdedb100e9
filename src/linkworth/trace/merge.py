"""Merges the ranks' parts of a recorded run into one trace."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from linkworth import __version__, _engine
from linkworth.errors import IncompleteError, UsageError
from linkworth.model.trace import MpiInfo, RankInfo, TraceMetadata, TraceSummary
from linkworth.trace import call_sites
from linkworth.trace.read import ENDINGS
from linkworth.units import plural
from linkworth.writing.documents import encode


def merge(parts_dir: Path, output: Path, metadata: TraceMetadata) -> TraceSummary:
    """Merge every `*.part` of a folder into `output`; the parts stay.

    `metadata` is completed from the parts (ranks, MPI library, date). Moments are rounded to its `time_step_ns`, not
    lengths, so that no sum of calls and gaps is off by more than one step. Raises UsageError if no part is usable,
    and IncompleteError if the trace cannot be written (the parts can be merged again).
    """
    parts = sorted(str(path) for path in parts_dir.glob("*.part"))
    completed = _completed(metadata, parts)
    ranks: list[RankInfo] = []

    def made(found: list[dict[str, Any]], damage: list[str]) -> str:
        ranks.extend(RankInfo(**each) for each in found)
        return encode(msgspec.structs.replace(completed, ranks=ranks, damage=damage)).decode()

    try:
        result = _engine.merge_parts(parts, str(output), made, step_ns=metadata.time_step_ns)
    except _engine.TraceWriteError as error:
        raise IncompleteError(f"{error}; the recorded parts are kept in {parts_dir}") from error
    except _engine.TraceError as error:
        raise UsageError(str(error)) from error
    return TraceSummary(
        path=str(output),
        ranks=result["ranks"],
        events=result["events"],
        bytes=result["file_bytes"],
        verified=metadata.verified,
        workload=metadata.workload,
        state=_state([rank.state for rank in ranks]),
        seconds=metadata.seconds,
        reported_seconds=metadata.reported_seconds,
        damage=[*metadata.damage, *result["damage"]],
        unmodelled=result["unmodelled"],
    )


def _completed(metadata: TraceMetadata, parts: list[str]) -> TraceMetadata:
    mpi = metadata.mpi
    for part in parts:
        if mpi.library:
            break
        try:
            mpi = MpiInfo(library=_engine.part_info(part)["library"])
        except _engine.TraceError:
            continue
    return msgspec.structs.replace(
        metadata,
        mpi=mpi,
        created=metadata.created or datetime.now(UTC).isoformat(timespec="seconds"),
        linkworth=metadata.linkworth or __version__,
        call_sites=call_sites.resolve(call_sites.of_parts(map(Path, parts))),
    )


def _state(states: list[str]) -> str:
    """Return `complete`, or how many ranks are not complete, and why."""
    counts = Counter(states)
    reasons = [
        f"{counts[state]} of {plural(len(states), 'rank')} {reason}"
        for state, reason in ENDINGS.items()
        if counts[state]
    ]
    return "; ".join(reasons) or "complete"
