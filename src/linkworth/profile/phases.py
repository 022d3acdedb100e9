"""Phases and iterations, from the repetition of calls."""

import math
from typing import Any, Literal

from linkworth.model.profile import Phase, Phases

_Kind = Literal["prologue", "loop", "between", "epilogue", "all"]


def phases(found: dict[str, Any]) -> Phases | None:
    """Return the phases that the engine found, as shown by one of the ranks; None without calls after MPI_Init."""
    seconds = found["seconds"]
    parts = found["phases"]
    if not parts or seconds <= 0:
        return None
    return Phases(
        rank=found["rank"],
        likeness=found["likeness"],
        seconds=seconds,
        looped_share=found["looped_seconds"] / seconds,
        phases=[_phase(part, _kind(part, number, parts)) for number, part in enumerate(parts)],
    )


def _kind(part: dict[str, Any], number: int, parts: list[dict[str, Any]]) -> _Kind:
    if part["is_loop"]:
        return "loop"
    if len(parts) == 1:
        return "all"
    if number == 0:
        return "prologue"
    return "epilogue" if number == len(parts) - 1 else "between"


def _phase(part: dict[str, Any], kind: _Kind) -> Phase:
    iterations = part["iterations"]
    mean = part["sum_seconds"] / iterations if iterations else 0.0
    variance = part["sum_of_squares"] / iterations - mean * mean if iterations else 0.0
    return Phase(
        kind=kind,
        start_seconds=part["start_seconds"],
        seconds=part["seconds"],
        calls=part["calls"],
        iterations=iterations,
        mean_seconds=mean,
        least_seconds=part["least_seconds"],
        most_seconds=part["most_seconds"],
        deviation_seconds=math.sqrt(max(0.0, variance)),
        interruptions=part["interruptions"],
        call_names=part["names"],
        inner=[_phase(inner, "loop") for inner in part["inner"]],
    )
