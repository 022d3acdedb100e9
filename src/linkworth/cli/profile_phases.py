"""The part of a profile's screen that is about phases and iterations."""

from collections.abc import Iterator

from rich.text import Text

from linkworth.cli.units import seconds
from linkworth.model.profile import Phase, Phases

_SHOWN_PHASES = 6
_SHOWN_NAMES = 4
_DEPTH = 3
_SHOWN_INNER = 0.05
"""An inner loop that takes less of the whole time is not shown."""
_LIKENESS = {
    "arguments": "",
    "peers": ", compared by name and peer",
    "names": ", compared by name only",
}


def phases(found: Phases) -> Text:
    """Return the phases of the run, one line each."""
    lines = [
        f"Phases (calls of rank {found.rank}{_LIKENESS[found.likeness]}): {found.looped_share:.0%} of "
        f"{seconds(found.seconds)} in loops"
    ]
    # What repeats may be too short to stand in a line of its own, beside a long MPI_Finalize for example.
    without_loops = "no loop that takes a share worth a line" if found.looped_share > 0 else "no loop found"
    for phase in _longest_in_order(found.phases):
        lines += (
            [f"  {without_loops}: {_share(phase, found.seconds)}, {phase.calls:,} calls"]
            if phase.kind == "all"
            else _lines(phase, found.seconds, 1)
        )
    left = len(found.phases) - _SHOWN_PHASES
    if left > 0:
        lines.append(f"  and {left} shorter ones (all with --json)")
    return Text("\n".join(lines))


def _longest_in_order(found: list[Phase]) -> list[Phase]:
    longest = sorted(range(len(found)), key=lambda at: -found[at].seconds)[:_SHOWN_PHASES]
    return [found[at] for at in sorted(longest)]


def _share(phase: Phase, whole: float) -> str:
    return f"{seconds(phase.seconds)} ({phase.seconds / whole:.0%})"


def _lines(phase: Phase, whole: float, depth: int) -> Iterator[str]:
    indent = "  " * depth
    share = _share(phase, whole)
    if phase.kind != "loop":
        title = "between loops" if phase.kind == "between" else phase.kind
        yield f"{indent}{title}: {share}, {phase.calls:,} calls"
        return
    names = ", ".join(phase.call_names[:_SHOWN_NAMES])
    more = ", ..." if len(phase.call_names) > _SHOWN_NAMES else ""
    spread = phase.deviation_seconds / phase.mean_seconds if phase.mean_seconds > 0 else 0.0
    broken = f", {phase.interruptions} interruptions" if phase.interruptions else ""
    yield (
        f"{indent}{phase.iterations:,} iterations of {seconds(phase.mean_seconds)} +- {spread:.0%} "
        f"({seconds(phase.least_seconds)} to {seconds(phase.most_seconds)}): {share}, "
        f"{phase.calls / phase.iterations:.3g} calls each ({names}{more}){broken}"
    )
    if depth < _DEPTH:
        for inner in (inner for inner in phase.inner if inner.seconds >= _SHOWN_INNER * whole):
            yield from _lines(inner, whole, depth + 1)
