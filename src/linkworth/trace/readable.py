"""Description of the readable part of an incomplete trace."""

from collections.abc import Sequence

from linkworth import _engine
from linkworth.model.trace import TraceMetadata

MOST_RANGES = 6
"""Most ranges of ranks that a sentence names one by one."""
_ENDINGS = {
    "cut": "did not reach MPI_Finalize",
    "aborted": "called MPI_Abort",
    "disk full": "had no space left to record in",
}


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
        of = f" of {events + sum(lost[rank] for rank in part):,}" if engine.has_index else ""
        parts.append(f"{events:,}{of} events of {named(part)}")
    if none:
        parts.append(f"no events of {named(none)}")
    sentence = ", ".join(parts)
    if not engine.has_index:
        sentence += ", and how many are lost is not known because the file is cut"
    return sentence + _endings(metadata)


def _endings(metadata: TraceMetadata) -> str:
    found = []
    for state, ending in _ENDINGS.items():
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
