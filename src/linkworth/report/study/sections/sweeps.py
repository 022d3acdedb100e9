"""A metric against a number by which environments differ: the MTU, the NICs of a node, or a variable of the study."""

from collections.abc import Iterator, Sequence

import altair as alt

from linkworth import units
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.curves import MEASURES, curve, labels_of
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Drawing, Section, column, drawing, whole, words
from linkworth.statistics import describe
from linkworth.study.metrics import Metric, metric

_HEADLINES = ("beff_bytes_per_second", "bandwidth_bytes_per_second", "seconds", "latency_seconds")
_FIELDS = ("mtu", "nics", "nodes", "ranks")
_TITLES = {"mtu": "MTU, bytes", "nics": "NICs of a node"}


def sections(results: Results) -> Iterator[Section]:
    """Yield a section for each number with several values among environments with the same metric of a workload."""
    numbers = {name: _numbers(results, name) for name in results.environments}
    for variable in dict.fromkeys(name for each in numbers.values() for name in each):
        drawings: list[Drawing] = []
        for workload in results.workloads:
            groups = [
                (numbers[group.environment][variable], group)
                for group in results.groups()
                if group.workload == workload and variable in numbers[group.environment]
            ]
            found = _lines(variable, groups)
            if found is not None:
                drawings.append(_drawing(f"by-{variable}-{len(drawings) + 1}", variable, workload, *found))
        if drawings:
            yield Section(key=f"by-{variable}", title=f"By {_title(variable)}", drawings=drawings)


def _numbers(results: Results, name: str) -> dict[str, float]:
    """Return the numbers of an environment: its variables, MTU, NICs, nodes and ranks."""
    environment = results.environment(name)
    if environment is None:
        return {}
    given = {**environment.variables, **{field: getattr(environment, field) for field in _FIELDS}}
    return {
        name: value
        for name, value in given.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _lines(
    variable: str, groups: Sequence[tuple[float, Group]]
) -> tuple[Metric, dict[str, dict[float, list[float]]]] | None:
    """Return the first metric with a line of at least two points, and its values by line and number."""
    for name in _HEADLINES:
        lines: dict[str, dict[float, list[float]]] = {}
        for number, group in groups:
            if found := _values(group, name):
                lines.setdefault(_line(group, variable, number), {}).setdefault(number, []).extend(found)
        lines = {line: points for line, points in lines.items() if len(points) > 1}
        if lines:
            return metric(name), lines
    return None


def _title(variable: str) -> str:
    return _TITLES.get(variable, variable)


def _values(group: Group, name: str) -> list[float]:
    """Return the metric, one value for each run; for rows by size that of the largest size."""
    if found := group.values(name):
        return found
    if name not in MEASURES or name == "latency_seconds":
        return []
    for label in labels_of([group]):
        if points := curve(group, name, label):
            return points[-1].values
    return []


def _line(group: Group, variable: str, number: float) -> str:
    """Return the environment's name without the number: environments that differ only in it are one line."""
    own = (f"{number:g}", f"{variable}{number:g}", variable)
    name = "-".join(part for part in group.environment.split("-") if part not in own) or "all"
    return f"{name}, predicted" if group.mode == "predict" else name


def _drawing(
    key: str, variable: str, workload: str, of: Metric, lines: dict[str, dict[float, list[float]]]
) -> Drawing:
    scale, unit = {"rate": (1e-6, "MB/s"), "time": (1.0, "s")}.get(of.kind, (1.0, of.unit))
    described = {
        (line, number): describe(found)
        for line, points in lines.items()
        for number, found in sorted(points.items())
    }
    data = [
        {
            "environment": line,
            "number": number,
            "value": each.mean * scale,
            "low": (each.mean_interval.low if each.mean_interval else each.mean) * scale,
            "high": (each.mean_interval.high if each.mean_interval else each.mean) * scale,
            "label": f"{line}, {variable} {number:g}: {show.text(each.mean, of.kind)}",
        }
        for (line, number), each in described.items()
    ]
    base = alt.Chart(values(data)).encode(
        x=alt.X(
            "number:Q",
            title=_title(variable),
            scale=alt.Scale(zero=False),
            axis=alt.Axis(values=sorted({number for _, number in described}), grid=False),
        ),
        color=look.colour(list(lines)),
    )
    y = alt.Y("value:Q", title=f"{of.title}, {unit}", scale=alt.Scale(zero=False))
    line = next(iter(lines))
    first, last = described[line, min(lines[line])], described[line, max(lines[line])]
    change = units.change(last.mean / first.mean - 1) if first.mean else ""
    return drawing(
        key,
        f"{workload}: {of.title} {change} from {variable} {min(lines[line]):g} to {max(lines[line]):g} ({line})",
        alt.layer(
            base.mark_line(strokeWidth=1.5).encode(y=y),
            base.mark_rule().encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False)), y2="high:Q"),
            base.mark_point(size=45, filled=True, opacity=1).encode(
                y=y, shape=look.shape(list(lines)), description="label:N"
            ),
        ).properties(width=look.plot_width(wide=False), height=220),
        [
            column("environment", "environment", number=False),
            column(variable, _title(variable)),
            column("runs", "runs"),
            column(f"mean [{of.unit}]", "mean"),
            column(f"low [{of.unit}]", "95 % from"),
            column(f"high [{of.unit}]", "to"),
        ],
        [
            [
                words(name),
                show.number(number, "number"),
                whole(each.n),
                show.number(each.mean, of.kind),
                show.number(each.mean_interval.low if each.mean_interval else None, of.kind),
                show.number(each.mean_interval.high if each.mean_interval else None, of.kind),
            ]
            for (name, number), each in described.items()
        ],
    )
