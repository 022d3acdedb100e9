"""Page of a study."""

from collections.abc import Callable, Sequence

from linkworth.report import writer
from linkworth.report.study.results import HOW, Results
from linkworth.report.table import Section


def render(
    results: Results,
    sections: Sequence[Section],
    *,
    warnings: Sequence[str] = (),
    step: Callable[[str], None] = lambda _: None,
) -> bytes:
    """Return the page as HTML in UTF-8; `step` is called with the name of each figure before it is drawn."""
    return writer.page(
        "study.html.jinja",
        title=results.title,
        step=step,
        description=results.study.description,
        about=facts(results),
        doubts=warnings,
        sections=sections,
    )


def facts(results: Results) -> list[tuple[str, str]]:
    """Return the facts on the whole study that a reader needs, as (name, value)."""
    records = results.records
    lost = [record for record in records if record.state != "done"]
    counts = [
        f"{count} {word}"
        for mode, word in HOW.items()
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
