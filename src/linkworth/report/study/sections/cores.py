"""Use of the cores over time."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import altair as alt

from linkworth import units
from linkworth.model.run import CoreUse
from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.comparing import in_steps
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Drawing, Section, Table, column, drawing, whole, words

_COLUMNS = 60
"""Stretches of time in a figure of cores over time."""
_MOST_OVER_TIME = 4
"""Most environments of a workload in figures over time: the steps of an improvement, or else the first."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the core utilisation if runs have CPU time by core, or predictions computation by rank."""
    use = [(group, cores) for group in results.groups() if (cores := _by_core(group))]
    if not use:
        return
    workloads = list(dict.fromkeys(group.workload for group, _ in use))
    of_workload = {name: [each for each in use if each[0].workload == name] for name in workloads}
    over_time: list[Drawing] = []
    for workload in workloads:
        sampled = [(group, lines) for group, _ in of_workload[workload] if (lines := _lines(group))]
        steps = in_steps(results, [group for group, _ in sampled])[:_MOST_OVER_TIME]
        for group, lines in sampled:
            if group in steps:
                over_time.append(_over_time(f"cores-over-time-{len(over_time) + 1}", group, lines))
    yield Section(
        key="cores",
        title="Core utilisation",
        text="Measured: CPU time of each core over the time of the run, mean over the runs. MPI libraries that poll keep a core "
        "busy while they wait. Predicted: the share of the time in which each rank computes, as if it had a core of its own.",
        tables=[
            Table(
                key="cores",
                title="Core utilisation of each node",
                columns=[
                    column("workload", "workload", number=False),
                    column("environment", "environment", number=False),
                    column("node", "node", number=False),
                    column("cores", "cores"),
                    column("busy [1]", "busy"),
                    column("least [1]", "least busy core"),
                    column("most [1]", "busiest core"),
                ],
                rows=[
                    [
                        words(group.workload),
                        words(_name(group)),
                        words(node),
                        whole(len(shares)),
                        show.number(fmean(shares), "share"),
                        show.number(min(shares), "share"),
                        show.number(max(shares), "share"),
                    ]
                    for group, cores in use
                    for node, shares in cores.items()
                ],
            )
        ],
        drawings=[
            *(_drawing(n + 1, workload, of_workload[workload]) for n, workload in enumerate(workloads)),
            *over_time,
        ],
    )


def _name(group: Group) -> str:
    return f"{group.environment}, predicted" if group.mode == "predict" else group.environment


def _by_core(group: Group) -> dict[str, list[float]]:
    """Return the busy share of each core, by node."""
    shares: dict[str, list[list[float]]] = {}
    for record in group.done:
        for use in record.core_use:
            shares.setdefault(use.node, []).append(use.mean)
        seconds = record.metrics.get("elapsed_seconds", record.metrics.get("seconds", 0.0))
        if record.core_use or seconds <= 0:
            continue
        for node in record.counters:
            if node.core_seconds:
                busy = [min(1.0, each / seconds) for each in node.core_seconds]
                shares.setdefault(node.node, []).append(busy)
    return {
        node: [fmean(cores) for cores in zip(*runs, strict=True)]
        for node, runs in shares.items()
        if len({len(run) for run in runs}) == 1
    }


class _Line(NamedTuple):
    """One core over the time of a run, or the mean of a node's cores."""

    name: str
    seconds: float
    """Length of the run."""
    shares: list[float]
    """Busy share in each of `_COLUMNS` equal stretches."""


def _lines(group: Group) -> list[_Line]:
    """Return each core of the first run that has samples."""
    for record in group.done:
        sampled = [use for use in record.core_use if use.times]
        if sampled:
            return [
                _Line(f"{use.node}, core {core}", use.times[-1], _resampled(use, core))
                for use in sampled
                for core in range(len(use.mean))
            ]
    return []


def _resampled(use: CoreUse, core: int) -> list[float]:
    """Return a core's share of each of `_COLUMNS` equal stretches from the start to the last sample."""
    width = use.times[-1] / _COLUMNS
    busy = [0.0] * _COLUMNS
    for start, end, sample in zip([0.0, *use.times], use.times, use.samples, strict=False):
        for place in range(int(start / width), min(_COLUMNS, int(end / width) + 1)):
            overlap = min(end, (place + 1) * width) - max(start, place * width)
            busy[place] += max(0.0, overlap) * sample[core]
    return [min(1.0, each / width) for each in busy]


