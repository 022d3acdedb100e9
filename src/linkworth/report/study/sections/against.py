"""Comparison of this study with another one, cell by cell."""

from collections import Counter
from collections.abc import Iterator

from linkworth.model.study import StudyComparison
from linkworth.report.study.comparing import ComparedPair, mean_cell
from linkworth.report.study.results import Results
from linkworth.report.table import Field, Section, cell, table, whole, words

_DEFAULT_METRICS = ["seconds", "latency_seconds", "bandwidth_bytes_per_second", "beff_bytes_per_second"]


def sections(results: Results, other: Results) -> Iterator[Section]:
    """Yield the section of common cells; environments and workloads are matched by name."""
    pairs = []
    missing = 0
    for group in results.groups():
        before = other.group(group.workload, group.environment, group.mode)
        if before is None:
            missing += 1
            continue
        pairs += [
            ComparedPair(name, group, before, _margin(results, group.environment))
            for name in _metrics(results)
            if group.values(name) and before.values(name)
        ]
    counts = Counter(each.verdict for each in pairs)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no cell is in both"
    only = f" Only in this one: {missing}." if missing else ""
    yield Section(
        key="against",
        title=f"Against {other.title}{_when(other)}",
        text=f"{len(pairs)} figures of cells that both studies have: {listed}.{only}",
        tables=[table("against", "The other study is the baseline", pairs, _row)] if pairs else [],
    )


def _row(each: ComparedPair) -> list[Field]:
    return [
        words("workload", each.group.workload),
        words("environment", each.group.environment),
        words("how", each.group.how),
        words("metric", each.metric.title),
        cell("other", "the other study", mean_cell(each.baseline, each.metric)),
        cell("this", "this study", mean_cell(each.group, each.metric)),
        cell("difference [1]", "difference", each.difference_cell()),
        whole("runs", "runs", len(each.group.values(each.metric.name))),
        words("verdict", each.verdict),
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
