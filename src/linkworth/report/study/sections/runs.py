"""Every cell of the matrix in full, and every incomplete run with its cause."""

from collections.abc import Iterator

from linkworth import units
from linkworth.model.statistics import Description
from linkworth.model.study import RunRecord
from linkworth.report import show
from linkworth.report.study.results import Results, RunGroup
from linkworth.report.table import Field, Section, table, value, whole, words
from linkworth.study.metrics import Metric, metric

_NAMED = (
    "seconds",
    "iteration_seconds",
    "latency_seconds",
    "bandwidth_bytes_per_second",
    "beff_bytes_per_second",
    "retransmits",
    "core_utilisation",
)
"""Known metrics that are always shown; others have tables of their own, or are in the records."""
_NOTE = (
    "Intervals of means: BCa bootstrap; of fewer than 20 runs Student's t. "
    "Intervals of medians: two of the values; of 2, 3, 4 and 5 runs the range, with 50, 75, 88 and 94 % instead of 95 %. "
    "Runs for 2 %: repetitions after which the mean's 95 % interval is within 2 % of it. "
    "Files hold SI units."
)

Described = tuple[RunGroup, Metric, Description]


def sections(results: Results) -> Iterator[Section]:
    """Yield the section of all cells, and that of lost runs, if there are any."""
    shown = _shown(results)
    cells: list[Described] = [
        (group, metric(name), description)
        for group in results.groups()
        for name in dict.fromkeys(name for record in group.done for name in record.metrics)
        if name in shown and (description := group.describe(name)) is not None
    ]
    if cells:
        tables = [table("cells", "Every cell", cells, _cell, note=_NOTE)]
        remarks = [remark for each in cells for remark in _remarks(*each)]
        if remarks:
            note = "Nothing is left out for it; give the study warm-up runs, or more repetitions."
            tables.append(table("remarks", "Cells whose runs are not alike", remarks, _remark, note=note))
        yield Section(key="cells", title="Every cell in full", tables=tables)
    lost = [record for record in results.records if record.state != "done" or record.failures]
    if lost:
        title = "Runs that are not done, or needed more than one attempt"
        yield Section(
            key="lost",
            title="Runs that failed",
            text="None of the runs that are not done is in any mean; what failed at first and was done in a later attempt is.",
            tables=[table("lost", title, lost, _lost)],
        )


def _cell(each: Described) -> list[Field]:
    group, of, description = each
    mean, median = description.mean_interval, description.median_interval

    def number(key: str, title: str, found: float | None) -> Field:
        return value(key, title, found, of.kind)

    return [
        words("workload", group.workload),
        words("environment", group.environment),
        words("how", group.how),
        words("metric", of.title),
        whole("runs", "runs", description.n),
        whole("lost", "lost", len(group.lost), mark="bad" if group.lost else ""),
        number("mean", "mean", description.mean),
        number("mean_low", "95 % from", mean.low if mean else None),
        number("mean_high", "to", mean.high if mean else None),
        number("median", "median", description.median),
        number("median_low", "interval from", median.low if median else None),
        number("median_high", "to", median.high if median else None),
        number("deviation", "deviation", description.deviation),
        value("cv", "cv", description.cv, "share"),
        number("minimum", "least", description.minimum),
        number("maximum", "most", description.maximum),
        whole("runs_needed", "runs for 2 %", description.runs_needed or None),
    ]


def _remarks(group: RunGroup, of: Metric, description: Description) -> Iterator[tuple[str, str, str]]:
    where = f"{group.workload} on {group.environment}, {of.title}"
    if group.mode == "measure" and description.warm_up:
        yield where, "warm-up", description.warm_up.reason
    if group.mode == "measure" and (two := description.bimodality):
        means = f"{show.text(two.lower_mean, of.kind)} and {show.text(two.higher_mean, of.kind)}"
        yield where, "two groups", f"{means} ({units.percent(two.higher_share)} of the runs): {two.reason}"


def _remark(remark: tuple[str, str, str]) -> list[Field]:
    where, what, reason = remark
    return [words("cell", where), words("remark", what), words("reason", reason, "why")]


def _lost(record: RunRecord) -> list[Field]:
    return [
        words("run", record.run),
        words("workload", record.workload),
        words("environment", record.environment),
        words("mode", record.mode),
        words("state", record.state, mark="bad" if record.state != "done" else ""),
        whole("attempts", "attempts", record.attempts),
        words("cause", "; ".join(filter(None, [*record.failures, record.cause]))),
    ]


def _shown(results: Results) -> set[str]:
    """Return the headline metrics, those of comparisons, and the figures of the study file."""
    compared = {name for comparison in results.study.comparisons for name in comparison.metrics}
    figures = {name for workload in results.study.workloads for name in workload.figures}
    return {*_NAMED, *compared, *figures}
