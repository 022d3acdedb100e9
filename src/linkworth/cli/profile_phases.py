"""Phases and iterations in a profile's screen."""

from collections.abc import Iterator
from typing import NamedTuple

from linkworth import units
from linkworth.cli.profile_detail import Detail
from linkworth.cli.table import Table
from linkworth.model.profile import Phase, Phases
from linkworth.profile.scan import listed_loop_share

_SHOWN_NAMES = 4
_SHOWN_INNER = 0.05
"""Share of the whole time below which only the long form shows an inner loop."""
_TOLD = 0.001
"""Share of the time from which loops without a line of their own are reported."""
_WHOLE_CALLS = 999
_LIKENESS = {"arguments": "", "peers": ", alike by name and peer", "names": ", alike by name"}


class _Row(NamedTuple):
    seconds: float
    title: str
    calls: str
    names: str = ""
    extremes: str = ""
    interruptions: str = ""


def phases(found: Phases, detail: Detail) -> Table:
    """Return the longest phases in the order of the run."""
    # A loop may be too short for a line of its own, for example beside a long MPI_Finalize.
    without_loops = "loops too short to show" if found.looped_share > 0 else "no loop"
    rows = [row for phase in found.phases for row in _rows(phase, found.seconds, 0, without_loops, detail)]
    kept = sorted(sorted(range(len(rows)), key=lambda at: -rows[at].seconds)[: detail.phases])
    left = len(rows) - len(kept)
    return Table(
        ["phase", "time>", "share>", "calls>", "MPI calls~", "shortest, longest>", "interruptions>"],
        [
            [
                row.title,
                units.duration(row.seconds),
                units.percent(row.seconds / found.seconds if found.seconds > 0 else 0.0),
                row.calls,
                row.names,
                row.extremes,
                row.interruptions,
            ]
            for row in (rows[at] for at in kept)
        ],
        title=f"Phases of rank {found.rank}{_LIKENESS[found.likeness]}: {_in_loops(found)}",
        note=f"and {units.plural(left, 'shorter phase')} (--full)" if left else "",
    )


def _in_loops(found: Phases) -> str:
    """Return the share of the time in loops that have a line, and that in loops without one."""
    shown = listed_loop_share(found)
    short = found.looped_share - shown
    rest = f", {units.percent(short)} in loops too short to show" if short >= _TOLD else ""
    return f"{units.percent(shown)} of {units.duration(found.seconds)} in loops{rest}"


def _rows(phase: Phase, whole: float, depth: int, without_loops: str, detail: Detail) -> Iterator[_Row]:
    indent = "  " * depth
    if phase.kind != "loop":
        title = {"between": "between loops", "all": without_loops}.get(phase.kind, phase.kind)
        yield _Row(phase.seconds, indent + title, units.count(phase.calls))
        return
    each = phase.calls / phase.iterations
    names = ", ".join(name.removeprefix("MPI_") for name in phase.call_names[:_SHOWN_NAMES])
    more = ", ..." if len(phase.call_names) > _SHOWN_NAMES else ""
    spread = phase.deviation_seconds / phase.mean_seconds if phase.mean_seconds > 0 else 0.0
    least, most = units.duration(phase.least_seconds), units.duration(phase.most_seconds)
    yield _Row(
        phase.seconds,
        f"{indent}{units.count(phase.iterations)} x {units.duration(phase.mean_seconds)} ± {spread * 100:.0f} %",
        f"{each:.3g} each" if each < _WHOLE_CALLS else f"{units.count(each)} each",
        f"{names}{more}",
        units.interval(least, most) if detail.sentences else "",
        str(phase.interruptions) if phase.interruptions and detail.sentences else "",
    )
    for inner in phase.inner:
        if detail.sentences or inner.seconds >= _SHOWN_INNER * whole:
            yield from _rows(inner, whole, depth + 1, without_loops, detail)
