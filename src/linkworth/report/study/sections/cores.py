"""Use of the cores over time."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import altair as alt

from linkworth import units
from linkworth.model.run import CoreUse
from linkworth.report import show
from linkworth.report.charts import kinds
from linkworth.report.study.comparing import in_steps
from linkworth.report.study.results import Results, RunGroup
from linkworth.report.table import Field, Figure, Section, table, value, whole, words

_COLUMNS = 60
"""Stretches of time in a figure of cores over time."""
_MOST_OVER_TIME = 4
"""Most environments of a workload in figures over time: the steps of an improvement, or else the first."""


class _Node(NamedTuple):
    """Busy share of each core of a node, mean over the runs."""

    group: RunGroup
    node: str
    shares: list[float]


class _Line(NamedTuple):
    """One core over the time of a run, or the mean of a node's cores."""

    name: str
    seconds: float
    """Length of the run."""
    shares: list[float]
    """Busy share in each of `_COLUMNS` equal stretches."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the core utilisation if runs have CPU time by core, or predictions computation by rank."""
    nodes = [node for group in results.groups() for node in _nodes(group)]
    if not nodes:
        return
    workloads = {name: [each for each in nodes if each.group.workload == name] for name in
                 kinds.distinct(each.group.workload for each in nodes)}  # fmt: skip
    over_time: list[Figure] = []
    for here in workloads.values():
        sampled = {
            group: lines for group in kinds.distinct(each.group for each in here) if (lines := _lines(group))
        }
        for group in in_steps(results, list(sampled))[:_MOST_OVER_TIME]:
            over_time.append(_over_time(f"cores-over-time-{len(over_time) + 1}", group, sampled[group]))
    figures = [_figure(f"cores-{n}", here) for n, here in enumerate(workloads.values(), 1)]
    yield Section(
        key="cores",
        title="Core utilisation",
        text="Measured: CPU time of each core over the time of the run, mean over the runs. MPI libraries that poll keep a core "
        "busy while they wait. Predicted: the share of the time in which each rank computes, as if it had a core "
        "of its own; where the transport is shared memory, waiting ranks poll and are busy as well.",
        tables=[table("cores", "Core utilisation of each node", nodes, _node)],
        figures=[*figures, *over_time],
    )


def _node(each: _Node) -> list[Field]:
    return [
        words("workload", each.group.workload),
        words("environment", each.group.name),
        words("node", each.node),
        whole("cores", "cores", len(each.shares)),
        value("busy [1]", "busy", fmean(each.shares), "share"),
        value("least [1]", "least busy core", min(each.shares), "share"),
        value("most [1]", "busiest core", max(each.shares), "share"),
    ]


def _nodes(group: RunGroup) -> list[_Node]:
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
    return [
        _Node(group, node, [fmean(cores) for cores in zip(*runs, strict=True)])
        for node, runs in shares.items()
        if len({len(run) for run in runs}) == 1
    ]


def _lines(group: RunGroup) -> list[_Line]:
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


def _over_time(key: str, group: RunGroup, lines: Sequence[_Line]) -> Figure:
    note = "The first run."
    if len(lines) > kinds.MOST_ROWS:
        lines = _by_node(lines)
        note += " There are too many cores to draw each: the mean of each node's."
    if len(lines) > kinds.MOST_ROWS:
        note += f" The first {kinds.MOST_ROWS} of {len(lines)}."
        lines = lines[: kinds.MOST_ROWS]
    pieces = [
        (line.name, column * line.seconds / _COLUMNS, (column + 1) * line.seconds / _COLUMNS, share)
        for line in lines
        for column, share in enumerate(line.shares)
    ]
    data = [
        {
            "name": name,
            "from": start,
            "to": end,
            "share": share,
            "label": f"{name}, from {show.text(start, 'time')}: {units.percent(share)} busy",
        }
        for name, start, end, share in pieces
    ]
    chart = kinds.heat(
        data,
        x=alt.X("from:Q", title="s", axis=alt.Axis(grid=False)),
        end="to",
        names=[line.name for line in lines],
    ).properties(width=kinds.WIDTH - 120, height=alt.Step(16 if len(lines) <= 24 else 9))

    def row(piece: tuple[str, float, float, float]) -> list[Field]:
        name, start, end, share = piece
        return [
            words("core", name),
            value("from [s]", "from", start, "time"),
            value("to [s]", "to", end, "time"),
            value("busy [1]", "busy", share, "share"),
        ]

    title = f"{group.workload} on {group.name}: each core over time"
    return Figure(chart=chart, table=table(key, title, pieces, row, note=note), wide=True)


def _figure(key: str, nodes: Sequence[_Node]) -> Figure:
    cores = [(node, core, share) for node in nodes for core, share in enumerate(node.shares)]
    data = [
        {
            "name": f"{node.group.name}, {node.node}",
            "core": core,
            "share": share,
            "label": f"{node.group.name}, {node.node}, core {core}: {units.percent(share)} busy",
        }
        for node, core, share in cores
    ]
    most = max(len(node.shares) for node in nodes)
    chart = kinds.heat(
        data,
        x=alt.X("core:O", title="core", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        names=kinds.distinct(str(row["name"]) for row in data),
    ).properties(width=min(kinds.WIDTH - 120, max(60, 24 * most)), height=alt.Step(20))
    means: dict[str, list[float]] = {}
    for node in nodes:
        means.setdefault(node.group.name, []).append(fmean(node.shares))
    listed = ", ".join(
        f"{units.percent(fmean(shares))} on {name}" for name, shares in list(means.items())[:4]
    )

    def row(item: tuple[_Node, int, float]) -> list[Field]:
        node, core, share = item
        return [
            words("environment", node.group.name),
            words("node", node.node),
            whole("core", "core", core),
            value("busy [1]", "busy", share, "share"),
        ]

    title = f"{nodes[0].group.workload} keeps the cores busy for {listed}"
    return Figure(chart=chart, table=table(key, title, cores, row), wide=True)
