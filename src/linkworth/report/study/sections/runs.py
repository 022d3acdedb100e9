"""Every cell of the matrix in full, and every incomplete run with its cause."""

from collections.abc import Iterator

from linkworth import units
from linkworth.report.study import show
from linkworth.report.study.results import Results
from linkworth.report.study.table import Section, Table, column, nothing, whole, words
from linkworth.study.metrics import metric

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


def sections(results: Results) -> Iterator[Section]:
    """Yield the section of all cells, and that of lost runs, if there are any."""
    rows, remarks = [], []
    for group in results.groups():
        names = dict.fromkeys(name for record in group.done for name in record.metrics)
        for name in filter(lambda name: _is_shown(results, name), names):
            description = group.describe(name)
            if description is None:
                continue
            of = metric(name)
            mean, median = description.mean_interval, description.median_interval
            rows.append(
                [
                    words(group.workload),
                    words(group.environment),
                    words("predicted" if group.mode == "predict" else "measured"),
                    words(of.title),
                    whole(description.n),
                    whole(len(group.lost), mark="bad" if group.lost else ""),
                    show.number(description.mean, of.kind),
                    show.number(mean.low if mean else None, of.kind),
                    show.number(mean.high if mean else None, of.kind),
                    show.number(description.median, of.kind),
                    show.number(median.low if median else None, of.kind),
                    show.number(median.high if median else None, of.kind),
                    show.number(description.deviation, of.kind),
                    show.number(description.cv, "share"),
                    show.number(description.minimum, of.kind),
                    show.number(description.maximum, of.kind),
                    whole(description.runs_needed) if description.runs_needed else nothing(),
                ]
            )
            where = f"{group.workload} on {group.environment}, {of.title}"
            if group.mode == "measure" and description.warm_up:
                remarks.append([words(where), words("warm-up"), words(description.warm_up.reason)])
            if group.mode == "measure" and description.bimodality:
                two = description.bimodality
                remarks.append(
                    [
                        words(where),
                        words("two groups"),
                        words(
                            f"{show.text(two.lower_mean, of.kind)} and {show.text(two.higher_mean, of.kind)} "
                            f"({units.percent(two.higher_share)} of the runs): {two.reason}"
                        ),
                    ]
                )
    if rows:
        tables = [Table(key="cells", title="Every cell", columns=_COLUMNS, rows=rows, note=_NOTE)]
        if remarks:
            tables.append(
                Table(
                    key="remarks",
                    title="Cells whose runs are not alike",
                    columns=[
                        column("cell", "cell", number=False),
                        column("remark", "remark", number=False),
                        column("reason", "why", number=False),
                    ],
                    rows=remarks,
                    note="Nothing is left out for it; give the study warm-up runs, or more repetitions.",
                )
            )
        yield Section(key="cells", title="Every cell in full", tables=tables)
    if any(record.state != "done" or record.failures for record in results.records):
        yield Section(
            key="lost",
            title="Runs that failed",
            text="None of the runs that are not done is in any mean; what failed at first and was done in a later attempt is.",
            tables=[
                Table(
                    key="lost",
                    title="Runs that are not done, or needed more than one attempt",
                    columns=[
                        column("run", "run", number=False),
                        column("workload", "workload", number=False),
                        column("environment", "environment", number=False),
                        column("mode", "mode", number=False),
                        column("state", "state", number=False),
                        column("attempts", "attempts"),
                        column("cause", "cause", number=False),
                    ],
                    rows=[
                        [
                            words(record.run),
                            words(record.workload),
                            words(record.environment),
                            words(record.mode),
                            words(record.state, mark="bad" if record.state != "done" else ""),
                            whole(record.attempts),
                            words("; ".join([*record.failures, *([record.cause] if record.cause else [])])),
                        ]
                        for record in results.records
                        if record.state != "done" or record.failures
                    ],
                )
            ],
        )


def _is_shown(results: Results, name: str) -> bool:
    """Return whether a metric is a headline, is asked for by a comparison, or is a figure of the study file."""
    wanted = {each for comparison in results.study.comparisons for each in comparison.metrics}
    figures = {each for workload in results.study.workloads for each in workload.figures}
    return name in _NAMED or name in wanted or name in figures


_COLUMNS = [
    column("workload", "workload", number=False),
    column("environment", "environment", number=False),
    column("how", "how", number=False),
    column("metric", "metric", number=False),
    column("runs", "runs"),
    column("lost", "lost"),
    column("mean", "mean"),
    column("mean_low", "95 % from"),
    column("mean_high", "to"),
    column("median", "median"),
    column("median_low", "95 % from"),
    column("median_high", "to"),
    column("deviation", "deviation"),
    column("cv", "cv"),
    column("minimum", "least"),
    column("maximum", "most"),
    column("runs_needed", "runs for 2 %"),
]
_NOTE = (
    "Intervals: BCa bootstrap. Runs for 2 %: repetitions after which the mean's 95 % interval is within 2 % of it. "
    "Files hold SI units."
)
