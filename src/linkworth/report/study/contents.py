"""Sections of a study's report: those that its records and comparisons fill."""

from collections.abc import Callable, Iterator

import msgspec

from linkworth.report.study.published import PaperBeside
from linkworth.report.study.results import Results
from linkworth.report.study.sections import (
    bandwidth,
    cores,
    costs,
    environments,
    gains,
    iterations,
    nodes,
    other_study,
    profiles,
    published,
    runs,
    steps,
    sweeps,
    times,
    traffic,
)
from linkworth.report.table import MOST_FIGURES, MOST_FIGURES_OF_ALL, Section

_SECTIONS: list[Callable[[Results], Iterator[Section]]] = [
    nodes.sections,
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


def contents(
    results: Results, other: Results | None = None, paper: PaperBeside | None = None
) -> list[Section]:
    """Return the sections in the order of the page: first those on another study and on a paper, if given."""
    made = list(other_study.sections(results, other)) if other is not None else []
    made += [published.section(paper)] if paper is not None else []
    made += [section for sections in _SECTIONS for section in sections(results)]
    left = MOST_FIGURES_OF_ALL
    found = []
    for section in made:
        drawn = min(left, MOST_FIGURES, len(section.figures))
        found.append(_with_figures(section, drawn))
        left -= drawn
    return found


def _with_figures(section: Section, count: int) -> Section:
    """Return the section with only `count` figures; the numbers of the others become tables."""
    others = section.figures[count:]
    if not others:
        return section
    sentence = f"Drawn are {count} of {len(section.figures)} figures; the numbers of the others are tables."
    return msgspec.structs.replace(
        section,
        text=f"{section.text} {sentence}".strip(),
        tables=[*section.tables, *(figure.table for figure in others)],
        figures=section.figures[:count],
    )
