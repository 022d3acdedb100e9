"""Curves of micro-benchmarks by message size, and the rules by which two environments' curves are equal."""

from collections.abc import Iterator, Sequence

import altair as alt
import msgspec

from linkworth import units
from linkworth.bench.warnings import above_link
from linkworth.model.bench import LINK_RATE
from linkworth.model.statistics import Comparison
from linkworth.report import show
from linkworth.report.charts import kinds
from linkworth.report.study.comparing import WORDS, relative_cell, wanted, workloads_of
from linkworth.report.study.results import MEASURES, CurvePoint, Results, RunGroup
from linkworth.report.table import (
    NOTHING,
    Cell,
    Field,
    Figure,
    ReportTable,
    Section,
    cell,
    table,
    value,
    whole,
    words,
)
from linkworth.statistics import compare
from linkworth.study.metrics import Metric, metric
from linkworth.study.micro import is_micro, parse
from linkworth.study.prediction.fabric import fabric_of

_MOST_FIGURES = 6
"""Most figures of one workload; further patterns are in the files only."""

Curves = dict[str, list[CurvePoint]]
"""Points of each environment."""


class _Equality(msgspec.Struct, frozen=True, kw_only=True):
    """One size in an environment and in its baseline."""

    environment: str
    baseline: str
    label: str
    of: Metric
    before: CurvePoint
    now: CurvePoint
    found: Comparison

    @property
    def verdict(self) -> str:
        """The comparison's verdict in the words of rates and latencies."""
        return WORDS.get(self.found.verdict, self.found.verdict)


def sections(results: Results) -> Iterator[Section]:
    """Yield one section for each micro-benchmark with rows by size."""
    by_workload: dict[str, list[RunGroup]] = {}
    for group in results.groups():
        if any(record.rows for record in group.done):
            by_workload.setdefault(group.workload, []).append(group)
    for number, groups in enumerate(by_workload.values(), 1):
        yield _section(results, groups, f"curve-{number}")


def _section(results: Results, groups: Sequence[RunGroup], key: str) -> Section:
    workload = groups[0].workload
    figures: list[Figure] = []
    tables: list[ReportTable] = []
    for label in kinds.distinct(label for group in groups for label in group.labels):
        for measure in MEASURES:
            curves = {group.name: points for group in groups if (points := group.curve(measure, label))}
            if not curves:
                continue
            of = metric(measure)
            numbers = _numbers(
                f"{key}-{len(figures) + len(tables) + 1}",
                f"{workload}{f' ({label})' if label else ''}: {of.title}",
                of,
                curves,
            )
            if any(len(points) > 1 for points in curves.values()) and len(figures) < _MOST_FIGURES:
                figures.append(_figure(numbers, of, curves))
            else:
                tables.append(numbers)
    equal = list(_equal_sizes(results, workload))
    if equal:
        title = "Equal by size? Three sigma of the literature beside the tests"
        tables.insert(0, table(f"{key}-equality", title, equal, _equality))
    flags = [sentence for group in groups if (sentence := _above_link(results, group))]
    return Section(
        key=key, title=workload, text=" ".join([*_text(equal), *flags]), tables=tables, figures=figures
    )


def _numbers(key: str, title: str, of: Metric, curves: Curves) -> ReportTable:
    def row(item: tuple[str, CurvePoint]) -> list[Field]:
        name, point = item
        return [
            words("environment", name),
            _size(point),
            whole("runs", "runs", point.description.n),
            value(f"median [{of.unit}]", "median", point.description.median, of.kind),
            value(f"mean [{of.unit}]", "mean", point.description.mean, of.kind),
            value(f"deviation [{of.unit}]", "deviation", point.description.deviation, of.kind),
        ]

    return table(key, title, ((name, point) for name, points in curves.items() for point in points), row)


def _size(point: CurvePoint) -> Field:
    return cell("size [B]", "size", Cell(text=units.message_size(point.size), value=point.size))


def _figure(numbers: ReportTable, of: Metric, curves: Curves) -> Figure:
    unit, scale = ("MB/s", 1e-6) if of.kind == "rate" else ("µs", 1e6)
    names = list(curves)[: kinds.MOST_LINES]
    points = []
    for name in names:
        for each in curves[name]:
            middle, interval = each.description.median, each.description.median_interval
            low, high = (interval.low, interval.high) if interval else (middle, middle)
            label = f"{name} at {units.message_size(each.size)}: {show.text(middle, of.kind)}"
            points.append(
                kinds.ChartPoint(name, max(each.size, 0.5), middle * scale, label, low * scale, high * scale)
            )
    sizes = [float(point.x) for point in points]
    heights = [point.value for point in points]
    chart = kinds.lines(
        points,
        x={
            "title": "message size (log)",
            "scale": alt.Scale(type="log", base=2, nice=False, domain=[min(sizes), max(sizes)]),
            "axis": alt.Axis(
                values=_size_ticks(min(sizes), max(sizes)), labelExpr=units.SIZE_LABEL, grid=False
            ),
        },
        y={
            "title": f"{of.title}, {unit} (log)",
            "scale": alt.Scale(type="log", nice=False, padding=10),
            "axis": alt.Axis(values=kinds.log_ticks(min(heights), max(heights)), format="~g"),
        },
        spread="band",
    ).properties(width=kinds.WIDTH, height=280)
    note = "Medians over the runs; bands are their 95 % intervals where there are several runs."
    if len(names) < len(curves):
        note += f" Drawn are the first {len(names)} of {len(curves)}."
    extreme = max if of.better == "higher" else min
    best = {name: extreme(point.description.median for point in found) for name, found in curves.items()}
    listed = ", ".join(f"{show.text(each, of.kind)} on {name}" for name, each in list(best.items())[:4])
    title = f"{numbers.title} reaches {listed}"
    return Figure(chart=chart, table=msgspec.structs.replace(numbers, title=title, note=note), wide=True)


