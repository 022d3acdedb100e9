"""A metric against a number by which environments differ: the MTU, the NICs of a node, or a variable of the study."""

from collections.abc import Iterator, Sequence

import altair as alt

from linkworth import units
from linkworth.model.statistics import Description
from linkworth.report import show
from linkworth.report.charts import kinds, theme
from linkworth.report.study.results import MEASURES, Results, RunGroup
from linkworth.report.table import Field, Figure, Section, table, value, whole, words
from linkworth.statistics import describe
from linkworth.study.metrics import Metric, metric

_HEADLINES = ("beff_bytes_per_second", "bandwidth_bytes_per_second", "seconds", "latency_seconds")
_FIELDS = ("mtu", "nics", "nodes", "ranks")
_TITLES = {"mtu": "MTU, bytes", "nics": "NICs of a node"}


def sections(results: Results) -> Iterator[Section]:
    """Yield a section for each number with several values among environments with the same metric of a workload."""
    numbers = {name: _numbers(results, name) for name in results.environments}
    for variable in dict.fromkeys(name for each in numbers.values() for name in each):
        figures: list[Figure] = []
        for workload in results.workloads:
            planned = results.workload(workload)
            if planned is not None and planned.recorded_ranks:
                continue  # a section of its own has its times over the nodes
            groups = [
                (numbers[group.environment][variable], group)
                for group in results.groups()
                if group.workload == workload and variable in numbers[group.environment]
            ]
            found = _lines(variable, groups)
            if found is not None:
                figures.append(_figure(f"by-{variable}-{len(figures) + 1}", variable, workload, *found))
        if figures:
            yield Section(key=f"by-{variable}", title=f"By {_title(variable)}", figures=figures)


def _numbers(results: Results, name: str) -> dict[str, float]:
    """Return the numbers of an environment: its variables, MTU, NICs, nodes and ranks."""
    environment = results.environment(name)
    if environment is None:
        return {}
    given = {**environment.variables, **{field: getattr(environment, field) for field in _FIELDS}}
    return {
        name: number
        for name, number in given.items()
        if isinstance(number, int | float) and not isinstance(number, bool)
    }


def _lines(
    variable: str, groups: Sequence[tuple[float, RunGroup]]
) -> tuple[Metric, dict[str, dict[float, Description]]] | None:
    """Return the first metric with a line of at least two points, and its values by line and number."""
    for name in _HEADLINES:
        lines: dict[str, dict[float, list[float]]] = {}
        for number, group in groups:
            if found := _values(group, name):
                lines.setdefault(_line(group, variable, number), {}).setdefault(number, []).extend(found)
        lines = {line: points for line, points in lines.items() if len(points) > 1}
        if lines:
            return metric(name), {
                line: {number: describe(found) for number, found in sorted(points.items())}
                for line, points in lines.items()
            }
    return None


def _title(variable: str) -> str:
    return _TITLES.get(variable, variable)


def _values(group: RunGroup, name: str) -> list[float]:
    """Return the metric, one value for each run; for rows by size that of the largest size."""
    if found := group.values(name):
        return found
    if name not in MEASURES or name == "latency_seconds":
        return []
    return next((points[-1].values for label in group.labels if (points := group.curve(name, label))), [])


def _line(group: RunGroup, variable: str, number: float) -> str:
    """Return the environment's name without the number: environments that differ only in it are one line."""
    text = f"{number:.15g}"
    own = (text, f"{variable}{text}", variable)
    name = "-".join(part for part in group.environment.split("-") if part not in own) or "all"
    return f"{name}, predicted" if group.mode == "predict" else name


def _figure(
    key: str, variable: str, workload: str, of: Metric, lines: dict[str, dict[float, Description]]
) -> Figure:
    scale, unit = {"rate": (1e-6, "MB/s"), "time": (1.0, "s")}.get(of.kind, (1.0, of.unit))
    described = [(line, number, each) for line, found in lines.items() for number, each in found.items()]
    points = []
    for line, number, each in described:
        label = f"{line}, {variable} {units.plain(number)}: {show.text(each.mean, of.kind)}"
        interval = each.mean_interval
        low, high = (interval.low, interval.high) if interval else (each.mean, each.mean)
        points.append(kinds.ChartPoint(line, number, each.mean * scale, label, low * scale, high * scale))
    chart = kinds.lines(
        points,
        x={
            "title": _title(variable),
            "scale": alt.Scale(zero=False),
            "axis": alt.Axis(values=sorted({number for _, number, _ in described}), grid=False),
        },
        y={"title": f"{of.title}, {unit}", "scale": alt.Scale(zero=False)},
        spread="bars",
        marks=kinds.Marks(size=45),
    ).properties(width=theme.PLOT_WIDTH - 30, height=220)

    def row(item: tuple[str, float, Description]) -> list[Field]:
        line, number, each = item
        interval = each.mean_interval
        return [
            words("environment", line),
            value(variable, _title(variable), number, "number"),
            whole("runs", "runs", each.n),
            value(f"mean [{of.unit}]", "mean", each.mean, of.kind),
            value(f"low [{of.unit}]", "95 % from", interval.low if interval else None, of.kind),
            value(f"high [{of.unit}]", "to", interval.high if interval else None, of.kind),
        ]

    line, found = next(iter(lines.items()))
    least, most = min(found), max(found)
    first, last = found[least], found[most]
    change = units.change(last.mean / first.mean - 1) if first.mean else ""
    title = f"{workload}: {of.title} {change} from {variable} {units.plain(least)} to {units.plain(most)} ({line})"
    return Figure(chart=chart, table=table(key, title, described, row))
