"""Runs of a study, grouped by workload, environment and mode."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.model.statistics import Comparison, Description
from linkworth.model.study import Environment, Mode, RunRecord, Study, StudyWorkload
from linkworth.report.study.trace_profiles import TraceProfile
from linkworth.statistics import compare, describe
from linkworth.study.matrix import layout
from linkworth.study.metrics import metric
from linkworth.study.outcome import shares_cores

_CLASSES = "SWABCDEF"
"""Problem classes of the NAS Parallel Benchmarks, smallest first."""
MODES: list[Mode] = ["measure", "predict"]
HOW = {"measure": "measured", "predict": "predicted", "trace": "recorded"}
MEASURES = ("bandwidth_bytes_per_second", "latency_seconds")
"""Metrics of the rows of micro-benchmarks."""
STATES = {"unverified": "unverified", "failed": "failed", "timeout": "over its time limit"}


class CurvePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One message size of a micro-benchmark."""

    size: int
    values: list[float]
    """One value for each run."""
    description: Description


class RunGroup:
    """All runs, except warm-up, of one workload in one environment in one mode."""

    def __init__(self, workload: str, environment: str, mode: Mode, records: Sequence[RunRecord]) -> None:
        self.workload = workload
        self.environment = environment
        self.mode = mode
        self.records = sorted(records, key=lambda record: record.repetition)
        self.done = [record for record in self.records if record.state == "done"]
        self.lost = [record for record in self.records if record.state != "done"]
        self._described: dict[str, Description | None] = {}
        self._compared: dict[tuple[RunGroup, str, float], Comparison] = {}
        self._curves: dict[tuple[str, str], list[CurvePoint]] = {}

    def values(self, metric: str) -> list[float]:
        """Return the metric's values of the completed runs, in the order of the repetitions."""
        return [record.metrics[metric] for record in self.done if metric in record.metrics]

    def describe(self, metric: str) -> Description | None:
        """Describe the metric's values; None without any."""
        if metric not in self._described:
            values = self.values(metric)
            self._described[metric] = describe(values) if values else None
        return self._described[metric]

    def compare(self, baseline: "RunGroup", name: str, margin: float) -> Comparison:
        """Compare the metric's values with those of a baseline."""
        key = (baseline, name, margin)
        if key not in self._compared:
            better = metric(name).better or "lower"
            self._compared[key] = compare(baseline.values(name), self.values(name), better, margin=margin)
        return self._compared[key]

    @cached_property
    def labels(self) -> list[str]:
        """Labels (patterns, collectives) of the rows of micro-benchmarks, each once, in their order."""
        return list(dict.fromkeys(str(row.get("label", "")) for record in self.done for row in record.rows))

    def curve(self, measure: str, label: str) -> list[CurvePoint]:
        """Return the values by message size, one for each run. Sizes without the measure are left out."""
        if (measure, label) not in self._curves:
            self._curves[measure, label] = list(self._points(measure, label))
        return self._curves[measure, label]

    def _points(self, measure: str, label: str) -> Iterator[CurvePoint]:
        by_size: dict[int, list[float]] = {}
        for record in self.done:
            for row in record.rows:
                value = row.get(measure)
                if str(row.get("label", "")) == label and isinstance(value, int | float) and value > 0:
                    by_size.setdefault(int(row["bytes"]), []).append(float(value))
        for size, found in sorted(by_size.items()):
            yield CurvePoint(size=size, values=found, description=describe(found))

    @property
    def how(self) -> str:
        """`measured` or `predicted`."""
        return HOW[self.mode]

    @property
    def name(self) -> str:
        """Name of the environment, with `predicted` if it is."""
        return f"{self.environment}, predicted" if self.mode == "predict" else self.environment

    @property
    def crowded(self) -> bool:
        """True if ranks shared cores in a run that is done: its times include waiting for a core."""
        return any(shares_cores(record.facts) for record in self.done)

    @property
    def lost_text(self) -> str:
        """Numbers and causes of runs that are not done: `2 failed, 1 unverified`; empty if all are."""
        counts = {state: sum(record.state == state for record in self.lost) for state in STATES}
        return ", ".join(f"{count} {STATES[state]}" for state, count in counts.items() if count)


