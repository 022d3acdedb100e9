"""Phases and iterations in a profile's screen."""

from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Group
from rich.text import Text

from linkworth.cli.profile_detail import Detail
from linkworth.cli.profile_times import headline
from linkworth.cli.units import seconds
from linkworth.model.profile import Phase, Phases

_SHOWN_NAMES = 4
_SHOWN_INNER = 0.05
"""Share of the whole time below which only the long form shows an inner loop."""
_WHOLE_CALLS = 999
_LIKENESS = {
    "arguments": "",
    "peers": ", alike by name and peer",
    "names": ", alike by name",
}


class _Row(NamedTuple):
    seconds: float
    title: str
    calls: str
    names: str


def phases(found: Phases, detail: Detail, width: int) -> Group:
    """Return the longest phases in the order of the run, one line of at most `width` letters each."""
    title = headline(
        f"Phases (calls of rank {found.rank}{_LIKENESS[found.likeness]}): {found.looped_share:.0%} of "
        f"{seconds(found.seconds)} in loops"
    )
    # A loop may be too short for a line of its own, for example beside a long MPI_Finalize.
    without_loops = "no loop long enough for a line" if found.looped_share > 0 else "no loop found"
    rows = [row for phase in found.phases for row in _rows(phase, found.seconds, 1, without_loops, detail)]
    kept = sorted(range(len(rows)), key=lambda at: -rows[at].seconds)[: detail.phases]
    lines = _aligned([rows[at] for at in sorted(kept)], found.seconds)
    if not detail.sentences:
        lines = [line if len(line) <= width else f"{line[: width - 2].rstrip(' ,')}.." for line in lines]
    left = len(rows) - len(kept)
    if left:
        lines.append(f"  and {left} shorter one{'s' if left > 1 else ''} (--full)")
    return Group(title, *map(Text, lines))


def _aligned(rows: list[_Row], whole: float) -> list[str]:
    title, took, calls = (
        max((len(text(row)) for row in rows), default=0)
        for text in (lambda row: row.title, lambda row: seconds(row.seconds), lambda row: row.calls)
    )
    return [
        f"{row.title:<{title}}  {seconds(row.seconds):>{took}} {row.seconds / whole if whole > 0 else 0:>4.0%}"
        f"  {row.calls:>{calls}}  {row.names}".rstrip()
        for row in rows
    ]


def _rows(phase: Phase, whole: float, depth: int, without_loops: str, detail: Detail) -> Iterator[_Row]:
    indent = "  " * depth
    if phase.kind != "loop":
        title = {"between": "between loops", "all": without_loops}.get(phase.kind, phase.kind)
        yield _Row(
            phase.seconds, indent + title, f"{phase.calls:,} call{'s' if phase.calls != 1 else ''}", ""
        )
        return
    each = phase.calls / phase.iterations
    names = ", ".join(name.removeprefix("MPI_") for name in phase.call_names[:_SHOWN_NAMES])
    more = ", ..." if len(phase.call_names) > _SHOWN_NAMES else ""
    spread = phase.deviation_seconds / phase.mean_seconds if phase.mean_seconds > 0 else 0.0
    extremes = (
        f" ({seconds(phase.least_seconds)} to {seconds(phase.most_seconds)})" if detail.sentences else ""
    )
    broken = f", {phase.interruptions} interruptions" if phase.interruptions and detail.sentences else ""
    yield _Row(
        phase.seconds,
        f"{indent}{phase.iterations:,} times {seconds(phase.mean_seconds)} +- {spread:.0%}{extremes}",
        f"{each:.3g} calls each" if each < _WHOLE_CALLS else f"{each:,.0f} calls each",
        f"{names}{more}{broken}",
    )
    for inner in phase.inner:
        if detail.sentences or inner.seconds >= _SHOWN_INNER * whole:
            yield from _rows(inner, whole, depth + 1, without_loops, detail)
