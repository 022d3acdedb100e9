"""Bytes of each NIC and TCP's retransmissions, by the number of NICs that work together."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.counters import LOOPBACK
from linkworth.model.study import RunRecord
from linkworth.report.charts import kinds, theme
from linkworth.report.study.results import Results, RunGroup
from linkworth.report.table import Field, Figure, Section, table, value, whole, words


class _Nic(msgspec.Struct, frozen=True, kw_only=True):
    """Means over runs, summed over nodes."""

    group: RunGroup
    nic: str
    sent_bytes: float
    received_bytes: float
    sent_packets: float
    dropped_packets: float
    share: float | None
    """Share of the bytes that the group's NICs sent; None for the loopback."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the traffic if measured runs have counters of NICs."""
    traffic = {group: nics for group in results.groups(modes=["measure"]) if (nics := _nics(group))}
    if not traffic:
        return
    workloads = kinds.distinct(group.workload for group in traffic)
    yield Section(
        key="traffic",
        title="Traffic of the NICs",
        text="Counted by the kernel over whole runs, launch included; means over the runs, summed over the nodes.",
        tables=[
            table(
                "retransmits",
                "TCP's repairs by the number of NICs",
                traffic.items(),
                lambda item: _repairs(results, *item),
            ),
            table(
                "nics",
                "Bytes and packets of each NIC",
                (nic for nics in traffic.values() for nic in nics),
                _nic,
            ),
        ],
        figures=[
            _figure(
                f"traffic-{n}", {group: nics for group, nics in traffic.items() if group.workload == name}
            )
            for n, name in enumerate(workloads, 1)
        ],
    )


def _nics(group: RunGroup) -> list[_Nic]:
    counted = [record for record in group.done if record.counters]
    names = sorted({nic.nic for record in counted for node in record.counters for nic in node.nics})
    sent = {name: _mean(counted, name, "sent_bytes") for name in names}
    total = sum(sent[name] for name in names if name != LOOPBACK)
    return [
        _Nic(
            group=group,
            nic=name,
            sent_bytes=sent[name],
            received_bytes=_mean(counted, name, "received_bytes"),
            sent_packets=_mean(counted, name, "sent_packets"),
            dropped_packets=_mean(counted, name, "dropped_packets"),
            share=sent[name] / total if total and name != LOOPBACK else None,
        )
        for name in names
    ]


def _mean(records: Sequence[RunRecord], nic: str, field: str) -> float:
    return fmean(
        sum(getattr(each, field) for node in record.counters for each in node.nics if each.nic == nic)
        for record in records
    )


def _repairs(results: Results, group: RunGroup, nics: Sequence[_Nic]) -> list[Field]:
    counted = [record for record in group.done if record.counters]
    sent, again, late = (
        fmean(sum(getattr(node, field) for node in record.counters) for record in counted)
        for field in ("tcp_segments_sent", "tcp_retransmits", "tcp_out_of_order")
    )
    environment = results.environment(group.environment)
    return [
        words("workload", group.workload),
        words("environment", group.environment),
        whole("nics", "NICs", (environment.nics if environment else None) or None),
        value("sent [B]", "sent", sum(nic.sent_bytes for nic in nics if nic.nic != LOOPBACK), "size"),
        value("segments", "segments", sent, "count"),
        value("retransmits", "sent again", again, "count"),
        value("retransmit share [1]", "share", again / sent if sent else None, "share"),
        value("out of order", "out of order", late, "count"),
    ]


def _nic(nic: _Nic) -> list[Field]:
    return [
        words("workload", nic.group.workload),
        words("environment", nic.group.environment),
        words("nic", nic.nic, "NIC"),
        value("sent [B]", "sent", nic.sent_bytes, "size"),
        value("received [B]", "received", nic.received_bytes, "size"),
        value("packets sent", "packets sent", nic.sent_packets, "count"),
        value("dropped", "dropped", nic.dropped_packets, "count"),
        value("share of sent [1]", "share", nic.share, "share"),
    ]


def _figure(key: str, traffic: dict[RunGroup, list[_Nic]]) -> Figure:
    nics = [nic for found in traffic.values() for nic in found]
    data = [
        {
            "name": nic.group.environment,
            "series": nic.nic,
            "bytes": nic.sent_bytes,
            "label": f"{nic.group.environment}, {nic.nic}: {units.data(round(nic.sent_bytes))} sent",
        }
        for nic in nics
    ]
    chart = (
        alt.Chart(kinds.values(data))
        .mark_bar(height=16)
        .encode(
            y=kinds.names_on_y([group.environment for group in traffic]),
            x=alt.X("bytes:Q", title="bytes sent", axis=alt.Axis(labelExpr=units.SIZE_LABEL, tickCount=3)),
            color=kinds.colour(sorted({nic.nic for nic in nics}), columns=6),
            order=alt.Order("series:N"),
            description=alt.Description("label:N"),
        )
        .properties(width=theme.PLOT_WIDTH - 40, height=alt.Step(22))
    )

    def row(nic: _Nic) -> list[Field]:
        return [
            words("environment", nic.group.environment),
            words("nic", nic.nic, "NIC"),
            value("sent [B]", "sent", nic.sent_bytes, "size"),
        ]

    return Figure(chart=chart, table=table(key, _message(traffic), nics, row))


def _message(traffic: dict[RunGroup, list[_Nic]]) -> str:
    """Return a sentence on how unevenly the NICs share the traffic in the worst case."""
    workload = next(iter(traffic)).workload
    spreads = {
        group.environment: max(sent) / fmean(sent)
        for group, nics in traffic.items()
        if len(sent := [nic.sent_bytes for nic in nics if nic.sent_bytes > 0 and nic.nic != LOOPBACK]) > 1
    }
    if not spreads:
        return f"{workload}: bytes sent by each NIC"
    worst, spread = max(spreads.items(), key=lambda item: item[1])
    return f"{workload}: on {worst} the busiest NIC sends {spread:.2f} times the mean of all"