class Results:
    """A study and its results."""

    def __init__(
        self,
        study: Study,
        records: Iterable[RunRecord],
        profiles: Mapping[tuple[str, str], TraceProfile] | None = None,
    ) -> None:
        self.study = study
        self.records = [record for record in records if record.repetition >= 0]
        self.workloads = _names([w.name for w in study.workloads], (r.workload for r in self.records))
        self.profiles = {key: found for key, found in (profiles or {}).items() if key[0] in self.workloads}
        """Profiles of traces, by workload and environment; "" stands for recordings without a run."""
        timed = [record for record in self.records if record.mode != "trace"]
        self.environments = _names([e.name for e in study.environments], (r.environment for r in timed))
        by_key: dict[tuple[str, str, Mode], list[RunRecord]] = {}
        for record in self.records:
            by_key.setdefault((record.workload, record.environment, record.mode), []).append(record)
        self._groups = {key: RunGroup(*key, records) for key, records in by_key.items()}
        self._environments = {environment.name: environment for environment in study.environments}
        self._workloads = {workload.name: workload for workload in study.workloads}

    def group(self, workload: str, environment: str, mode: Mode) -> RunGroup | None:
        """Return the runs of one cell, or None without any."""
        return self._groups.get((workload, environment, mode))

    def groups(self, *, modes: Sequence[Mode] = MODES) -> list[RunGroup]:
        """Return all cells in the order of the study's workloads, environments and the modes."""
        found = [
            self.group(workload, environment, mode)
            for workload in self.workloads
            for environment in self.environments
            for mode in modes
        ]
        return [group for group in found if group is not None]

    def nodes(self, group: RunGroup) -> int | None:
        """Return a cell's number of nodes by the study file, or else by the runs; None if neither has it."""
        workload, environment = self.workload(group.workload), self.environment(group.environment)
        if workload is not None and environment is not None:
            with contextlib.suppress(UsageError):
                _, nodes, _ = layout(self.study, workload, environment)
                if nodes is not None:
                    return nodes
        stated = {record.facts["nodes"] for record in group.done if record.facts.get("nodes")}
        # A batch system may give each run other nodes, but as many.
        counts = {int(text) if text.isdecimal() else len(text.split(", ")) for text in stated}
        return counts.pop() if len(counts) == 1 else None

    def problem(self, group: RunGroup) -> str:
        """Return the workload of a cell, with its ranks if the problem grows with them."""
        workload = self.workload(group.workload)
        grows = workload is not None and workload.weak and group.done
        return f"{group.workload} on {group.done[0].facts['ranks']} ranks" if grows else group.workload

    def environment(self, name: str) -> Environment | None:
        """Return an environment of the study; None for one that is only in the records."""
        return self._environments.get(name)

    def workload(self, name: str) -> StudyWorkload | None:
        """Return a workload of the study; None for one that is only in the records."""
        return self._workloads.get(name)

    @property
    def baseline(self) -> str:
        """Default baseline: the first environment."""
        return self.environments[0] if self.environments else ""

    @property
    def title(self) -> str:
        """Title of the study, or else its name."""
        return self.study.title or self.study.name or Path(self.study.path).stem or "a study"


def problem_of(workload: str) -> tuple[str, str]:
    """Return the program and its problem class: `npb:ft.B` is ("ft", "B"); others have no class."""
    if workload.startswith("npb:") and "." in workload:
        program, _, rest = workload.removeprefix("npb:").partition(".")
        return program, rest.split()[0] if rest.split() else ""
    return workload, ""


def by_size(problem: str) -> tuple[int, str]:
    """Return a key that sorts problem classes by their size; unknown ones come first, by name."""
    return _CLASSES.find(problem), problem


def smaller_problems(workloads: Sequence[str]) -> dict[str, str]:
    """Return, by workload, the next smaller problem of the same program, if any (`npb:ft.A` for `npb:ft.B`)."""
    classes: dict[str, list[tuple[int, str]]] = {}
    for name in workloads:
        program, problem = problem_of(name)
        if problem in _CLASSES and name == f"npb:{program}.{problem}":
            classes.setdefault(program, []).append((_CLASSES.index(problem), name))
    found: dict[str, str] = {}
    for members in classes.values():
        ordered = [name for _, name in sorted(members)]
        found |= dict(zip(ordered[1:], ordered, strict=False))
    return found


def _names(known: Sequence[str], seen: Iterable[str]) -> list[str]:
    """Return the study's names that were run, then those of runs outside the (current) study."""
    there = dict.fromkeys(seen)
    return [name for name in known if name in there] + [name for name in there if name not in known]
