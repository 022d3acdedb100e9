"""The paper beside the study: one row for each number, one row for each conclusion."""

from collections.abc import Iterator

from linkworth import units
from linkworth.report.study.published import ConclusionBeside, NumberBeside, PaperBeside, beside
from linkworth.report.study.results import Results
from linkworth.report.study.table import Cell, Section, Table, column, nothing, words


def sections(results: Results) -> Iterator[Section]:
    """Yield the section if the study has a `[published]` table."""
    paper = beside(results)
    if paper is None:
        return
    numbers = [number for number in paper.numbers if number.ours is not None or number.miss]
    tables = []
    if numbers:
        tables.append(
            Table(
                key="published-numbers",
                title="Numbers",
                columns=[
                    column("what", "what", number=False),
                    column("unit", "unit", number=False),
                    column("paper", "paper"),
                    column("ours", "ours"),
                    column("difference [1]", "difference"),
                    column("miss", "why", number=False),
                ],
                rows=[_number(number) for number in numbers],
            )
        )
    if paper.conclusions:
        tables.append(
            Table(
                key="published-conclusions",
                title="Conclusions",
                columns=[
                    column("what", "conclusion", number=False),
                    column("reached", "reached", number=False),
                    column("ours", "ours", number=False),
                    column("miss", "why not", number=False),
                ],
                rows=[_conclusion(conclusion) for conclusion in paper.conclusions],
            )
        )
    yield Section(key="published", title="Compared with the paper", text=summary(paper), tables=tables)


def summary(paper: PaperBeside) -> str:
    """Return the paper's source and the counts in two or three sentences."""
    parts = [f"{paper.source}."]
    if paper.median_difference is not None:
        parts.append(
            f"Numbers compared: {len(paper.compared)}, median difference {units.percent(paper.median_difference)}."
        )
    given = sum(number.given for number in paper.numbers)
    if given:
        parts.append(f"{given} more are given: the computation was scaled to them.")
    if paper.conclusions:
        parts.append(f"Conclusions reached: {paper.reached} of {len(paper.conclusions)}.")
    return " ".join(parts)


def verdict(conclusion: ConclusionBeside) -> str:
    """Return `yes`, `no`, or that the scale does not ask."""
    return "yes" if conclusion.reached else "no" if conclusion.asked else "not asked"


def difference(number: NumberBeside) -> str:
    """Return the difference in its printed form."""
    if number.given:
        return "given"
    return units.change(number.difference) if number.difference is not None else "–"


def value(number: float | None) -> str:
    """Return a number in its unit in its printed form."""
    if number is None:
        return "–"
    return f"−{units.significant(-number)}" if number < 0 else units.significant(number)


def _number(number: NumberBeside) -> list[Cell]:
    ours = nothing()
    if number.ours is not None:
        interval = number.low is not None and number.low < number.ours and not number.given
        note = f"{value(number.low)} to {value(number.high)}" if interval else ""
        ours = Cell(text=value(number.ours), value=number.ours, note=note)
    return [
        words(number.what, note=number.source),
        words(number.unit),
        Cell(text=value(number.paper), value=number.paper),
        ours,
        Cell(text=difference(number), value=number.difference),
        words(number.miss),
    ]


def _conclusion(conclusion: ConclusionBeside) -> list[Cell]:
    return [
        words(conclusion.what, note=conclusion.source),
        words(
            verdict(conclusion), mark="good" if conclusion.reached else "bad" if conclusion.asked else "quiet"
        ),
        words(conclusion.shown),
        words(conclusion.miss),
    ]