def _above_link(results: Results, group: RunGroup) -> str:
    """Return a sentence on measured rates above the environment's link."""
    environment, workload = results.environment(group.environment), results.workload(group.workload)
    if group.mode != "measure" or environment is None or workload is None or not is_micro(workload.command):
        return ""
    test, settings = parse(workload.command)
    stated = {record.facts.get(LINK_RATE, "").removesuffix(" B/s") for record in group.done}
    if len(stated) == 1 and (text := stated.pop()):
        link = float(text)
    elif environment.fabric and environment.where.kind != "lab":
        fabric = fabric_of(environment)
        link = fabric.link.bandwidth_bytes_per_second * fabric.rails
    else:
        return ""
    rates = {point.size: point.description.median for point in group.curve(MEASURES[0], "")}
    found = above_link(test.name, rates, link, both_ways=settings.bidirectional)
    return f"{group.environment}: {found}." if found else ""


def _equal_sizes(results: Results, workload: str) -> Iterator[_Equality]:
    """Compare each measured environment with its baseline at every common size."""
    for comparison in wanted(results):
        baseline = results.group(workload, comparison.baseline, "measure")
        if baseline is None or workload not in workloads_of(results, comparison):
            continue
        for environment in comparison.environments:
            group = results.group(workload, environment, "measure")
            for label in group.labels if group is not None else []:
                assert group is not None
                measure = next((one for one in MEASURES if group.curve(one, label)), MEASURES[0])
                of = metric(measure)
                before = {point.size: point for point in baseline.curve(measure, label)}
                for now in group.curve(measure, label):
                    if old := before.get(now.size):
                        yield _Equality(
                            environment=environment,
                            baseline=comparison.baseline,
                            label=label,
                            of=of,
                            before=old,
                            now=now,
                            found=compare(
                                old.values, now.values, of.better or "higher", margin=comparison.margin
                            ),
                        )


def _equality(each: _Equality) -> list[Field]:
    found, kind = each.found, each.of.kind
    sigmas = NOTHING if found.sigmas is None else Cell(text=f"{found.sigmas:.1f}", value=found.sigmas)
    return [
        words("environment", each.environment),
        words("baseline", each.baseline, "against"),
        words("label", each.label, "pattern"),
        _size(each.now),
        value("baseline_mean", "baseline: mean", each.before.description.mean, kind),
        value("baseline_deviation", "deviation", each.before.description.deviation, kind),
        value("mean", "mean", each.now.description.mean, kind),
        cell("difference [1]", "difference", relative_cell(found.relative_difference)),
        cell("sigmas", "sigmas", sigmas),
        words("three_sigma", _THREE_SIGMA[found.three_sigma], "within three sigma"),
        cell("p_different", "p, different", _chance(found.p_different)),
        cell("p_equivalent", "p, equivalent", _chance(found.p_equivalent)),
        words(
            "verdict",
            each.verdict,
            mark="good" if each.verdict == "better" else "bad" if each.verdict == "worse" else "",
        ),
    ]


_THREE_SIGMA = {"within": "yes", "outside": "no", "unknown": "one run"}


def _chance(p: float | None) -> Cell:
    return NOTHING if p is None else Cell(text="< 0.001" if p < 0.001 else f"{p:.3f}", value=p)


def _text(equal: Sequence[_Equality]) -> Iterator[str]:
    for pair in kinds.distinct((each.environment, each.baseline) for each in equal):
        here = [each for each in equal if (each.environment, each.baseline) == pair]
        within = sum(each.found.three_sigma == "within" for each in here)
        same = sum(each.verdict == "same" for each in here)
        yield (
            f"{pair[0]} against {pair[1]}: of {len(here)} sizes {within} are within three sigma, "
            f"{same} are the same by the equivalence test."
        )


def _size_ticks(low: float, high: float) -> list[float]:
    exponents = range(0, 41, 4)
    return [float(2**e) for e in exponents if low * 0.999 <= 2**e <= high * 1.001] or [low]
