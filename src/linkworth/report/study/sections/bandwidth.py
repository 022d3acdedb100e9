"""Curves of micro-benchmarks by message size, and the rules by which two environments' curves are equal."""

from collections.abc import Iterator, Sequence

import altair as alt

from linkworth import units
from linkworth.bench.doubts import above_link
from linkworth.model.bench import LINK_RATE
from linkworth.report.charts.figure import values
from linkworth.report.charts.sensitivity import log_ticks
from linkworth.report.study import show
from linkworth.report.study.comparing import wanted, workloads_of
from linkworth.report.study.curves import MEASURES, Point, curve, labels_of
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import (
    Cell,
    Column,
    Drawing,
    Section,
    Table,
    column,
    drawing,
    whole,
    words,
)
from linkworth.statistics import compare
from linkworth.study.fabric import fabric_of
from linkworth.study.metrics import Metric, metric
from linkworth.study.micro import is_micro, parse

_MOST_FIGURES = 6
"""Most figures of one workload; further patterns are in the files only."""


def sections(results: Results) -> Iterator[Section]:
    """Yield one section for each micro-benchmark with rows by size."""
    number = 0
    for workload in results.workloads:
        groups = [
            group
            for group in results.groups()
            if group.workload == workload and any(record.rows for record in group.done)
        ]
        if not groups:
            continue
        number += 1
        yield _section(results, workload, groups, f"curve-{number}")


def _name(group: Group) -> str:
    return f"{group.environment}, predicted" if group.mode == "predict" else group.environment


def _section(results: Results, workload: str, groups: Sequence[Group], key: str) -> Section:
    drawings: list[Drawing] = []
    tables: list[Table] = []
    for label in labels_of(groups):
        for measure in MEASURES:
            curves = {_name(group): curve(group, measure, label) for group in groups}
            curves = {name: points for name, points in curves.items() if points}
            if not curves:
                continue
            of = metric(measure)
            suffix = f"{key}-{len(drawings) + len(tables) + 1}"
            what = f"{workload}{f' ({label})' if label else ''}: {of.title}"
            if any(len(points) > 1 for points in curves.values()) and len(drawings) < _MOST_FIGURES:
                drawings.append(_drawing(suffix, what, of, curves))
            else:
                tables.append(_table(suffix, what, of, curves))
    equal = _equality(results, workload, key)
    flags = [sentence for group in groups if (sentence := _above_link(results, group))]
    return Section(
        key=key,
        title=workload,
        text=" ".join([*filter(None, [_text(equal)]), *flags]),
        tables=[*([equal] if equal else []), *tables],
        drawings=drawings,
    )


def _above_link(results: Results, group: Group) -> str:
    """Return a sentence on measured rates above the environment's link."""
    environment, workload = results.environment(group.environment), results.workload(group.workload)
    if group.mode != "measure" or environment is None or workload is None or not is_micro(workload.command):
        return ""
    test = parse(workload.command).test.name
    stated = {record.facts.get(LINK_RATE, "").removesuffix(" B/s") for record in group.done}
    if len(stated) == 1 and (text := stated.pop()):
        link = float(text)
    elif environment.fabric and environment.where.kind != "lab":
        fabric = fabric_of(environment)
        link = fabric.link.bandwidth_bytes_per_second * fabric.rails
    else:
        return ""
    rates = {point.size: point.description.median for point in curve(group, MEASURES[0], "")}
    found = above_link(test, rates, link)
    return f"{group.environment}: {found}." if found else ""


def _drawing(key: str, what: str, of: Metric, curves: dict[str, list[Point]]) -> Drawing:
    unit, scale = ("MB/s", 1e-6) if of.kind == "rate" else ("µs", 1e6)
    names = list(curves)[: look.MOST_LINES]
    data = []
    for name in names:
        points = curves[name]
        for point in points:
            interval = point.description.median_interval
            data.append(
                {
                    "environment": name,
                    "size": max(point.size, 0.5),
                    "value": point.description.median * scale,
                    "low": (interval.low if interval else point.description.median) * scale,
                    "high": (interval.high if interval else point.description.median) * scale,
                    "label": f"{name} at {units.message_size(point.size)}: {show.text(point.description.median, of.kind)}",
                }
            )
    sizes = [float(str(row["size"])) for row in data]
    heights = [float(str(row["value"])) for row in data]
    base = alt.Chart(values(data)).encode(
        x=alt.X(
            "size:Q",
            title="message size (log)",
            scale=alt.Scale(type="log", base=2, nice=False, domain=[min(sizes), max(sizes)]),
            axis=alt.Axis(
                values=_size_ticks(min(sizes), max(sizes)),
                labelExpr=units.SIZE_LABEL,
                grid=False,
            ),
        ),
        y=alt.Y(
            "value:Q",
            title=f"{of.title}, {unit} (log)",
            scale=alt.Scale(type="log", nice=False, padding=10),
            axis=alt.Axis(values=log_ticks(min(heights), max(heights)), format="~g"),
        ),
        color=look.colour(names),
    )
    band = base.mark_area(opacity=0.2).encode(
        y=alt.Y(
            "low:Q", scale=alt.Scale(type="log", nice=False, padding=10), title=f"{of.title}, {unit} (log)"
        ),
        y2="high:Q",
    )
    dots = base.mark_point(size=30, filled=True, opacity=1).encode(
        shape=look.shape(names), description="label:N"
    )
    return drawing(
        key,
        _message(what, of, curves),
        alt.layer(band, base.mark_line(strokeWidth=1.5), dots).properties(width=look.WIDTH, height=280),
        _columns(of),
        _rows(of, curves),
        note="Medians over the runs; bands are their 95 % intervals where there are several runs."
        + (f" Drawn are the first {len(names)} of {len(curves)}." if len(names) < len(curves) else ""),
        wide=True,
    )


