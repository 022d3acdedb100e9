"""Comparison of this study with another one, cell by cell."""

from collections.abc import Iterator

from linkworth.model.study import StudyComparison
from linkworth.report.study import show
from linkworth.report.study.comparing import Pair
from linkworth.report.study.results import Results
from linkworth.report.study.table import Section, Table, column, whole, words
from linkworth.study.metrics import metric

_DEFAULT_METRICS = ["seconds", "latency_seconds", "bandwidth_bytes_per_second", "beff_bytes_per_second"]


def sections(results: Results, other: Results) -> Iterator[Section]:
    """Yield the section of common cells; environments and workloads are matched by name."""
    rows = []
    counts: dict[str, int] = {}
    missing = []
    for group in results.groups():
        before = other.group(group.workload, group.environment, group.mode)
        if before is None:
            missing.append(f"{group.workload} on {group.environment}")
            continue
        for name in _metrics(results):
            if not group.values(name) or not before.values(name):
                continue
            pair = Pair(name, group, before, _margin(results, group.environment))
            old, new = before.describe(name), group.describe(name)
            assert old is not None and new is not None
            counts[pair.verdict] = counts.get(pair.verdict, 0) + 1
            rows.append(
                [
                    words(group.workload),
                    words(group.environment),
                    words("predicted" if group.mode == "predict" else "measured"),
                    words(metric(name).title),
                    show.described(old, metric(name), lost=before.lost_text, predicted=pair.predicted),
                    show.described(new, metric(name), lost=group.lost_text, predicted=pair.predicted),
                    pair.difference_cell(),
                    whole(new.n),
                    words(pair.verdict),
                ]
            )
    listed = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "no cell is in both"
    only = f" Only in this one: {len(missing)}." if missing else ""
    yield Section(
        key="against",
        title=f"Against {other.title}{_when(other)}",
        text=f"{len(rows)} figures of cells that both studies have: {listed}.{only}",
        tables=[
            Table(
                key="against",
                title="The other study is the baseline",
                columns=[
                    column("workload", "workload", number=False),
                    column("environment", "environment", number=False),
                    column("how", "how", number=False),
                    column("metric", "metric", number=False),
                    column("other", "the other study"),
                    column("this", "this study"),
                    column("difference [1]", "difference"),
                    column("runs", "runs"),
                    column("verdict", "verdict", number=False),
                ],
                rows=rows,
            )
        ]
        if rows
        else [],
    )


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
