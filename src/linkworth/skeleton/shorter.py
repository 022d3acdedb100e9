"""Short runs of a bundled program whose iterations are all alike."""

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth import __version__, _engine
from linkworth.errors import UsageError
from linkworth.model.prediction import Prediction, ReplayTimes
from linkworth.model.trace import TraceMetadata
from linkworth.skeleton.program import parse
from linkworth.skeleton.record import write_skeleton

FEW, MORE = 2, 4
"""Iterations of the two runs."""
_LEAST_ITERATIONS = 3 * MORE
"""Iterations of a program for which two short runs take less time than the whole."""


class ShorterRuns(NamedTuple):
    """Traces of the same program with fewer iterations."""

    few: _engine.Trace
    more: _engine.Trace
    rest: float
    """Iterations of the whole program beyond those of `more`, over those of `more` beyond those of `few`."""

    def whole(self, few: Prediction, more: Prediction) -> Prediction:
        """Return the times and counts of the whole program, which grow by the same with each iteration."""
        grown: dict[str, float] = {}
        for name in ReplayTimes.__struct_fields__:
            less, value = getattr(few, name), getattr(more, name)
            found = value + self.rest * (value - less)
            grown[name] = round(found) if isinstance(value, int) else found
        return msgspec.structs.replace(more, **grown)


def shorter_runs(trace: _engine.Trace, metadata: TraceMetadata) -> ShorterRuns | None:
    """Return short runs of a trace's program; None for a recording, and for a program with few or differing iterations."""
    if metadata.source != "skeleton" or metadata.linkworth != __version__:
        return None
    return _of_skeleton(trace)


@lru_cache(maxsize=1)
def _of_skeleton(trace: _engine.Trace) -> ShorterRuns | None:
    metadata = msgspec.json.decode(trace.metadata_json, type=TraceMetadata)
    try:
        few, more = (_recorded(trace, metadata, iterations) for iterations in (FEW, MORE))
    except (UsageError, OSError, _engine.SkeletonError, _engine.TraceError):
        return None
    events, of_few, of_more = (sum(each.rank_events) for each in (trace, few, more))
    further, remainder = divmod((events - of_more) * (MORE - FEW), of_more - of_few)
    if remainder or MORE + further < _LEAST_ITERATIONS:
        return None
    return ShorterRuns(few, more, further / (MORE - FEW))


def _recorded(trace: _engine.Trace, metadata: TraceMetadata, iterations: int) -> _engine.Trace:
    assert metadata.rates is not None
    with tempfile.TemporaryDirectory(prefix="linkworth-") as folder:
        path = Path(folder) / "shorter.lwt"
        program = parse(metadata.command)
        write_skeleton(program, trace.ranks, metadata.rates, path, trace.metadata_json, iterations=iterations)
        return _engine.Trace(str(path))
