"""Opens a trace for reading."""

from pathlib import Path

import msgspec

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.trace import TraceMetadata


class TraceFile(msgspec.Struct, frozen=True, kw_only=True):
    """An open trace."""

    path: Path
    metadata: TraceMetadata
    engine: _engine.Trace
    damage: list[str]
    """What was lost when it was recorded and what of the file cannot be read, one sentence each."""

    @property
    def incomplete(self) -> bool:
        """Parts of the run are missing, so that a replay has to stop where the trace does."""
        return bool(self.damage) or any(rank.state != "complete" for rank in self.metadata.ranks)


def open_trace(path: Path) -> TraceFile:
    """Open a trace and check it. Raises UsageError where it is missing, empty, no trace, or too new."""
    if path.suffix == ".otf2":
        raise UsageError(
            f"{path} is an OTF2 archive: make a trace of it with `linkworth convert {path} -o FILE.lwt`, and give that"
        )
    try:
        engine = _engine.Trace(str(path))
    except _engine.TraceError as error:
        raise UsageError(str(error)) from error
    try:
        metadata = msgspec.json.decode(engine.metadata_json, type=TraceMetadata)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path}: its metadata cannot be read ({error}); record the program again"
        ) from error
    damage = [*metadata.damage, *(what for _, _, what in engine.damage)]
    return TraceFile(path=path, metadata=metadata, engine=engine, damage=damage)
