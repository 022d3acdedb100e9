"""Comparison of a study's environments with their baseline."""

from collections.abc import Sequence

import msgspec

from linkworth import units
from linkworth.model.statistics import Comparison
from linkworth.model.study import Mode, StudyComparison
from linkworth.report import show
from linkworth.report.study.results import MODES, Results, RunGroup
from linkworth.report.table import NOTHING, Cell, Mark
from linkworth.study.metrics import Metric, metric
from linkworth.study.patterns import matches

WORDS = {"faster": "better", "slower": "worse"}
"""Verdicts on metrics that are not times."""


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `study report --json`: an environment against its baseline."""

    workload: str
    environment: str
    baseline: str
    mode: Mode
    metric: str
    value: float
    baseline_value: float
    relative_difference: float | None
    low: float | None
    high: float | None
    verdict: str
    """`faster`, `slower`, `same`, `undecided`, or `predicted` if a prediction takes part, to which no test applies."""
    three_sigma: str
    p_different: float | None
    p_equivalent: float | None
    runs: int
    baseline_runs: int
    runs_to_decide: int | None


class ComparedPair:
    """One environment and its baseline, for one workload and metric."""

    def __init__(self, name: str, group: RunGroup, baseline: RunGroup, margin: float) -> None:
        self.metric: Metric = metric(name)
        self.group = group
        self.baseline = baseline
        self.predicted = "predict" in (group.mode, baseline.mode)
        self.comparison: Comparison = group.compare(baseline, name, margin)

    @property
    def difference(self) -> float | None:
        """Relative difference from the baseline; None if the baseline is 0."""
        return self.comparison.relative_difference

    @property
    def has_ratio(self) -> bool:
        """True if the ratio to the baseline is above 0, as on a logarithmic axis."""
        return self.difference is not None and self.difference > -1

    @property
    def how(self) -> str:
        """`predicted` if a prediction takes part, or else `measured`."""
        return "predicted" if self.predicted else "measured"

    @property
    def verdict(self) -> str:
        """The verdict in the words of the metric; `predicted` if a prediction takes part."""
        if self.predicted:
            return "predicted"
        verdict = self.comparison.verdict
        if verdict in ("same", "undecided") or self.metric.kind == "time":
            return verdict
        if self.metric.better is None:
            return "different"
        return WORDS[verdict]

    def difference_cell(self) -> Cell:
        """Return the difference with its interval and the verdict."""
        comparison = self.comparison
        if comparison.relative_difference is None:
            return msgspec.structs.replace(NOTHING, text=self.verdict)
        marks: dict[str, Mark] = {
            "faster": "good",
            "better": "good",
            "slower": "bad",
            "worse": "bad",
            "predicted": "predicted",
        }
        notes = [show.change_interval(comparison.interval), self.verdict]
        if comparison.three_sigma != "unknown" and self.metric.kind in ("time", "rate"):
            notes.append(f"{comparison.three_sigma} 3 sigma")
        if self.verdict == "undecided" and comparison.runs_to_decide:
            notes.append(f"about {units.count(comparison.runs_to_decide)} runs would decide")
        return Cell(
            text=units.change(comparison.relative_difference),
            value=comparison.relative_difference,
            note=", ".join(filter(None, notes)),
            mark=marks.get(self.verdict, ""),
        )

    def record(self) -> Compared:
        """Return the entry of the JSON document."""
        comparison, name = self.comparison, self.metric.name
        value, base = self.group.describe(name), self.baseline.describe(name)
        assert value is not None and base is not None
        interval = comparison.interval
        return Compared(
            workload=self.group.workload,
            environment=self.group.environment,
            baseline=self.baseline.environment,
            mode=self.group.mode,
            metric=name,
            value=value.mean,
            baseline_value=base.mean,
            relative_difference=comparison.relative_difference,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            verdict=self.verdict,
            three_sigma=comparison.three_sigma,
            p_different=comparison.p_different,
            p_equivalent=comparison.p_equivalent,
            runs=comparison.runs_b,
            baseline_runs=comparison.runs_a,
            runs_to_decide=comparison.runs_to_decide,
        )


def mean_cell(group: RunGroup | None, of: Metric) -> Cell:
    """Return the mean of a metric with its interval and the numbers of runs, or the reason why nothing is done."""
    if group is None:
        return NOTHING
    description = group.describe(of.name)
    if description is None:
        return Cell(text=group.lost_text or "–", value=None, mark="bad" if group.lost else "quiet")
    predicted = group.mode == "predict"
    notes = []
    if predicted:
        notes.append("predicted")
    else:
        if description.mean_interval:
            notes.append(show.between(description.mean_interval, of.kind))
        notes.append(units.plural(description.n, "run"))
    if group.crowded:
        notes.append("ranks share cores")
    if group.lost:
        notes.append(group.lost_text)
    return Cell(
        text=show.text(description.mean, of.kind),
        value=description.mean,
        note=", ".join(notes),
        mark="bad" if group.lost else "predicted" if predicted else "",
    )


def relative_cell(value: float | None) -> Cell:
    """Return a relative difference without a test."""
    return NOTHING if value is None else Cell(text=units.change(value), value=value)


def pair(
    results: Results, comparison: StudyComparison, workload: str, environment: str, mode: Mode, name: str
) -> ComparedPair | None:
    """Return the pair of an environment in a mode with its baseline in the same mode, or else in the other.

    Returns None if either has no value.
    """
    group = results.group(workload, environment, mode)
    other: Mode = "predict" if mode == "measure" else "measure"
    baselines = [results.group(workload, comparison.baseline, each) for each in (mode, other)]
    baseline = next((each for each in baselines if each and each.values(name)), None)
    if group is None or baseline is None or not group.values(name):
        return None
    return ComparedPair(name, group, baseline, comparison.margin)


def pairs(results: Results, comparison: StudyComparison, name: str) -> list[ComparedPair]:
    """Return the pairs of a comparison and a metric, by workload, environment and mode."""
    found = (
        pair(results, comparison, workload, environment, mode, name)
        for workload in workloads_of(results, comparison)
        for environment in comparison.environments
        for mode in MODES
    )
    return [each for each in found if each is not None]


def comparisons(results: Results) -> list[Compared]:
    """Return every comparison that the study asks for and has values for, as data."""
    return [
        each.record()
        for comparison in wanted(results)
        for name in comparison.metrics
        for each in pairs(results, comparison, name)
    ]


def wanted(results: Results) -> list[StudyComparison]:
    """Return the comparisons of the study; by default, all environments against the first."""
    if results.study.comparisons:
        return results.study.comparisons
    others = [name for name in results.environments if name != results.baseline]
    return [StudyComparison(baseline=results.baseline, environments=others)] if others else []


def workloads_of(results: Results, comparison: StudyComparison) -> list[str]:
    """Return the workloads of a comparison."""
    return [name for name in results.workloads if matches(name, comparison.workloads)]


def in_steps(results: Results, groups: Sequence[RunGroup]) -> list[RunGroup]:
    """Return the groups whose environments are steps of an improvement, or all groups if there are no steps."""
    steps = {
        name
        for comparison in wanted(results)
        if comparison.steps
        for name in (comparison.baseline, *comparison.environments)
    }
    return [group for group in groups if group.environment in steps] or list(groups)
