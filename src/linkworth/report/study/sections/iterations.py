"""Time of each iteration of programs that report it."""

from collections.abc import Iterator, Sequence
from statistics import fmean, median

import altair as alt

from linkworth.report import show
from linkworth.report.charts import kinds
from linkworth.report.study.comparing import in_steps
from linkworth.report.study.results import Results, RunGroup
from linkworth.report.table import Field, Figure, Section, table, value, whole, words
from linkworth.statistics import describe

SERIES = "iteration_seconds"
_MOST_POINTS = 400
"""Most points of a line; longer series are thinned out by medians of neighbours."""
_MOST_TIMES = 20
"""Ratio to the median beyond which one iteration, as with an output, makes the axis logarithmic."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the iterations if runs or predictions have a series of them."""
    groups = [group for group in results.groups() if any(record.series.get(SERIES) for record in group.done)]
    if not groups:
        return
    by_workload = [
        in_steps(results, [group for group in groups if group.workload == workload])
        for workload in kinds.distinct(group.workload for group in groups)
    ]
    yield Section(
        key="iterations",
        title="Time of an iteration",
        tables=[table("iterations", "Iterations of all runs together", groups, _row)],
        figures=[_figure(f"iterations-{n}", here) for n, here in enumerate(by_workload, 1)],
    )


def _row(group: RunGroup) -> list[Field]:
    runs = [record.series[SERIES] for record in group.done if record.series.get(SERIES)]
    all_runs = describe([seconds for run in runs for seconds in run])
    return [
        words("workload", group.workload),
        words("environment", group.name),
        whole("runs", "runs", len(runs)),
        whole("iterations", "iterations", all_runs.n),
        value("mean [s]", "mean", all_runs.mean, "time"),
        value("median [s]", "median", all_runs.median, "time"),
        value("p99 [s]", "99 %", all_runs.p99, "time"),
        value("maximum [s]", "most", all_runs.maximum, "time"),
        value("deviation [s]", "deviation", all_runs.deviation, "time"),
    ]


def _line(group: RunGroup) -> list[tuple[int, float]]:
    """Return the median over the runs of each iteration, from 1; for long series, of stretches of iterations."""
    series = [record.series[SERIES] for record in group.done if record.series.get(SERIES)]
    shortest = min(len(each) for each in series)
    stretch = -(-shortest // _MOST_POINTS)
    return [
        (start + 1, median(seconds for each in series for seconds in each[start : start + stretch]))
        for start in range(0, shortest, stretch)
    ]


def _figure(key: str, groups: Sequence[RunGroup]) -> Figure:
    lines = {group.name: _line(group) for group in groups}
    drawn = list(lines)[: kinds.MOST_LINES]
    points = [
        kinds.ChartPoint(
            name, number, seconds * 1e3, f"{name}, iteration {number}: {show.text(seconds, 'time')}"
        )
        for name in drawn
        for number, seconds in lines[name]
    ]
    times = [point.value for point in points]
    logarithmic = min(times) > 0 and max(times) > _MOST_TIMES * median(times)
    chart = kinds.lines(
        points,
        x={"title": "iteration", "axis": alt.Axis(tickMinStep=1, grid=False)},
        y={"title": "ms (log)", "scale": alt.Scale(type="log")}
        if logarithmic
        else {"title": "ms", "scale": alt.Scale(zero=True)},
        marks=kinds.Marks(size=12, shaped=False, stroke=1.2),
    ).properties(width=kinds.WIDTH, height=220)

    def mean(name: str) -> float:
        return fmean(seconds for _, seconds in lines[name])

    slowest, fastest = max(lines, key=mean), min(lines, key=mean)
    workload = groups[0].workload
    title = f"{workload}: time of each iteration"
    if slowest != fastest:
        title = f"{workload}: iterations are shortest on {fastest} and longest on {slowest}"
    note = "Medians over the runs."
    if len(drawn) < len(lines):
        note += f" Drawn are the first {len(drawn)} of {len(lines)}."

    def row(item: tuple[str, int, float]) -> list[Field]:
        name, number, seconds = item
        return [
            words("environment", name),
            whole("iteration", "iteration", number),
            value("seconds [s]", "time", seconds, "time"),
        ]

    items = ((name, *point) for name, line in lines.items() for point in line)
    return Figure(chart=chart, table=table(key, title, items, row, note=note), wide=True)
