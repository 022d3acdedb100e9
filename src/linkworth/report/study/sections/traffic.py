"""Bytes of each NIC and TCP's retransmissions, by the number of NICs that work together."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.study import RunRecord
from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Cell, Drawing, Section, Table, column, drawing, nothing, whole, words


class _Nic(msgspec.Struct, frozen=True, kw_only=True):
    """Means over runs, summed over nodes."""

    nic: str
    sent_bytes: float
    received_bytes: float
    sent_packets: float
    dropped: float


def sections(results: Results) -> Iterator[Section]:
    """Yield the traffic if measured runs have counters of NICs."""
    groups = [
        group
        for group in results.groups(modes=["measure"])
        if any(node.nics for record in group.done for node in record.counters)
    ]
    if not groups:
        return
    yield Section(
        key="traffic",
        title="Traffic of the NICs",
        text="Counted by the kernel over whole runs, launch included; means over the runs, summed over the nodes.",
        tables=[_repairs(results, groups), _nics(groups)],
        drawings=[
            _drawing(n + 1, workload, [group for group in groups if group.workload == workload])
            for n, workload in enumerate(dict.fromkeys(group.workload for group in groups))
        ],
    )


def _traffic(group: Group) -> list[_Nic]:
    counted = [record for record in group.done if record.counters]
    names = sorted({nic.nic for record in counted for node in record.counters for nic in node.nics})
    return [
        _Nic(
            nic=name,
            sent_bytes=_mean(counted, name, "sent_bytes"),
            received_bytes=_mean(counted, name, "received_bytes"),
            sent_packets=_mean(counted, name, "sent_packets"),
            dropped=_mean(counted, name, "dropped_packets"),
        )
        for name in names
    ]


def _mean(records: Sequence[RunRecord], nic: str, field: str) -> float:
    return fmean(
        sum(getattr(each, field) for node in record.counters for each in node.nics if each.nic == nic)
        for record in records
    )


def _of_nodes(group: Group, field: str) -> float:
    counted = [record for record in group.done if record.counters]
    return fmean(sum(getattr(node, field) for node in record.counters) for record in counted)


def _repairs(results: Results, groups: Sequence[Group]) -> Table:
    rows = []
    for group in groups:
        environment = results.environment(group.environment)
        nics = environment.nics if environment and environment.nics else None
        sent, again = _of_nodes(group, "tcp_segments_sent"), _of_nodes(group, "tcp_retransmits")
        late = _of_nodes(group, "tcp_out_of_order")
        rows.append(
            [
                words(group.workload),
                words(group.environment),
                whole(nics) if nics else nothing(),
                show.number(sum(nic.sent_bytes for nic in _traffic(group)), "size"),
                show.number(sent, "count"),
                show.number(again, "count"),
                show.number(again / sent if sent else None, "share"),
                show.number(late, "count"),
            ]
        )
    return Table(
        key="retransmits",
        title="TCP's repairs by the number of NICs",
        columns=[
            column("workload", "workload", number=False),
            column("environment", "environment", number=False),
            column("nics", "NICs"),
            column("sent [B]", "sent"),
            column("segments", "segments"),
            column("retransmits", "sent again"),
            column("retransmit share [1]", "share"),
            column("out of order", "out of order"),
        ],
        rows=rows,
    )


def _nics(groups: Sequence[Group]) -> Table:
    return Table(
        key="nics",
        title="Bytes and packets of each NIC",
        columns=[
            column("workload", "workload", number=False),
            column("environment", "environment", number=False),
            column("nic", "NIC", number=False),
            column("sent [B]", "sent"),
            column("received [B]", "received"),
            column("packets sent", "packets sent"),
            column("dropped", "dropped"),
            column("share of sent [1]", "share"),
        ],
        rows=[
            [
                words(group.workload),
                words(group.environment),
                words(nic.nic),
                show.number(nic.sent_bytes, "size"),
                show.number(nic.received_bytes, "size"),
                show.number(nic.sent_packets, "count"),
                show.number(nic.dropped, "count"),
                show.number(nic.sent_bytes / total if total else None, "share"),
            ]
            for group in groups
            for total in [sum(nic.sent_bytes for nic in _traffic(group))]
            for nic in _traffic(group)
        ],
    )


def _drawing(number: int, workload: str, groups: Sequence[Group]) -> Drawing:
    rows: list[list[Cell]] = []
    data = []
    nics = sorted({nic.nic for group in groups for nic in _traffic(group)})
    for group in groups:
        for nic in _traffic(group):
            data.append(
                {
                    "name": group.environment,
                    "nic": nic.nic,
                    "bytes": nic.sent_bytes,
                    "label": f"{group.environment}, {nic.nic}: {units.data(round(nic.sent_bytes))} sent",
                }
            )
            rows.append([words(group.environment), words(nic.nic), show.number(nic.sent_bytes, "size")])
    chart = (
        alt.Chart(values(data))
        .mark_bar(height=16)
        .encode(
            y=look.names_on_y([group.environment for group in groups]),
            x=alt.X("bytes:Q", title="bytes sent", axis=alt.Axis(format="~s", tickCount=5)),
            color=alt.Color(
                "nic:N",
                scale=alt.Scale(
                    domain=nics, range=[theme.SERIES[n % len(theme.SERIES)] for n in range(len(nics))]
                ),
                legend=alt.Legend(columns=6, symbolOpacity=1),
            ),
            order=alt.Order("nic:N"),
            description="label:N",
        )
        .properties(width=theme.PLOT_WIDTH - 40, height=alt.Step(22))
    )
    return drawing(
        f"traffic-{number}",
        _message(workload, groups),
        chart,
        [
            column("environment", "environment", number=False),
            column("nic", "NIC", number=False),
            column("sent [B]", "sent"),
        ],
        rows,
    )


def _message(workload: str, groups: Sequence[Group]) -> str:
    """Return a sentence on how unevenly the NICs share the traffic in the worst case."""
    worst, spread = "", 0.0
    for group in groups:
        sent = [nic.sent_bytes for nic in _traffic(group) if nic.sent_bytes > 0]
        if len(sent) > 1 and max(sent) / fmean(sent) > spread:
            worst, spread = group.environment, max(sent) / fmean(sent)
    if not worst:
        return f"{workload}: bytes sent by each NIC"
    return f"{workload}: on {worst} the busiest NIC sends {spread:.2f} times the mean of all"
