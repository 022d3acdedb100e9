"""Time of each iteration of programs that report it."""

from collections.abc import Iterator, Sequence
from statistics import median

import altair as alt

from linkworth.model.statistics import Description
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.comparing import in_steps
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Cell, Drawing, Section, Table, column, drawing, whole, words
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
    rows = []
    for group in groups:
        all_of_them = describe([value for record in group.done for value in record.series.get(SERIES, [])])
        rows.append([words(group.workload), words(_name(group)), *_figures(all_of_them, group)])
    yield Section(
        key="iterations",
        title="Time of an iteration",
        tables=[
            Table(
                key="iterations",
                title="Iterations of all runs together",
                columns=[
                    column("workload", "workload", number=False),
                    column("environment", "environment", number=False),
                    column("runs", "runs"),
                    column("iterations", "iterations"),
                    column("mean [s]", "mean"),
                    column("median [s]", "median"),
                    column("p99 [s]", "99 %"),
                    column("maximum [s]", "most"),
                    column("deviation [s]", "deviation"),
                ],
                rows=rows,
            )
        ],
        drawings=[
            _drawing(
                n + 1, workload, in_steps(results, [group for group in groups if group.workload == workload])
            )
            for n, workload in enumerate(dict.fromkeys(group.workload for group in groups))
        ],
    )


def _name(group: Group) -> str:
    return f"{group.environment}, predicted" if group.mode == "predict" else group.environment


def _figures(all_of_them: Description, group: Group) -> list[Cell]:
    return [
        whole(len(group.done)),
        whole(all_of_them.n),
        show.number(all_of_them.mean, "time"),
        show.number(all_of_them.median, "time"),
        show.number(all_of_them.p99, "time"),
        show.number(all_of_them.maximum, "time"),
        show.number(all_of_them.deviation, "time"),
    ]


def _line(group: Group) -> list[tuple[int, float]]:
    """Return the median over the runs of each iteration, from 1; for long series, of stretches of iterations."""
    series = [record.series[SERIES] for record in group.done if record.series.get(SERIES)]
    shortest = min(len(each) for each in series)
    stretch = -(-shortest // _MOST_POINTS)
    return [
        (start + 1, median(value for each in series for value in each[start : start + stretch]))
        for start in range(0, shortest, stretch)
    ]


def _drawing(number: int, workload: str, groups: Sequence[Group]) -> Drawing:
    names = [_name(group) for group in groups][: look.MOST_LINES]
    lines = {_name(group): _line(group) for group in groups}
    data = [
        {
            "environment": name,
            "iteration": iteration,
            "milliseconds": seconds * 1e3,
            "label": f"{name}, iteration {iteration}: {show.text(seconds, 'time')}",
        }
        for name in names
        for iteration, seconds in lines[name]
    ]
    times = [seconds for name in names for _, seconds in lines[name]]
    if min(times) > 0 and max(times) > _MOST_TIMES * median(times):
        y = alt.Y("milliseconds:Q", title="ms (log)", scale=alt.Scale(type="log"))
    else:
        y = alt.Y("milliseconds:Q", title="ms", scale=alt.Scale(zero=True))
    base = alt.Chart(values(data)).encode(
        x=alt.X("iteration:Q", title="iteration", axis=alt.Axis(tickMinStep=1, grid=False)),
        y=y,
        color=look.colour(names),
    )
    slowest = max(lines, key=lambda name: sum(seconds for _, seconds in lines[name]) / len(lines[name]))
    fastest = min(lines, key=lambda name: sum(seconds for _, seconds in lines[name]) / len(lines[name]))
    title = f"{workload}: time of each iteration"
    if slowest != fastest:
        title = f"{workload}: iterations are shortest on {fastest} and longest on {slowest}"
    return drawing(
        f"iterations-{number}",
        title,
        alt.layer(
            base.mark_line(strokeWidth=1.2),
            base.mark_point(size=12, filled=True, opacity=1).encode(description="label:N"),
        ).properties(width=look.WIDTH, height=220),
        [
            column("environment", "environment", number=False),
            column("iteration", "iteration"),
            column("seconds [s]", "time"),
        ],
        [
            [words(name), whole(iteration), show.number(seconds, "time")]
            for name, line in lines.items()
            for iteration, seconds in line
        ],
        note="Medians over the runs."
        + (f" Drawn are the first {len(names)} of {len(lines)}." if len(names) < len(lines) else ""),
        wide=True,
    )
