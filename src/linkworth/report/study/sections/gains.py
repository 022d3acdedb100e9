"""Gain of an environment over its baseline as the problem grows."""

from collections import Counter
from collections.abc import Iterator, Sequence

import altair as alt

from linkworth import units
from linkworth.report.charts import kinds, theme
from linkworth.report.study.comparing import ComparedPair, pairs, wanted, workloads_of
from linkworth.report.study.results import Results, by_size, problem_of
from linkworth.report.table import Field, Figure, Section, table, value, words


def sections(results: Results) -> Iterator[Section]:
    """Yield the gains by problem class if a comparison of times has a program in two classes or more."""
    figures: list[Figure] = []
    for comparison in wanted(results):
        if comparison.steps or "seconds" not in comparison.metrics:
            continue
        programs = [problem_of(name) for name in workloads_of(results, comparison)]
        if max(Counter(program for program, problem in programs if problem).values(), default=0) < 2:
            continue
        found = [
            each
            for each in pairs(results, comparison, "seconds")
            if problem_of(each.group.workload)[1] and each.has_ratio
        ]
        for environment in comparison.environments:
            for how in dict.fromkeys(map(_how, found)):
                here = [each for each in found if (each.group.environment, _how(each)) == (environment, how)]
                if len({problem_of(each.group.workload)[1] for each in here}) > 1:
                    figures.append(_figure(f"gain-{len(figures) + 1}", how, here))
    if figures:
        yield Section(
            key="gains",
            title="Gain by problem class",
            text="Time on the baseline over time on the other environment: above 1 the other is faster.",
            figures=figures,
        )


def _how(each: ComparedPair) -> str:
    """Return how both times are known."""
    own, other = each.group.how, each.baseline.how
    return own if own == other else f"{own} against {other}"


def _figure(key: str, how: str, found: Sequence[ComparedPair]) -> Figure:
    environment, baseline = found[0].group.environment, found[0].baseline.environment

    def row(each: ComparedPair) -> list[Field]:
        program, problem = problem_of(each.group.workload)
        interval = each.comparison.interval
        return [
            words("program", program),
            words("class", problem),
            value(f"time on {baseline} / on {environment} [1]", "gain", _gain(each), "number"),
            value("low [1]", "low", 1 / (1 + interval.high) if interval else None, "number"),
            value(
                "high [1]",
                "high",
                1 / (1 + interval.low) if interval and interval.low > -1 else None,
                "number",
            ),
            words("verdict", each.verdict),
        ]

    points = []
    for each in found:
        program, problem = problem_of(each.group.workload)
        label = f"{program}.{problem}: {units.significant(_gain(each))} times as fast on {environment} ({how}, {each.verdict})"
        points.append(
            kinds.ChartPoint(program, problem, _gain(each), label, uncertain=each.verdict == "undecided")
        )
    gains = [1.0, *(point.value for point in points)]
    low, high = min(gains) / 1.1, max(gains) * 1.1
    problems = sorted({str(point.x) for point in points}, key=by_size)
    chart = kinds.lines(
        points,
        x={"title": "problem class", "sort": problems, "axis": alt.Axis(labelAngle=0)},
        y={
            "title": "times as fast (log)",
            "scale": alt.Scale(type="log", nice=False, domain=[low, high]),
            "axis": alt.Axis(format="~g", values=kinds.log_ticks(low, high)),
        },
        ordinal=True,
        marks=kinds.Marks(size=60),
        reference=1.0,
        columns=8,
    ).properties(width=theme.PLOT_WIDTH - 54, height=230)
    title = f"No program is shown to gain from {environment} over {baseline} ({how})"
    if shown := [each for each in found if each.verdict in ("faster", "predicted") and _gain(each) > 1]:
        best = max(shown, key=_gain)
        name = ".".join(problem_of(best.group.workload))
        title = f"{name} gains most from {environment}: {units.significant(_gain(best))} times as fast as on {baseline} ({how})"
    note = f"{how.capitalize()}."
    if any(point.uncertain for point in points):
        note += " Open marks: undecided."
    return Figure(chart=chart, table=table(key, title, found, row, note=note))


def _gain(each: ComparedPair) -> float:
    return 1 / (1 + (each.difference or 0.0))
