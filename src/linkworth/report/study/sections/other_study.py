"""Comparison of this study with another one: cells joined by workload, environment and mode."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from linkworth import units
from linkworth.model.study import StudyComparison
from linkworth.report import show
from linkworth.report.charts import kinds
from linkworth.report.study.comparing import ComparedPair, mean_cell, relative_cell
from linkworth.report.study.results import Results, RunGroup
from linkworth.report.study.sections import environments, times
from linkworth.report.table import Field, ReportTable, Section, cell, table, whole, words
from linkworth.study.matrix import file_name

_DEFAULT_METRICS = ["seconds", "latency_seconds", "bandwidth_bytes_per_second", "beff_bytes_per_second"]
_OTHER = "the other study"
_NAMED = 3
"""Most differences that the summary names."""
_UNCHANGED = ("same", "undecided")


def compared(results: Results, other: Results) -> list[ComparedPair]:
    """Return the pairs of the cells that both studies have; the other study is the baseline."""
    return [
        ComparedPair(name, group, before, _margin(results, group.environment))
        for group, before in _common(results, other)
        for name in _metrics(results)
        if group.values(name) and before.values(name)
    ]


def summary(results: Results, other: Results) -> list[str]:
    """Return what changed, in sentences: verdicts, the largest differences, and cells of one study only."""
    pairs = compared(results, other)
    if not pairs:
        return ["No workload ran in the same environment in both studies."]
    counts = Counter(each.verdict for each in pairs)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    found = [f"{units.plural(len(pairs), 'figure')} of cells that both studies have: {listed}."]
    changed = sorted(
        (each for each in pairs if each.has_ratio and each.verdict not in _UNCHANGED), key=times.distance
    )
    found += [_sentence(each) for each in reversed(changed[-_NAMED:]) if times.distance(each) > 0]
    common = len(_common(results, other))
    for where, count in (
        ("this study", len(results.groups()) - common),
        (_OTHER, len(other.groups()) - common),
    ):
        if count:
            found.append(f"Only in {where}: {units.plural(count, 'cell')}.")
    return found


def sections(results: Results, other: Results) -> Iterator[Section]:
    """Yield the section of common cells."""
    pairs = compared(results, other)
    changes = _changes(results, other)
    tables = [
        _summary_table(pairs),
        table("against-settings", "Settings and facts that differ", changes, _change),
        table("against", "Each cell; the other study is the baseline", pairs, _row),
    ]
    by_metric = {
        each.metric.name: [p for p in pairs if p.has_ratio and p.metric.name == each.metric.name]
        for each in pairs
    }
    yield Section(
        key="against",
        title=f"Against {other.title}{_when(other)}",
        text=" ".join(summary(results, other)),
        tables=[each for each in tables if each.rows],
        figures=[
            times.ratios(_OTHER, kept[0].metric, f"against-{file_name(name)}", kept)
            for name, kept in by_metric.items()
            if kept
        ],
    )


def _common(results: Results, other: Results) -> list[tuple[RunGroup, RunGroup]]:
    found = (
        (group, other.group(group.workload, group.environment, group.mode)) for group in results.groups()
    )
    return [(group, before) for group, before in found if before is not None]


def _sentence(each: ComparedPair) -> str:
    between = show.change_interval(each.comparison.interval)
    return (
        f"{each.metric.title.capitalize()} of {each.group.workload} on {each.group.environment}"
        f"{', predicted' if each.predicted else ''}: {units.change(each.difference or 0.0)}"
        f"{f' ({between})' if between else ''}."
    )


def _summary_table(pairs: Sequence[ComparedPair]) -> ReportTable:
    """Return the verdicts and the mean difference of each environment, mode and metric."""
    rows = kinds.distinct((each.group.environment, each.group.how, each.metric.title) for each in pairs)

    def row(key: tuple[str, str, str]) -> list[Field]:
        here = [p for p in pairs if (p.group.environment, p.group.how, p.metric.title) == key]
        counts = Counter(each.verdict for each in here)
        logarithms = [math.log1p(each.difference or 0.0) for each in here if each.has_ratio]
        mean = math.expm1(sum(logarithms) / len(logarithms)) if logarithms else None
        return [
            words("environment", key[0]),
            words("how", key[1]),
            words("metric", key[2]),
            whole("workloads", "workloads", len(here)),
            whole("better", "better", counts["faster"] + counts["better"]),
            whole("worse", "worse", counts["slower"] + counts["worse"]),
            whole("same", "same", counts["same"]),
            whole("undecided", "undecided", counts["undecided"]),
            cell("difference [1]", "mean difference", relative_cell(mean)),
        ]

    note = "Mean difference: geometric mean over the workloads. No test applies to predictions."
    return table("against-summary", "What changed, by environment", rows, row, note=note)


def _row(each: ComparedPair) -> list[Field]:
    return [
        words("workload", each.group.workload),
        words("environment", each.group.environment),
        words("how", each.group.how),
        words("metric", each.metric.title),
        cell("other", _OTHER, mean_cell(each.baseline, each.metric)),
        cell("this", "this study", mean_cell(each.group, each.metric)),
        cell("difference [1]", "difference", each.difference_cell()),
        whole("runs", "runs", len(each.group.values(each.metric.name))),
        words("verdict", each.verdict),
    ]


def _changes(results: Results, other: Results) -> list[tuple[str, str, str, str]]:
    """Return environment, name, the other study's value and this one's of each setting or fact that differs."""
    found = []
    for name in kinds.distinct(group.environment for group, _ in _common(results, other)):
        here, before = environments.described(results, name), environments.described(other, name)
        found += [
            (name, key, before.get(key, "–"), here.get(key, "–"))
            for key in kinds.distinct([*before, *here])
            if before.get(key) != here.get(key)
        ]
    return found


def _change(change: tuple[str, str, str, str]) -> list[Field]:
    environment, name, before, here = change
    return [
        words("environment", environment),
        words("setting", name),
        words("other", before, _OTHER),
        words("this", here, "this study"),
    ]


def _metrics(results: Results) -> list[str]:
    named = [name for comparison in results.study.comparisons for name in comparison.metrics]
    return list(dict.fromkeys([*named, *_DEFAULT_METRICS]))


def _margin(results: Results, environment: str) -> float:
    """Return the narrowest margin of the environment's comparisons."""
    default = StudyComparison(baseline="").margin
    return min(
        (c.margin for c in results.study.comparisons if environment in (c.baseline, *c.environments)),
        default=default,
    )


def _when(other: Results) -> str:
    dates = sorted(record.started for record in other.records if record.started)
    return f" of {dates[0][:10]}" if dates else ""
