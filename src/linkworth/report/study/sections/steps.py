"""Successive improvements: each step against the one before, and against the start."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.study import StudyComparison
from linkworth.report import show
from linkworth.report.charts import kinds, theme
from linkworth.report.study.comparing import ComparedPair, mean_cell, pair, wanted, workloads_of
from linkworth.report.study.results import MODES, Results, RunGroup
from linkworth.report.table import Cell, Field, Figure, Section, cell, table, value, words
from linkworth.study.metrics import Metric, metric


class _Step(NamedTuple):
    name: str
    group: RunGroup
    before: ComparedPair | None
    """Comparison with the step before, and, in `start`, with the first; None for the first."""
    start: ComparedPair | None


def sections(results: Results) -> Iterator[Section]:
    """Yield one section for each comparison by steps and metric with values."""
    number = 1
    for comparison in wanted(results):
        for name in comparison.metrics if comparison.steps else []:
            section = _section(results, comparison, metric(name), f"steps-{number}")
            if section:
                number += 1
                yield section


def _section(results: Results, comparison: StudyComparison, of: Metric, key: str) -> Section | None:
    series = [found for found in _series(results, comparison, of) if len(found) > 1]
    if not series:
        return None
    title = comparison.title or "Step by step"

    def row(step: _Step) -> list[Field]:
        before, start = (each.difference_cell() if each else _START for each in (step.before, step.start))
        return [
            words("workload", step.group.workload),
            words("how", step.group.how),
            words("step", step.name),
            cell(f"mean [{of.unit}]", of.title, mean_cell(step.group, of)),
            cell("against the step before [1]", "against the step before", before),
            cell("against the start [1]", "against the start", start),
        ]

    heading = f"{of.title.capitalize()} after each step"
    return Section(
        key=key,
        title=f"{title}: {of.title}" if len(comparison.metrics) > 1 else title,
        text=" ".join(filter(None, (_sentence(found, of) for found in series))),
        tables=[table(key, heading, (step for found in series for step in found), row)],
        figures=[_figure(f"{key}-{n}", found, of) for n, found in enumerate(series, 1)],
    )


_START = Cell(text="start", value=None, mark="quiet")


def _series(results: Results, comparison: StudyComparison, of: Metric) -> Iterator[list[_Step]]:
    """Yield the steps with values of each workload in each mode."""
    for workload in workloads_of(results, comparison):
        for mode in MODES:
            groups = [
                group
                for step in (comparison.baseline, *comparison.environments)
                if (group := results.group(workload, step, mode)) and group.values(of.name)
            ]

            def against(before: RunGroup, group: RunGroup) -> ComparedPair | None:
                from_there = msgspec.structs.replace(comparison, baseline=before.environment)
                return pair(results, from_there, group.workload, group.environment, group.mode, of.name)

            yield [
                _Step(
                    name=f"{number}. {_title(results, group.environment)}",
                    group=group,
                    before=against(groups[number - 1], group) if number else None,
                    start=against(groups[0], group) if number else None,
                )
                for number, group in enumerate(groups)
            ]


def _title(results: Results, name: str) -> str:
    environment = results.environment(name)
    return environment.title if environment and environment.title else name


def _how(found: Sequence[_Step]) -> str:
    """Return the mode of the runs, and whether they show a difference of the last step from the start."""
    last = found[-1]
    is_undecided = (
        last.start is not None and last.start.difference is not None and last.start.verdict == "undecided"
    )
    return f"{last.group.how}, undecided" if is_undecided else last.group.how


def _sentence(found: Sequence[_Step], of: Metric) -> str:
    last = found[-1].start
    if last is None or last.difference is None:
        return ""
    change = units.change(last.difference)
    return f"{last.group.workload} ({_how(found)}): {change} {of.title} over {len(found) - 1} steps."


def _figure(key: str, found: Sequence[_Step], of: Metric) -> Figure:
    data = []
    for step in found:
        description = step.group.describe(of.name)
        assert description is not None
        interval = description.mean_interval
        text = show.text(description.mean, of.kind)
        data.append(
            {
                "name": step.name,
                "value": description.mean,
                "low": interval.low if interval else description.mean,
                "high": interval.high if interval else description.mean,
                "text": text,
                "label": f"{step.name}: {text}",
            }
        )
    means = [float(str(row["value"])) for row in data]
    scale = alt.Scale(domain=[0, max(float(str(row["high"])) for row in data) * 1.35])
    base = alt.Chart(kinds.values(data)).encode(y=kinds.names_on_y([step.name for step in found]))
    x = alt.X("value:Q", title=of.title, scale=scale, axis=alt.Axis(labels=False, ticks=False, grid=False))
    bars = base.mark_bar(height=18, color=theme.BLUE).encode(x=x, description=alt.Description("label:N"))
    rules = base.mark_rule(color=theme.INK).encode(x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"))
    ends = base.mark_text(align="left", dx=6).encode(x=alt.X("high:Q", scale=scale), text=alt.Text("text:N"))
    change = units.change(means[-1] / means[0] - 1) if means[0] else ""
    return Figure(
        chart=alt.layer(bars, rules, ends).properties(width=theme.PLOT_WIDTH - 60, height=alt.Step(28)),
        table=table(
            key,
            f"{found[0].group.workload}: {of.title} {change} from the first step to the last ({_how(found)})",
            zip(found, means, strict=True),
            lambda item: [
                words("step", item[0].name),
                value(f"mean [{of.unit}]", of.title, item[1], of.kind),
            ],
        ),
    )
