"""Time (or another metric) by workload and environment, and each environment's difference from its baseline."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from linkworth.model.study import Mode, StudyComparison
from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.charts.sensitivity import log_ticks
from linkworth.report.study import show
from linkworth.report.study.comparing import Pair, pair, wanted, workloads_of
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Cell, Drawing, Section, Table, column, drawing, nothing, words
from linkworth.study.metrics import Metric, metric

Column = tuple[str, Mode]


def sections(results: Results) -> Iterator[Section]:
    """Yield one section for each comparison and metric with values; steps have their own section."""
    number = 0
    for comparison in wanted(results):
        for name in comparison.metrics:
            if comparison.steps:
                continue
            number += 1
            section = _section(results, comparison, metric(name), f"times-{number}")
            if section:
                yield section


def _section(results: Results, comparison: StudyComparison, of: Metric, key: str) -> Section | None:
    workloads = [
        name
        for name in workloads_of(results, comparison)
        if any(
            (group := results.group(name, environment, mode)) and (group.values(of.name) or group.lost)
            for environment in [comparison.baseline, *comparison.environments]
            for mode in _MODES
        )
    ]
    wanted_ones = [comparison.baseline, *comparison.environments]
    places: list[Column] = [
        (environment, mode)
        for environment in wanted_ones
        for mode in results.modes(
            environment, workloads, lambda group: bool(group.values(of.name) or group.lost)
        )
    ]
    if not workloads or not places:
        return None
    pairs = {
        (workload, place): found
        for workload in workloads
        for place in places
        if place[0] != comparison.baseline
        and (found := pair(results, comparison, workload, place[0], place[1], of.name))
    }
    both = _both_modes(places)
    table = _table(results, comparison, of, key, workloads, places, pairs, both)
    with_ratio = [
        each
        for each in pairs.values()
        if (difference := each.comparison.relative_difference) is not None and difference > -1
    ]
    drawings = [_drawing(comparison, of, key, with_ratio)] if with_ratio else []
    title = comparison.title or (
        f"{of.title.capitalize()} against {comparison.baseline}" if pairs else of.title.capitalize()
    )
    if comparison.title and len(comparison.metrics) > 1:
        title = f"{title}: {of.title}"
    return Section(
        key=key, title=title, text=_text(of, list(pairs.values())), tables=[table], drawings=drawings
    )


_MODES: list[Mode] = ["measure", "predict"]


def _both_modes(places: Sequence[Column]) -> list[str]:
    measured = [environment for environment, mode in places if mode == "measure"]
    return [environment for environment in measured if (environment, "predict") in places]


def _place_name(place: Column, both: Sequence[str]) -> str:
    environment, mode = place
    return (
        f"{environment}, {'predicted' if mode == 'predict' else 'measured'}"
        if environment in both
        else environment
    )


def _table(
    results: Results,
    comparison: StudyComparison,
    of: Metric,
    key: str,
    workloads: Sequence[str],
    places: Sequence[Column],
    pairs: dict[tuple[str, Column], Pair],
    both: Sequence[str],
) -> Table:
    columns = [column("workload", "workload", number=False)]
    for place in places:
        name = _place_name(place, both)
        columns.append(column(f"{name} [{of.unit}]", name))
        if place[0] != comparison.baseline:
            columns.append(
                column(f"{name} against {comparison.baseline} [1]", f"against {comparison.baseline}")
            )
    columns += [column(f"{name} predicted/measured [1]", f"{name}: prediction off by") for name in both]
    rows = []
    for workload in workloads:
        row = [words(workload)]
        for place in places:
            group = results.group(workload, *place)
            row.append(value_cell(group, of))
            if place[0] != comparison.baseline:
                found = pairs.get((workload, place))
                row.append(found.difference_cell() if found else nothing())
        row += [_error(results, workload, environment, of) for environment in both]
        rows.append(row)
    return Table(
        key=key,
        title=f"{of.title.capitalize()}: mean, its 95 % interval, runs",
        columns=columns,
        rows=rows,
        note=f"Same: within {100 * comparison.margin:.3g} % of each other by an equivalence test. "
        "Failed and unverified runs are counted beside the mean and are not in it.",
    )


def value_cell(group: Group | None, of: Metric) -> Cell:
    """Return the mean of a cell of the matrix, or the reason why nothing is done."""
    if group is None:
        return nothing()
    description = group.describe(of.name)
    if description is None:
        return Cell(text=group.lost_text or "–", value=None, mark="bad" if group.lost else "quiet")
    return show.described(
        description, of, lost=group.lost_text, predicted=group.mode == "predict", crowded=group.crowded
    )


def _error(results: Results, workload: str, environment: str, of: Metric) -> Cell:
    measured = results.group(workload, environment, "measure")
    predicted = results.group(workload, environment, "predict")
    first = measured.describe(of.name) if measured else None
    second = predicted.describe(of.name) if predicted else None
    if first is None or second is None or first.mean == 0:
        return nothing()
    return show.relative(second.mean / first.mean - 1)


def _text(of: Metric, pairs: Sequence[Pair]) -> str:
    counts: dict[str, int] = {}
    for each in pairs:
        counts[each.verdict] = counts.get(each.verdict, 0) + 1
    predicted = counts.pop("predicted", 0)
    parts = []
    if counts:
        listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        parts.append(f"{sum(counts.values())} measured comparisons of {of.title}: {listed}")
    if predicted:
        parts.append(f"{predicted} with a prediction, to which no test applies")
    return "; ".join(parts) + "." if parts else ""


def _drawing(comparison: StudyComparison, of: Metric, key: str, kept: Sequence[Pair]) -> Drawing:
    """Return the ratio of each environment to the baseline, with its interval, on a logarithmic axis."""
    drawn = look.largest(kept, _distance)
    names = list(dict.fromkeys(each.group.environment for each in drawn))
    workloads = list(dict.fromkeys(each.group.workload for each in drawn))
    shown = {id(each) for each in drawn}
    data, rows = [], []
    for each in kept:
        ratio = 1 + (each.comparison.relative_difference or 0.0)
        interval = each.comparison.interval
        low, high = (1 + interval.low, 1 + interval.high) if interval else (ratio, ratio)
        how = "predicted" if each.predicted else "measured"
        if id(each) in shown:
            data.append(
                {
                    "name": each.group.workload,
                    "environment": each.group.environment,
                    "how": how,
                    "series": f"{each.group.environment}, {how}",
                    "ratio": ratio,
                    "low": max(low, 1e-9),
                    "high": high,
                    "label": f"{each.group.workload} on {each.group.environment}, {how}: {ratio:.3g} of {comparison.baseline}",
                }
            )
        rows.append(
            [
                words(each.group.workload),
                words(each.group.environment),
                words(how),
                Cell(text=f"{ratio:.3g}", value=ratio),
                Cell(text=f"{low:.3g}", value=low),
                Cell(text=f"{high:.3g}", value=high),
                words(each.verdict),
            ]
        )
    extent = [*(float(str(row["low"])) for row in data), *(float(str(row["high"])) for row in data), 1.0]
    base = alt.Chart(values(data)).encode(
        y=look.names_on_y(workloads),
        yOffset=alt.YOffset("series:N", sort=list(dict.fromkeys(str(row["series"]) for row in data))),
        color=look.colour(names),
    )
    options: dict[str, Any] = {
        "title": f"{of.title} over that of {comparison.baseline} (log)",
        "scale": alt.Scale(type="log", nice=False, domain=[min(extent) / 1.1, max(extent) * 1.1]),
        "axis": alt.Axis(values=log_ticks(min(extent) / 1.1, max(extent) * 1.1), format="~g"),
    }
    line = alt.Chart(values([{"one": 1.0}])).mark_rule(color=theme.MUTED, strokeDash=[3, 3]).encode(x="one:Q")
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **options), x2="high:Q")
    dots = base.mark_point(size=55, opacity=1, strokeWidth=1.5).encode(
        x=alt.X("ratio:Q", **options),
        shape=look.shape(names),
        fill=alt.condition("datum.how == 'measured'", look.colour(names), alt.value("transparent")),
        description="label:N",
    )
    step = max(18, 9 * max(Counter(row["name"] for row in data).values()))
    return drawing(
        f"{key}-figure",
        _message(of, comparison.baseline, kept),
        alt.layer(line, bars, dots).properties(
            width=look.WIDTH - 60, height=alt.Step(step, **{"for": "position"})
        ),
        [
            column("workload", "workload", number=False),
            column("environment", "environment", number=False),
            column("how", "measured or predicted", number=False),
            column(f"ratio to {comparison.baseline} [1]", "ratio"),
            column("low [1]", "low"),
            column("high [1]", "high"),
            column("verdict", "verdict", number=False),
        ],
        rows,
        note="Bars: 95 % interval of the ratio. Open marks: a prediction takes part."
        + (f" Drawn are the {len(drawn)} of {len(kept)} that differ most." if len(drawn) < len(kept) else ""),
        wide=True,
    )


def _distance(pair: Pair) -> float:
    """Return the distance of two times; a quarter of the time is farther than twice the time."""
    return abs(math.log1p(pair.comparison.relative_difference or 0.0))


def _message(of: Metric, baseline: str, pairs: Sequence[Pair]) -> str:
    shown = [each for each in pairs if each.verdict not in ("undecided", "same")]
    if not shown:
        return f"No difference of {of.title} from {baseline} is shown by these runs"
    farthest = max(shown, key=_distance)
    ratio = 1 + (farthest.comparison.relative_difference or 0.0)
    where = f"on {farthest.group.environment} is {ratio:.3g} of that on {baseline}"
    return f"{farthest.group.workload} differs most: its {of.title} {where}"
