"""Page of a study: one self-contained HTML file that may fetch nothing."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from markupsafe import Markup

from linkworth import __version__
from linkworth.report.assets import asset, policy, templates
from linkworth.report.study.files import csv_text
from linkworth.report.study.results import Results
from linkworth.report.study.table import Section
from linkworth.report.svg import svg

MOST_ROWS = 500
"""Most rows of a table on the page; its CSV file has all."""
_SCRIPTS = ["sort.js", "tooltip.js"]
_STYLES = ["styles.css", "study.css"]


def render(
    results: Results,
    sections: Sequence[Section],
    *,
    warnings: Sequence[str] = (),
    step: Callable[[str], None] = lambda _: None,
) -> str:
    """Return the page as HTML text; `step` is called with the name of each figure before it is drawn."""
    style = "\n".join(asset(name) for name in _STYLES)
    script = "\n".join(asset(name) for name in _SCRIPTS)
    drawn = {}
    for section in sections:
        for drawing in section.drawings:
            step(drawing.figure.key)
            drawn[drawing.figure.key] = svg(drawing.figure)
    tables = [
        table
        for section in sections
        for table in [*section.tables, *(drawing.data for drawing in section.drawings)]
    ]
    return (
        templates()
        .get_template("study.html.jinja")
        .render(
            version=__version__,
            written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            policy=policy(script, style),
            style=Markup(style),
            script=Markup(script),
            title=results.title,
            description=results.study.description,
            facts=facts(results),
            warnings=warnings,
            sections=sections,
            svg=drawn,
            most_rows=MOST_ROWS,
            csv={table.key: quote(csv_text(table)) for table in tables},
        )
    )


def facts(results: Results) -> list[tuple[str, str]]:
    """Return the facts on the whole study that a reader needs, as (name, value)."""
    records = results.records
    lost = [record for record in records if record.state != "done"]
    counts = [
        f"{count} {word}"
        for mode, word in (("measure", "measured"), ("predict", "predicted"), ("trace", "recorded"))
        if (count := sum(record.mode == mode and record.state == "done" for record in records))
    ]
    dates = sorted(record.started[:10] for record in records if record.started)
    rows = [
        (
            "study file",
            results.study.name + (f", scale {results.study.scale}" if results.study.scale else ""),
        ),
        ("runs", ", ".join(counts) + (f"; {len(lost)} not done" if lost else "")),
        ("workloads, environments", f"{len(results.workloads)}, {len(results.environments)}"),
        ("repetitions", str(results.study.repetitions)),
        ("MPI", _distinct(results, "mpi")),
        ("transports", _distinct(results, "transport used") or _distinct(results, "transport")),
        ("where", _distinct(results, "where")),
        (
            "date",
            dates[0] if dates and dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}" if dates else "",
        ),
    ]
    return [(name, value) for name, value in rows if value]


def _distinct(results: Results, fact: str) -> str:
    return "; ".join(dict.fromkeys(r.facts[fact] for r in results.records if r.facts.get(fact)))
