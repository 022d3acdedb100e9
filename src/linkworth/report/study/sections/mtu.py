"""A metric against the MTU, where environments differ in it."""

from collections.abc import Iterator

import altair as alt

from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.curves import MEASURES, curve, labels_of
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Drawing, Section, column, drawing, whole, words
from linkworth.statistics import describe
from linkworth.study.metrics import Metric, metric

_HEADLINES = ("beff_bytes_per_second", "bandwidth_bytes_per_second", "seconds", "latency_seconds")


def sections(results: Results) -> Iterator[Section]:
    """Yield the sweep where environments of two MTUs or more have the same metric of a workload."""
    drawings: list[Drawing] = []
    for workload in results.workloads:
        groups = [
            (environment.mtu, group)
            for group in results.groups()
            if group.workload == workload
            and (environment := results.environment(group.environment))
            and environment.mtu
        ]
        for name in _HEADLINES:
            lines: dict[str, dict[int, list[float]]] = {}
            for mtu, group in groups:
                if found := _values(group, name):
                    lines.setdefault(_without_mtu(group, mtu), {}).setdefault(mtu, []).extend(found)
            lines = {line: points for line, points in lines.items() if len(points) > 1}
            if lines:
                drawings.append(_drawing(f"mtu-{len(drawings) + 1}", workload, metric(name), lines))
                break
    if drawings:
        yield Section(key="mtu", title="Sweep of the MTU", drawings=drawings)


def _values(group: Group, name: str) -> list[float]:
    """Return the metric, one value a run; of rows by size that of the largest size."""
    if found := group.values(name):
        return found
    if name not in MEASURES or name == "latency_seconds":
        return []
    for label in labels_of([group]):
        if points := curve(group, name, label):
            return points[-1].values
    return []


def _without_mtu(group: Group, mtu: int) -> str:
    """Return the environment's name without its MTU, so that those that differ in it alone are one line."""
    parts = [
        part for part in group.environment.replace(str(mtu), "").replace("mtu", "").split("-") if part.strip()
    ]
    name = "-".join(parts) or "all"
    return f"{name}, predicted" if group.mode == "predict" else name


def _drawing(key: str, workload: str, of: Metric, lines: dict[str, dict[int, list[float]]]) -> Drawing:
    scale, unit = {"rate": (1e-6, "MB/s"), "time": (1.0, "s")}.get(of.kind, (1.0, of.unit))
    described = {
        (line, mtu): describe(found)
        for line, points in lines.items()
        for mtu, found in sorted(points.items())
    }
    data = [
        {
            "environment": line,
            "mtu": mtu,
            "value": each.mean * scale,
            "low": (each.mean_interval.low if each.mean_interval else each.mean) * scale,
            "high": (each.mean_interval.high if each.mean_interval else each.mean) * scale,
            "label": f"{line}, MTU {mtu}: {show.text(each.mean, of.kind)}",
        }
        for (line, mtu), each in described.items()
    ]
    base = alt.Chart(values(data)).encode(
        x=alt.X(
            "mtu:Q",
            title="MTU, bytes",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(values=sorted({mtu for _, mtu in described}), grid=False),
        ),
        color=look.colour(list(lines)),
    )
    y = alt.Y("value:Q", title=f"{of.title}, {unit}", scale=alt.Scale(zero=False))
    line = next(iter(lines))
    first, last = described[line, min(lines[line])], described[line, max(lines[line])]
    change = show.change(last.mean / first.mean - 1) if first.mean else ""
    return drawing(
        key,
        f"{workload}: {of.title} {change} from MTU {min(lines[line])} to {max(lines[line])} ({line})",
        alt.layer(
            base.mark_line(strokeWidth=1.5).encode(y=y),
            base.mark_rule().encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False)), y2="high:Q"),
            base.mark_point(size=45, filled=True, opacity=1).encode(
                y=y, shape=look.shape(list(lines)), description="label:N"
            ),
        ).properties(width=look.plot_width(wide=False), height=220),
        [
            column("environment", "environment", number=False),
            column("mtu [B]", "MTU"),
            column("runs", "runs"),
            column(f"mean [{of.unit}]", "mean"),
            column(f"low [{of.unit}]", "95 % from"),
            column(f"high [{of.unit}]", "to"),
        ],
        [
            [
                words(name),
                whole(mtu),
                whole(each.n),
                show.number(each.mean, of.kind),
                show.number(each.mean_interval.low if each.mean_interval else None, of.kind),
                show.number(each.mean_interval.high if each.mean_interval else None, of.kind),
            ]
            for (name, mtu), each in described.items()
        ],
    )
