"""Opens a trace for reading. An incomplete one is refused unless its reader may use the rest of it."""

from pathlib import Path

import msgspec

from linkworth import _engine
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.trace import TraceMetadata
from linkworth.trace.readable import readable_events

ADVICE = "copy or record it again, or use the readable part with `allow_damaged`"


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
