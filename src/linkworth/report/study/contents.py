"""Sections of a study's report: those that its records and comparisons fill."""

from collections.abc import Callable, Iterator

import msgspec

from linkworth.report.study.comparing import pair, wanted, workloads_of
from linkworth.report.study.results import Compared, Results
from linkworth.report.study.sections import (
    against,
    bandwidth,
    cores,
    costs,
    environments,
    gains,
    iterations,
    profiles,
    published,
    runs,
    steps,
    sweeps,
    times,
    traffic,
)
from linkworth.report.study.table import MOST_FIGURES, MOST_FIGURES_OF_ALL, Section

_SECTIONS: list[Callable[[Results], Iterator[Section]]] = [
    published.sections,
    times.sections,
    gains.sections,
    steps.sections,
    costs.sections,
    profiles.sections,
    bandwidth.sections,
    sweeps.sections,
    iterations.sections,
    traffic.sections,
    cores.sections,
    runs.sections,
    environments.sections,
]


def contents(results: Results, other: Results | None = None) -> list[Section]:
    """Return the sections in the order of the page."""
    first = list(against.sections(results, other)) if other is not None else []
    found = []
    left = MOST_FIGURES_OF_ALL
    for section in [*first, *(section for make in _SECTIONS for section in make(results))]:
        drawn = min(left, MOST_FIGURES, len(section.drawings))
        found.append(_with_figures(section, drawn))
        left -= drawn
    return found


def _with_figures(section: Section, count: int) -> Section:
    """Return the section with only `count` figures; the numbers of the others become tables."""
    others = section.drawings[count:]
    if not others:
        return section
    sentence = f"Drawn are {count} of {len(section.drawings)} figures; the numbers of the others are tables."
    return msgspec.structs.replace(
        section,
        text=f"{section.text} {sentence}".strip(),
        tables=[*section.tables, *(drawing.data for drawing in others)],
        drawings=section.drawings[:count],
    )


def comparisons(results: Results) -> list[Compared]:
    """Return every comparison that the study asks for and has values for, as data."""
    found = []
    for comparison in wanted(results):
        for name in comparison.metrics:
            for workload in workloads_of(results, comparison):
                for environment in comparison.environments:
                    for mode in ("measure", "predict"):
                        each = pair(results, comparison, workload, environment, mode, name)
                        if each:
                            found.append(each.record())
    return found
