"""The paper beside the study: one row for each number, one row for each conclusion."""

from linkworth import units
from linkworth.report.study.published import ConclusionBeside, NumberBeside, PaperBeside
from linkworth.report.table import NOTHING, Cell, Field, Mark, Section, cell, table, words


def section(paper: PaperBeside) -> Section:
    """Return the section of a paper."""
    numbers = [number for number in paper.numbers if number.ours is not None or number.miss]
    tables = [
        table("published-conclusions", "Conclusions", paper.conclusions, _conclusion),
        table("published-numbers", "Numbers", numbers, _number),
    ]
    return Section(
        key="published",
        title="Compared with the paper",
        text=summary(paper),
        tables=[each for each in tables if each.rows],
    )


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


_MARKS: dict[str, Mark] = {"yes": "good", "no": "bad"}


def verdict(conclusion: ConclusionBeside) -> str:
    """Return `yes`, `no`, or why neither is known."""
    if conclusion.reached is None:
        return "no value"
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


def _number(number: NumberBeside) -> list[Field]:
    ours = NOTHING
    if number.ours is not None:
        has_interval = number.low is not None and number.low < number.ours and not number.given
        note = f"{value(number.low)} to {value(number.high)}" if has_interval else ""
        ours = Cell(text=value(number.ours), value=number.ours, note=note)
    return [
        words("what", number.what, note=number.source),
        words("unit", number.unit),
        cell("paper", "paper", Cell(text=value(number.paper), value=number.paper)),
        cell("ours", "ours", ours),
        cell("difference [1]", "difference", Cell(text=difference(number), value=number.difference)),
        words("miss", number.miss, "why"),
    ]


def _conclusion(conclusion: ConclusionBeside) -> list[Field]:
    return [
        words("what", conclusion.what, "conclusion", note=conclusion.source),
        words("reached", verdict(conclusion), mark=_MARKS.get(verdict(conclusion), "quiet")),
        words("ours", conclusion.shown),
        words("miss", conclusion.miss, "why not"),
    ]