def _message(what: str, of: Metric, curves: dict[str, list[Point]]) -> str:
    extreme = max if of.better == "higher" else min
    best = {name: extreme(point.description.median for point in points) for name, points in curves.items()}
    listed = ", ".join(f"{show.text(value, of.kind)} on {name}" for name, value in list(best.items())[:4])
    return f"{what} reaches {listed}"


def _columns(of: Metric) -> list[Column]:
    return [
        column("environment", "environment", number=False),
        column("size [B]", "size"),
        column("runs", "runs"),
        column(f"median [{of.unit}]", "median"),
        column(f"mean [{of.unit}]", "mean"),
        column(f"deviation [{of.unit}]", "deviation"),
    ]


def _rows(of: Metric, curves: dict[str, list[Point]]) -> list[list[Cell]]:
    return [
        [
            words(name),
            Cell(text=units.message_size(point.size), value=point.size),
            whole(point.description.n),
            show.number(point.description.median, of.kind),
            show.number(point.description.mean, of.kind),
            show.number(point.description.deviation, of.kind),
        ]
        for name, points in curves.items()
        for point in points
    ]


def _table(key: str, what: str, of: Metric, curves: dict[str, list[Point]]) -> Table:
    return Table(key=key, title=what, columns=_columns(of), rows=_rows(of, curves))


def _equality(results: Results, workload: str, key: str) -> Table | None:
    """Compare each environment with the baseline at every size, by three sigma and by the equivalence test."""
    rows = []
    for comparison in wanted(results):
        if workload not in workloads_of(results, comparison):
            continue
        for environment in comparison.environments:
            for group, baseline in _pairs(results, workload, environment, comparison.baseline):
                for label in labels_of([group]):
                    measure = next((one for one in MEASURES if curve(group, one, label)), MEASURES[0])
                    of = metric(measure)
                    before = {point.size: point for point in curve(baseline, measure, label)}
                    for point in curve(group, measure, label):
                        if point.size in before:
                            rows.append(_line(comparison.baseline, environment, label, of, before[point.size], point,
                                              comparison.margin))  # fmt: skip
    if not rows:
        return None
    return Table(
        key=f"{key}-equality",
        title="Equal by size? Three sigma of the literature beside the tests",
        columns=[
            column("environment", "environment", number=False),
            column("baseline", "against", number=False),
            column("label", "pattern", number=False),
            column("size [B]", "size"),
            column("baseline_mean", "baseline: mean"),
            column("baseline_deviation", "deviation"),
            column("mean", "mean"),
            column("difference [1]", "difference"),
            column("sigmas", "sigmas"),
            column("three_sigma", "within three sigma", number=False),
            column("p_different", "p, different"),
            column("p_equivalent", "p, equivalent"),
            column("verdict", "verdict", number=False),
        ],
        rows=rows,
    )


def _pairs(results: Results, workload: str, environment: str, baseline: str) -> Iterator[tuple[Group, Group]]:
    group = results.group(workload, environment, "measure")
    before = results.group(workload, baseline, "measure")
    if group is not None and before is not None:
        yield group, before


def _line(
    baseline: str, environment: str, label: str, of: Metric, before: Point, now: Point, margin: float
) -> list[Cell]:
    found = compare(before.values, now.values, of.better or "higher", margin=margin)
    verdict = {"faster": "better", "slower": "worse"}.get(found.verdict, found.verdict)
    return [
        words(environment),
        words(baseline),
        words(label),
        Cell(text=units.message_size(now.size), value=now.size),
        show.number(before.description.mean, of.kind),
        show.number(before.description.deviation, of.kind),
        show.number(now.description.mean, of.kind),
        show.relative(found.relative_difference),
        show.sigmas(found.sigmas),
        words({"within": "yes", "outside": "no", "unknown": "one run"}[found.three_sigma]),
        show.p_value(found.p_different),
        show.p_value(found.p_equivalent),
        words(verdict, mark={"better": "good", "worse": "bad"}.get(verdict, "")),
    ]


def _text(equal: Table | None) -> str:
    if equal is None:
        return ""
    sentences = []
    for environment in dict.fromkeys(row[0].text for row in equal.rows):
        rows = [row for row in equal.rows if row[0].text == environment]
        within = sum(row[9].text == "yes" for row in rows)
        same = sum(row[12].text == "same" for row in rows)
        sentences.append(
            f"{environment} against {rows[0][1].text}: of {len(rows)} sizes {within} are within three sigma, "
            f"{same} are the same by the equivalence test."
        )
    return " ".join(sentences)


def _size_ticks(low: float, high: float) -> list[float]:
    exponents = range(0, 41, 4)
    return [float(2**e) for e in exponents if low * 0.999 <= 2**e <= high * 1.001] or [low]
