"""Time (or another metric) by workload and environment, and each environment's difference from its baseline."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import altair as alt

from linkworth import units
from linkworth.model.study import Mode, StudyComparison
from linkworth.report.charts import kinds
from linkworth.report.study.comparing import (
    ComparedPair,
    mean_cell,
    pairs,
    relative_cell,
    wanted,
    workloads_of,
)
from linkworth.report.study.results import HOW, MODES, Results, RunGroup
from linkworth.report.table import NOTHING, Cell, Field, Figure, ReportTable, Section, cell, table, words
from linkworth.study.metrics import Metric, metric

Column = tuple[str, Mode]


def sections(results: Results) -> Iterator[Section]:
    """Yield one section for each comparison and metric with values; steps have their own section."""
    asked = [(each, name) for each in wanted(results) if not each.steps for name in each.metrics]
    for number, (comparison, name) in enumerate(asked, 1):
        section = _section(results, comparison, metric(name), f"times-{number}")
        if section:
            yield section


def _section(results: Results, comparison: StudyComparison, of: Metric, key: str) -> Section | None:
    named = [comparison.baseline, *comparison.environments]
    groups = {
        (workload, (environment, mode)): group
        for workload in workloads_of(results, comparison)
        for environment in named
        for mode in MODES
        if (group := results.group(workload, environment, mode)) and (group.values(of.name) or group.lost)
    }
    workloads = kinds.distinct(workload for workload, _ in groups)
    places = [
        (environment, mode)
        for environment in named
        for mode in MODES
        if any((workload, (environment, mode)) in groups for workload in workloads)
    ]
    if not groups:
        return None
    found = {
        (each.group.workload, (each.group.environment, each.group.mode)): each
        for each in pairs(results, comparison, of.name)
        if each.group.environment != comparison.baseline
    }
    with_ratio = [each for each in found.values() if each.has_ratio]
    title = comparison.title or (
        f"{of.title.capitalize()} against {comparison.baseline}" if found else of.title.capitalize()
    )
    return Section(
        key=key,
        title=f"{title}: {of.title}" if comparison.title and len(comparison.metrics) > 1 else title,
        text=_text(of, list(found.values())),
        tables=[_table(comparison, of, key, workloads, places, groups, found)],
        figures=[ratios(comparison.baseline, of, key, with_ratio)] if with_ratio else [],
    )


def _table(
    comparison: StudyComparison,
    of: Metric,
    key: str,
    workloads: Sequence[str],
    places: Sequence[Column],
    groups: dict[tuple[str, Column], RunGroup],
    found: dict[tuple[str, Column], ComparedPair],
) -> ReportTable:
    baseline = comparison.baseline
    both = [name for name, mode in places if mode == "measure" and (name, "predict") in places]

    def row(workload: str) -> list[Field]:
        fields = [words("workload", workload)]
        for place in places:
            environment, mode = place
            name = f"{environment}, {HOW[mode]}" if environment in both else environment
            group, pair = groups.get((workload, place)), found.get((workload, place))
            fields.append(cell(f"{name} [{of.unit}]", name, mean_cell(group, of)))
            if environment != baseline:
                difference = pair.difference_cell() if pair else NOTHING
                fields.append(cell(f"{name} against {baseline} [1]", f"against {baseline}", difference))
        for name in both:
            means = [
                group.describe(of.name) if (group := groups.get((workload, (name, mode)))) else None
                for mode in MODES
            ]
            off = means[1].mean / means[0].mean - 1 if means[0] and means[1] and means[0].mean else None
            fields.append(
                cell(f"{name} predicted/measured [1]", f"{name}: prediction off by", relative_cell(off))
            )
        return fields

    return table(
        key,
        f"{of.title.capitalize()}: mean, its 95 % interval, runs",
        workloads,
        row,
        note=f"Same: within {100 * comparison.margin:.3g} % of each other by an equivalence test. "
        "Failed and unverified runs are counted beside the mean and are not in it.",
    )


_MOST_IN_TEXT = 4
"""Environments whose differences fit into a sentence."""


def _text(of: Metric, found: Sequence[ComparedPair]) -> str:
    counts = Counter(each.verdict for each in found)
    predicted = counts.pop("predicted", 0)
    differences: dict[str, list[float]] = {}
    for each in found:
        if each.difference is not None:
            differences.setdefault(each.group.environment, []).append(each.difference)
    parts = []
    if len(differences) <= _MOST_IN_TEXT:
        parts += [
            f"{environment} {units.interval(units.change(min(values)), units.change(max(values)))}"
            for environment, values in differences.items()
        ]
    if counts:
        listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        parts.append(f"{units.plural(counts.total(), 'measured comparison')} of {of.title}: {listed}")
    if predicted:
        parts.append(f"{units.plural(predicted, 'comparison')} with a prediction, to which no test applies")
    return "; ".join(parts) + "." if parts else ""


def ratios(baseline: str, of: Metric, key: str, kept: Sequence[ComparedPair]) -> Figure:
    """Return the ratio of each pair to its baseline, with its interval; all have a difference."""
    points = {id(each): _point(each, baseline) for each in kept}
    drawn = kinds.largest(kept, distance)
    shown = [points[id(each)] for each in drawn]
    step = max(18, 9 * max(Counter(point.x for point in shown).values()))
    chart = kinds.ranges(
        shown,
        names=[each.group.environment for each in drawn],
        title=f"{of.title} over that of {baseline} (log)",
    ).properties(width=kinds.WIDTH - 60, height=alt.Step(step, **{"for": "position"}))

    def row(each: ComparedPair) -> list[Field]:
        point = points[id(each)]
        return [
            words("workload", each.group.workload),
            words("environment", each.group.environment),
            words("how", each.how, "measured or predicted"),
            _ratio(f"ratio to {baseline} [1]", "ratio", point.value),
            _ratio("low [1]", "low", point.low),
            _ratio("high [1]", "high", point.high),
            words("verdict", each.verdict),
        ]

    note = "Bars: 95 % interval of the ratio. Open marks: a prediction takes part."
    if len(drawn) < len(kept):
        note += f" Drawn are the {len(drawn)} of {len(kept)} that differ most."
    title = _message(of, baseline, kept)
    return Figure(chart=chart, table=table(f"{key}-figure", title, kept, row, note=note), wide=True)


def _point(each: ComparedPair, baseline: str) -> kinds.ChartPoint:
    ratio = 1 + (each.difference or 0.0)
    interval = each.comparison.interval
    environment, workload = each.group.environment, each.group.workload
    return kinds.ChartPoint(
        series=f"{environment}, {each.how}",
        x=workload,
        value=ratio,
        label=f"{workload} on {environment}, {each.how}: {units.significant(ratio)} of that of {baseline}",
        low=1 + interval.low if interval else ratio,
        high=1 + interval.high if interval else ratio,
        uncertain=each.predicted,
    )


def _ratio(key: str, title: str, number: float | None) -> Field:
    return cell(key, title, NOTHING if number is None else Cell(text=units.significant(number), value=number))


def distance(pair: ComparedPair) -> float:
    """Return the distance of two times; a quarter of the time is farther than twice the time."""
    return abs(math.log1p(pair.difference or 0.0))


def _message(of: Metric, baseline: str, found: Sequence[ComparedPair]) -> str:
    shown = [
        each
        for each in found
        if each.verdict not in ("undecided", "same")
        and units.change(each.difference or 0.0) != units.change(0.0)
    ]
    if not shown:
        margins = [each.comparison.margin for each in found if each.verdict == "same"]
        above = f" above {units.percent(max(margins))}" if margins else ""
        return f"No difference of {of.title} from {baseline}{above} is shown by these runs"
    farthest = max(shown, key=distance)
    where = f"on {farthest.group.environment} is {units.significant(1 + (farthest.difference or 0.0))} of that of {baseline}"
    return f"{farthest.group.workload} differs most: its {of.title} {where}"