def _by_node(lines: Sequence[_Line]) -> list[_Line]:
    nodes: dict[str, list[_Line]] = {}
    for line in lines:
        nodes.setdefault(line.name.rpartition(", core ")[0], []).append(line)
    return [
        _Line(
            name,
            cores[0].seconds,
            [fmean(column) for column in zip(*(core.shares for core in cores), strict=True)],
        )
        for name, cores in nodes.items()
    ]


def _over_time(key: str, group: Group, lines: Sequence[_Line]) -> Drawing:
    note = "The first run."
    if len(lines) > look.MOST_ROWS:
        lines = _by_node(lines)
        note += " There are too many cores to draw each: the mean of each node's."
    lines = lines[: look.MOST_ROWS]
    data = [
        {
            "name": line.name,
            "from": column * line.seconds / _COLUMNS,
            "to": (column + 1) * line.seconds / _COLUMNS,
            "share": share,
            "label": f"{line.name}, from {show.text(column * line.seconds / _COLUMNS, 'time')}: {units.percent(share)} busy",
        }
        for line in lines
        for column, share in enumerate(line.shares)
    ]
    chart = (
        alt.Chart(values(data))
        .mark_rect()
        .encode(
            x=alt.X("from:Q", title="s", axis=alt.Axis(grid=False)),
            x2="to:Q",
            y=look.names_on_y([line.name for line in lines]),
            color=_shade(),
            description="label:N",
        )
        .properties(width=look.WIDTH - 120, height=alt.Step(16 if len(lines) <= 24 else 9))
    )
    return drawing(
        key,
        f"{group.workload} on {_name(group)}: each core over time",
        chart,
        [
            column("core", "core", number=False),
            column("from [s]", "from"),
            column("to [s]", "to"),
            column("busy [1]", "busy"),
        ],
        [
            [
                words(str(row["name"])),
                *(show.number(float(str(row[end])), "time") for end in ("from", "to")),
                show.number(float(str(row["share"])), "share"),
            ]
            for row in data
        ],
        note=note,
        wide=True,
    )


def _shade() -> alt.Color:
    return alt.Color(
        "share:Q",
        scale=alt.Scale(domain=[0, 1], range=[theme.LIGHT_BLUE, theme.DARK_BLUE]),
        legend=alt.Legend(format="%", gradientLength=120),
    )


def _drawing(number: int, workload: str, use: Sequence[tuple[Group, dict[str, list[float]]]]) -> Drawing:
    data, rows = [], []
    for group, cores in use:
        for node, shares in cores.items():
            for core, share in enumerate(shares):
                data.append(
                    {
                        "name": f"{_name(group)}, {node}",
                        "core": core,
                        "share": share,
                        "label": f"{_name(group)}, {node}, core {core}: {units.percent(share)} busy",
                    }
                )
                rows.append([words(_name(group)), words(node), whole(core), show.number(share, "share")])
    most = max(int(str(row["core"])) for row in data) + 1
    names = list(dict.fromkeys(str(row["name"]) for row in data))
    chart = (
        alt.Chart(values(data))
        .mark_rect()
        .encode(
            x=alt.X("core:O", title="core", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=look.names_on_y(names),
            color=_shade(),
            description="label:N",
        )
        .properties(width=min(look.WIDTH - 120, max(60, 24 * most)), height=alt.Step(20))
    )
    means = {_name(group): fmean(fmean(shares) for shares in cores.values()) for group, cores in use}
    listed = ", ".join(f"{units.percent(share)} on {name}" for name, share in list(means.items())[:4])
    return drawing(
        f"cores-{number}",
        f"{workload} keeps the cores busy for {listed}",
        chart,
        [
            column("environment", "environment", number=False),
            column("node", "node", number=False),
            column("core", "core"),
            column("busy [1]", "busy"),
        ],
        rows,
        wide=True,
    )
