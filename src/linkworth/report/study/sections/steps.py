"""Successive improvements: each step against the one before, and against the start."""

from collections.abc import Iterator

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.study import Mode, StudyComparison
from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.comparing import Pair, pair, wanted, workloads_of
from linkworth.report.study.results import Results
from linkworth.report.study.sections import look
from linkworth.report.study.sections.times import value_cell
from linkworth.report.study.table import Cell, Drawing, Section, Table, column, drawing, nothing, words
from linkworth.study.metrics import Metric, metric

_MODES: list[Mode] = ["measure", "predict"]


def sections(results: Results) -> Iterator[Section]:
    """Yield one section for each comparison by steps."""
    number = 0
    for comparison in wanted(results):
        if not comparison.steps:
            continue
        for name in comparison.metrics:
            section = _section(results, comparison, metric(name), f"steps-{number + 1}")
            if section:
                number += 1
                yield section


def _section(results: Results, comparison: StudyComparison, of: Metric, key: str) -> Section | None:
    rows: list[list[Cell]] = []
    drawings: list[Drawing] = []
    sentences = []
    steps = [comparison.baseline, *comparison.environments]
    for workload in workloads_of(results, comparison):
        for mode in _MODES:
            there = [
                step
                for step in steps
                if (group := results.group(workload, step, mode)) and group.values(of.name)
            ]
            if len(there) < 2:
                continue
            how = how_sure = "predicted" if mode == "predict" else "measured"
            for number, step in enumerate(there):
                before = (
                    _pair(results, comparison, workload, there[number - 1], step, mode, of)
                    if number
                    else None
                )
                start = _pair(results, comparison, workload, there[0], step, mode, of) if number else None
                rows.append(
                    [
                        words(workload),
                        words(how),
                        words(f"{number}. {_title(results, step)}"),
                        value_cell(results.group(workload, step, mode), of),
                        before.difference_cell() if before else nothing("start"),
                        start.difference_cell() if start else nothing("start"),
                    ]
                )
                if start and number == len(there) - 1 and start.comparison.relative_difference is not None:
                    total = start.comparison.relative_difference
                    how_sure = how if start.verdict != "undecided" else f"{how}, undecided"
                    sentences.append(
                        f"{workload} ({how_sure}): {units.change(total)} {of.title} over {number} steps."
                    )
            drawings.append(
                _drawing(f"{key}-{len(drawings) + 1}", results, workload, there, mode, of, how_sure)
            )
    if not rows:
        return None
    title = comparison.title or "Step by step"
    return Section(
        key=key,
        title=f"{title}: {of.title}" if len(comparison.metrics) > 1 else title,
        text=" ".join(sentences),
        tables=[
            Table(
                key=key,
                title=f"{of.title.capitalize()} after each step",
                columns=[
                    column("workload", "workload", number=False),
                    column("how", "how", number=False),
                    column("step", "step", number=False),
                    column(f"mean [{of.unit}]", of.title),
                    column("against the step before [1]", "against the step before"),
                    column("against the start [1]", "against the start"),
                ],
                rows=rows,
            )
        ],
        drawings=drawings,
    )


def _pair(
    results: Results,
    comparison: StudyComparison,
    workload: str,
    before: str,
    step: str,
    mode: Mode,
    of: Metric,
) -> Pair | None:
    against = msgspec.structs.replace(comparison, baseline=before)
    return pair(results, against, workload, step, mode, of.name)


def _title(results: Results, name: str) -> str:
    environment = results.environment(name)
    return environment.title if environment and environment.title else name


def _drawing(
    key: str, results: Results, workload: str, there: list[str], mode: Mode, of: Metric, how: str
) -> Drawing:
    data, rows = [], []
    for number, step in enumerate(there):
        group = results.group(workload, step, mode)
        description = group.describe(of.name) if group else None
        assert description is not None
        interval = description.mean_interval
        name = f"{number}. {_title(results, step)}"
        data.append(
            {
                "name": name,
                "value": description.mean,
                "low": interval.low if interval else description.mean,
                "high": interval.high if interval else description.mean,
                "text": show.text(description.mean, of.kind),
                "label": f"{name}: {show.text(description.mean, of.kind)}",
            }
        )
        rows.append([words(name), show.number(description.mean, of.kind)])
    names = [str(row["name"]) for row in data]
    top = max(float(str(row["high"])) for row in data)
    scale = alt.Scale(domain=[0, top * 1.35])
    base = alt.Chart(values(data)).encode(y=look.names_on_y(names))
    x = alt.X("value:Q", title=None, scale=scale, axis=alt.Axis(labels=False, ticks=False, grid=False))
    bars = base.mark_bar(height=18, color=theme.BLUE).encode(x=x, description="label:N")
    rules = base.mark_rule(color=theme.INK).encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    ends = base.mark_text(align="left", dx=6).encode(x=alt.X("high:Q", scale=scale), text="text:N")
    first, last = float(str(data[0]["value"])), float(str(data[-1]["value"]))
    return drawing(
        key,
        f"{workload}: {of.title} {units.change(last / first - 1) if first else ''} from the first step to the last ({how})",
        alt.layer(bars, rules, ends).properties(width=theme.PLOT_WIDTH - 60, height=alt.Step(28)),
        [column("step", "step", number=False), column(f"mean [{of.unit}]", of.title)],
        rows,
    )
