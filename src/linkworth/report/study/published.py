"""A study's results for the numbers and conclusions of its `[published]` table."""

from collections.abc import Sequence
from statistics import median

import msgspec

from linkworth.catalog import fabrics
from linkworth.model.study import Environment, PublishedConclusion, PublishedNumber, Study
from linkworth.report.study.evaluate import Evaluator, NoValueError
from linkworth.report.study.results import Results
from linkworth.study.definition.expression import Expression, Selection, parse
from linkworth.study.prediction.fabric import fabric_of

FAR = 0.25
"""Relative difference from which the reason for a number's miss is printed."""


class NumberBeside(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the paper beside ours."""

    what: str
    unit: str
    paper: float
    ours: float | None
    """None if the study has no value."""
    low: float | None = None
    high: float | None = None
    """Upper end of our interval; `low` is the lower one."""
    difference: float | None = None
    """ours / paper - 1; 0 up to the paper's rounding."""
    given: bool = False
    """The computation was scaled to this number, so it is no test and not counted."""
    miss: str = ""
    source: str = ""


class ConclusionBeside(msgspec.Struct, frozen=True, kw_only=True):
    """One conclusion of the paper, and whether our results support it."""

    what: str
    reached: bool | None
    """None if one of its results has no value."""
    asked: bool
    """False if the study, at its scale, does not ask for all results of the conclusion."""
    shown: str
    """The comparison with our values inserted."""
    miss: str = ""
    """Reason why it is not reached."""
    source: str = ""


class PaperBeside(msgspec.Struct, frozen=True, kw_only=True):
    """A paper beside a study."""

    source: str
    numbers: list[NumberBeside]
    conclusions: list[ConclusionBeside]

    @property
    def compared(self) -> list[NumberBeside]:
        """Numbers that have a difference and were not given."""
        return [number for number in self.numbers if number.difference is not None and not number.given]

    @property
    def median_difference(self) -> float | None:
        """Median of the relative differences without their signs."""
        found = [abs(number.difference) for number in self.compared if number.difference is not None]
        return median(found) if found else None

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Each reason of a miss, behind the names of what misses for it."""
        found: dict[str, list[str]] = {}
        rows: list[NumberBeside | ConclusionBeside] = [*self.numbers, *self.conclusions]
        for each in rows:
            if each.miss:
                found.setdefault(each.miss, []).append(each.what)
        return [("; ".join(dict.fromkeys(whats)), miss) for miss, whats in found.items()]

    @property
    def reached(self) -> int:
        """Number of conclusions reached."""
        return sum(conclusion.reached is True for conclusion in self.conclusions)


def compare_with_paper(results: Results) -> PaperBeside | None:
    """Return the study's paper beside its results; None for a study without one."""
    published = results.study.published
    if published is None:
        return None
    evaluator = Evaluator(results)
    return PaperBeside(
        source=published.source,
        numbers=[_number(results, evaluator, each) for each in published.numbers],
        conclusions=[_conclusion(evaluator, each) for each in published.conclusions],
    )


def _number(results: Results, evaluator: Evaluator, number: PublishedNumber) -> NumberBeside:
    expression = parse(number.of)
    row = NumberBeside(
        what=number.what, unit=number.unit, paper=number.value, ours=None, source=number.source
    )
    if not evaluator.asked(expression):
        return row
    try:
        found = evaluator.number(expression)
    except NoValueError as error:
        return msgspec.structs.replace(row, miss=number.miss or f"{error}.")
    ours = found.value / number.scale
    difference = None
    if abs(ours - number.value) <= number.rounding:
        difference = 0.0
    elif number.value:
        difference = ours / number.value - 1
    return msgspec.structs.replace(
        row,
        ours=ours,
        low=found.low / number.scale,
        high=found.high / number.scale,
        difference=difference,
        given=_is_given(results, expression.selections),
        miss=number.miss if difference is None or abs(difference) > FAR else "",
    )


def _is_given(results: Results, selections: Sequence[Selection]) -> bool:
    """Return whether all results that a number depends on were scaled to a time in the same environment."""
    return all(
        (environment := results.environment(each.environment)) is not None
        and _scales(results.study, each.workload, environment)
        and results.group(each.workload, each.environment, "measure") is None
        for each in selections
    )


def _scales(study: Study, workload: str, environment: Environment) -> bool:
    """Return whether the time that scales a workload's predictions is one of this environment's network and layout."""
    fabric, known, _ = study.prediction.measured.get(workload, "").rpartition("=")
    if known:
        return fabric_of(environment) == msgspec.structs.replace(fabrics.get(fabric), name=environment.name)
    return environment.name == study.prediction.measured_on and workload in study.published_seconds


def _conclusion(evaluator: Evaluator, conclusion: PublishedConclusion) -> ConclusionBeside:
    expression = parse(conclusion.holds)
    if not evaluator.asked(expression):
        return ConclusionBeside(
            what=conclusion.what,
            reached=False,
            asked=False,
            shown="",
            miss=f"This scale does not run {_not_asked(evaluator, expression)}.",
            source=conclusion.source,
        )
    try:
        reached, central = evaluator.truth(expression)
        shown = evaluator.shown(expression)
    except NoValueError as error:
        return ConclusionBeside(
            what=conclusion.what, reached=None, asked=True, shown=str(error), source=conclusion.source
        )
    miss = "" if reached else conclusion.miss
    if central and not reached:
        miss = f"It holds, but not in 95 % of the draws of what is uncertain. {miss}".strip()
    return ConclusionBeside(
        what=conclusion.what, reached=reached, asked=True, shown=shown, miss=miss, source=conclusion.source
    )


def _not_asked(evaluator: Evaluator, expression: Expression) -> str:
    results = evaluator.results
    names = [each.workload for each in expression.selections if results.workload(each.workload) is None]
    names += [
        each.environment
        for each in expression.selections
        if each.environment and results.environment(each.environment) is None
    ]
    return ", ".join(dict.fromkeys(names))
