"""Opens a trace for reading. An incomplete one is refused unless its reader may use the rest of it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth import _engine
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.trace import TraceMetadata
from linkworth.units import plural

ADVICE = "copy or record it again, or use the readable part with `allow_damaged`"


def without_advice(error: Exception) -> str:
    """Return an error's text without `ADVICE`, for work that takes no incomplete trace in any case."""
    return str(error).removesuffix(f"; {ADVICE}")


class Allowance:
    """Permission to use incomplete traces; it collects what each one lacks."""

    def __init__(self) -> None:
        self.lacks: list[str] = []
        """One sentence for each incomplete trace that was used."""


class TraceFile(msgspec.Struct, frozen=True, kw_only=True):
    """An open trace."""

    path: Path
    metadata: TraceMetadata
    engine: _engine.Trace
    lacks: str | None = None
    """Sentence on the readable part of an incomplete trace; None if the trace is complete."""
    damage: list[str]
    """`lacks`, and each loss in a sentence of its own; empty if the trace is complete."""

    @property
    def incomplete(self) -> bool:
        """True if parts of the run are missing, so that a replay stops where the trace does."""
        return self.lacks is not None

    def require_every_rank(self) -> None:
        """Raise DamagedInputError if nothing is readable of some rank, so that no time can be predicted."""
        if self.lacks is not None and not all(self.engine.rank_events):
            raise DamagedInputError(f"{self.lacks}; without any event of a rank no time can be predicted")


def open_trace(path: Path, allowed: Allowance | None = None) -> TraceFile:
    """Open a trace and check it.

    A trace is complete if every block is intact and every rank reached MPI_Finalize. Any other is opened only if `allowed`.
    A rank of a synthetic trace may have no calls, if the metadata names it as complete. Any other calls at least MPI_Finalize.
    Raises UsageError for anything but a trace, and DamagedInputError with the readable parts of the ranks.
    """
    if path.suffix == ".otf2":
        raise UsageError(
            f"{path} is an OTF2 archive: make a trace of it with `linkworth convert {path} -o FILE.lwt`, and give that"
        )
    try:
        engine = _engine.Trace(str(path), refuse_damage=allowed is None)
    except _engine.TraceError as error:
        raise UsageError(str(error)) from error
    try:
        metadata = msgspec.json.decode(engine.metadata_json, type=TraceMetadata)
    except JSON_ERRORS as error:
        raise UsageError(
            f"{path}: its metadata cannot be read ({error}); record the program again"
        ) from error
    known = [rank.rank for rank in metadata.ranks]
    if len(set(known)) < len(known) or max(known, default=0) >= engine.ranks:
        raise UsageError(
            f"{path}: its metadata names other ranks than its {engine.ranks}; record the program again"
        )
    damage = [*metadata.damage, *(what for _, _, what in engine.damage)]
    if allowed is not None:
        # Some damage shows only when decoding; without permission the first reader stops at it.
        damage += [what for _, _, what in engine.check()[2]]
    may_be_empty = set(known) if metadata.source == "synthetic" else set()
    missing = any(not events and rank not in may_be_empty for rank, events in enumerate(engine.rank_events))
    if not (damage or missing or any(rank.state != "complete" for rank in metadata.ranks)):
        return TraceFile(path=path, metadata=metadata, engine=engine, damage=[])
    lacks = f"{path} is incomplete: readable are {readable_events(metadata, engine)}"
    if metadata.damage and all(rank.state == "complete" for rank in metadata.ranks):
        lacks += f"; {metadata.damage[0]}"
    if allowed is None:
        raise DamagedInputError(f"{lacks}; {ADVICE}")
    allowed.lacks.append(lacks)
    return TraceFile(
        path=path,
        metadata=metadata,
        engine=engine,
        lacks=lacks,
        damage=[lacks, *(what for what in damage if what not in lacks)],
    )


def opened(trace: Path | TraceFile) -> TraceFile:
    """Return an open trace unchanged, or open the trace at a path."""
    return open_trace(trace) if isinstance(trace, Path) else trace


MOST_RANGES = 6
"""Most ranges of ranks that a sentence names one by one."""
ENDINGS = {
    "cut": "did not reach MPI_Finalize",
    "aborted": "called MPI_Abort",
    "disk full": "had no more space to record in",
}
"""Ends of a rank that is not complete, by its state."""


def readable_events(metadata: TraceMetadata, engine: _engine.Trace) -> str:
    """Return the readable events by rank, as the rest of a sentence."""
    read, lost = engine.rank_events, engine.lost_events
    ranks = range(engine.ranks)
    none = [rank for rank in ranks if read[rank] == 0]
    # Without its index a file does not show how many blocks followed the last remaining one.
    part = [rank for rank in ranks if read[rank] and (lost[rank] or not engine.has_index)]
    whole = sorted(set(ranks) - {*none, *part})
    parts = []
    if whole:
        every = "all events" if len(whole) < len(ranks) else "all recorded events"
        parts.append(f"{every} of {named(whole)}")
    if part:
        events = sum(read[rank] for rank in part)
        of = f"{events:,} of " if engine.has_index else ""
        total = events + sum(lost[rank] for rank in part) if engine.has_index else events
        parts.append(f"{of}{plural(total, 'event')} of {named(part)}")
    if none:
        parts.append(f"no events of {named(none)}")
    sentence = ", ".join(parts)
    if not engine.has_index:
        sentence += ", and how many are lost is not known because the file is cut"
    return sentence + _endings(metadata)


def _endings(metadata: TraceMetadata) -> str:
    found = []
    for state, ending in ENDINGS.items():
        ranks = [info.rank for info in metadata.ranks if info.state == state]
        if ranks:
            found.append(f"{named(ranks)} {ending}")
    return "".join(f"; {ending}" for ending in found)


def named(ranks: Sequence[int]) -> str:
    """Return `rank 3`, or `ranks 0 to 2 and 5`; for many ranges only the first, and the number of further ranks."""
    ranges: list[list[int]] = []
    for rank in ranks:
        if ranges and rank == ranges[-1][1] + 1:
            ranges[-1][1] = rank
        else:
            ranges.append([rank, rank])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in ranges[:MOST_RANGES]]
    if rest := sum(last - first + 1 for first, last in ranges[MOST_RANGES:]):
        words.append(f"{rest} more")
    text = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return f"rank{'s' if len(ranks) > 1 else ''} {text}"
