"""Timeline of a replay for ui.perfetto.dev and chrome://tracing: calls of each rank, messages, load of each link."""

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO, cast

from linkworth import _engine
from linkworth.catalog.assignment import read_number
from linkworth.errors import UsageError
from linkworth.model.number_range import NumberRange
from linkworth.model.prediction import Layout
from linkworth.model.settings import RecordLimits
from linkworth.predict.breakdown import is_of_switch, title_of
from linkworth.writing.files import staged, unwritable

MOST_EVENTS = 1_000_000
"""Most calls, and most messages, of a timeline: about 300 MB of JSON, which a browser can still open."""
_WINDOW = NumberRange(least=1e-9, most=1e9, zero=True)


class Timeline(NamedTuple):
    """A requested timeline."""

    path: Path
    seconds: tuple[float, float]
    """Window of the replay: only what begins in it is written."""

    @property
    def limits(self) -> RecordLimits:
        """Limits of the recording that it needs."""
        return RecordLimits(*self.seconds, MOST_EVENTS)


def parse_window(text: str) -> tuple[float, float]:
    """Parse `FROM:TO` in seconds; either may be left out."""
    start, colon, end = text.partition(":")
    option = f"`timeline_window` {text!r}"
    seconds = (
        read_number(start, option, _WINDOW) if start else 0.0,
        read_number(end, option, _WINDOW) if end else math.inf,
    )
    if not colon or not 0 <= seconds[0] < seconds[1]:
        raise UsageError(f"{option}: write FROM:TO in seconds of the replay, such as 1.5:2")
    return seconds


def write(wanted: Timeline, recording: _engine.Recording, names: list[str], layout: Layout) -> list[str]:
    """Write a timeline in Chrome's trace event format (gzipped if the name ends in .gz). `names` are those of the calls.

    Return a sentence if it lacks calls. Raises UsageError for a path that cannot be written.
    """
    path = wanted.path
    try:
        with staged(path) as made, _opened(made) as file:
            _dump(file, recording, names, layout)
    except OSError as error:
        raise unwritable(path, error, "timeline") from None
    if recording.cut:
        return [
            f"{path} contains the first {MOST_EVENTS:,} calls and messages; choose a part with `timeline_window`"
        ]
    if wanted.seconds[0] > 0 and not recording.calls:
        return [f"no call begins in the part that {path} is of; choose another with `timeline_window`"]
    return []


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        # gzip.open returns a TextIOWrapper in this mode, but its type does not state that.
        return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", compresslevel=5))
    return path.open("w", encoding="utf-8")


def _dump(file: Any, recording: _engine.Recording, names: list[str], layout: Layout) -> None:  # noqa: ANN401 (any text stream)
    file.write('{"displayTimeUnit":"ns","traceEvents":[\n')
    first = True
    for event in _events(recording, names, layout):
        file.write(("" if first else ",\n") + json.dumps(event, separators=(",", ":")))
        first = False
    file.write("\n]}\n")


def _events(recording: _engine.Recording, names: list[str], layout: Layout) -> Iterator[dict[str, Any]]:
    """Yield one process for each node, and one thread for each rank or calling thread of it; times in microseconds."""
    node_of = layout.node_of_rank
    further = sorted({(rank, thread) for rank, thread, *_ in recording.calls if thread})

    def number(rank: int, thread: int) -> int:
        return rank + thread * len(node_of)

    for node in range(layout.nodes):
        yield {"ph": "M", "name": "process_name", "pid": node, "args": {"name": f"node {node}"}}
    for rank, node in enumerate(node_of):
        yield {"ph": "M", "name": "thread_name", "pid": node, "tid": rank, "args": {"name": f"rank {rank}"}}
    for rank, thread in further:
        yield {
            "ph": "M",
            "name": "thread_name",
            "pid": node_of[rank],
            "tid": number(rank, thread),
            "args": {"name": f"rank {rank} thread {thread}"},
        }
    for rank, thread, name, start, end in recording.calls:
        yield {
            "ph": "X",
            "name": names[name],
            "cat": "mpi",
            "pid": node_of[rank],
            "tid": number(rank, thread),
            "ts": start * 1e6,
            "dur": (end - start) * 1e6,
        }
    for message, (source, destination, size, sent, received) in enumerate(recording.messages):
        both = {"name": "message", "cat": "message", "id": message}
        yield {
            **both,
            "ph": "s",
            "pid": node_of[source],
            "tid": source,
            "ts": sent * 1e6,
            "args": {"bytes": size},
        }
        yield {
            **both,
            "ph": "f",
            "bp": "e",
            "pid": node_of[destination],
            "tid": destination,
            "ts": received * 1e6,
        }
    for link in recording.loads:
        yield from _load(link, layout.nodes)


def _load(link: _engine.LinkLoad, nodes: int) -> Iterator[dict[str, Any]]:
    """Yield the busy share of the link in each stretch of time; equal neighbours are one step."""
    if link.busy_seconds == 0:
        return
    of_switch = is_of_switch(link)
    name = title_of(link)
    process = nodes if of_switch else link.place
    if of_switch:
        yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": "switches"}}
    last = None
    for index, busy in enumerate([*link.busy, 0.0]):
        share = round(100 * busy / link.width_seconds, 1)
        if share != last:
            time = index * link.width_seconds * 1e6
            yield {"ph": "C", "name": name, "pid": process, "ts": time, "args": {"busy %": share}}
        last = share
