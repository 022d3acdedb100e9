"""Page of recorded programs: summary, sliders, and the figures and tables of each program."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from linkworth import units
from linkworth.errors import UsageError
from linkworth.model.profile import Profile
from linkworth.report import tables, whatif, writer
from linkworth.report.charts import (
    activities,
    fabrics,
    matrix,
    node_counts,
    parts,
    ranks,
    sensitivity,
    shares,
    sizes,
)
from linkworth.report.item import MOST_DRAWN, ReportItem, labels
from linkworth.report.summary import Summary, summarise
from linkworth.report.table import Figure, ReportTable
from linkworth.writing.documents import encode
from linkworth.writing.files import write_output

_TITLED = 4
"""Programs that the title of the window names."""


def write(items: Sequence[ReportItem], path: Path) -> int:
    """Write the report of `items` to `path` by atomic replacement, and return its size in bytes.

    Raises UsageError if there is nothing to report, and the errors of `write_output`.
    """
    if not items:
        raise UsageError("a report needs at least one recorded program; record one with `linkworth trace`")
    page = render(items)
    write_output(path, page)
    return len(page)


def render(items: Sequence[ReportItem]) -> bytes:
    """Return the page as HTML in UTF-8."""
    summary = summarise(items)
    data = whatif.build(items, summary.scale.runs)
    return writer.page(
        "page.html.jinja",
        title=units.shortened(labels(items), _TITLED),
        scripts=("interpolate.js", "sliders.js"),
        data_json=_script_safe(data),
        summary=summary,
        whatif=data,
        results=_results(items, summary, data),
        slider_step=whatif.STEP,
        shares=shares.figure(items) if len(items) > 1 else None,
        node_counts=node_counts.figures(items, summary.scale),
        programs=[
            _program(item, number, summary) | {"label": label}
            for number, (item, label) in enumerate(zip(items, labels(items), strict=True))
        ],
        most_drawn=MOST_DRAWN,
        figures_used=[tables.fabrics(items), tables.prices(items)],
        sources=tables.sources(items),
    )


def _program(item: ReportItem, number: int, summary: Summary) -> dict[str, Any]:
    key = f"p{number}"
    drawn = number < MOST_DRAWN
    return {
        "key": key,
        "row": summary.rows[number],
        "facts": tables.facts(item),
        "tables": [each for each in _tables(item.profile, key) if each.rows],
        "warnings": tables.warnings(item),
        "drawn": drawn,
        "figures": _figures(item, key, summary) if drawn else [],
        "timeline": next(iter(item.predicted), None) if item.trusted else None,
        "nodes": item.predictions.nodes,
    }


def _figures(item: ReportItem, key: str, summary: Summary) -> list[Figure]:
    figures: list[Figure | None] = [
        activities.recorded(item, key),
        ranks.figure(item, key),
        sizes.figure(item, key),
        matrix.figure(item, key),
    ]
    if item.trusted and item.predictions.predictions:
        figures = [
            fabrics.figure(item, key, summary.scale),
            parts.figure(item, key),
            activities.predicted(item, key),
            sensitivity.latency(item, key),
            sensitivity.bandwidth(item, key),
            *figures,
        ]
    return [figure for figure in figures if figure]


def _tables(profile: Profile, key: str) -> list[ReportTable]:
    return [
        tables.efficiencies(profile.pop, key),
        tables.calls(profile, key),
        tables.waits(profile.waits, key),
        tables.sites(profile, key),
        tables.phases(profile.phases, key),
    ]


def _results(items: Sequence[ReportItem], summary: Summary, data: whatif.WhatIf) -> list[dict[str, Any]]:
    """Return the initial rows of the sliders' table; each cell has the number of its option, or None."""
    rows = [row for item, row in zip(items, summary.rows, strict=True) if item.trusted]
    results = []
    for row, program in zip(rows, data.programs, strict=True):
        numbers = {option.fabric: number for number, option in enumerate(program.options)}
        cells = [(cell, numbers.get(cell.fabric)) for cell in row.cells]
        results.append({"row": row, "label": program.name, "cells": cells})
    return results


def _script_safe(data: whatif.WhatIf) -> Markup:
    """Return JSON in which no text can end the script element or start a comment."""
    text = encode(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
