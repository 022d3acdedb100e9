"""Progress of a study, and the time that it will still take."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from statistics import median

from linkworth.model.study import RecordState, RunRecord
from linkworth.study.matrix import PlannedRun


class Watch:
    """Observer of a study's events, which this one ignores."""

    def begin(self, total: int, done: int) -> None:
        """Receive the number of runs, and of those that have been made before."""

    def started(self, planned: PlannedRun) -> None:
        """Receive the start of a run."""

    def finished(self, record: RunRecord, remaining_seconds: float | None) -> None:
        """Receive the end of a run, and the remaining time of the others (None: nothing is known yet)."""

    def say(self, sentence: str) -> None:
        """Receive another message for the user."""


class Estimate:
    """The remaining time, from medians of finished runs of the same workload and environment, or else the nearest."""

    def __init__(self, records: Iterable[RunRecord]) -> None:
        self._seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for record in records:
            self.add(record)

    def add(self, record: RunRecord) -> None:
        """Add a finished run."""
        seconds = duration(record)
        if seconds is not None:
            for key in self._keys(record.mode, record.workload, record.environment):
                self._seconds[key].append(seconds)

    def remaining(self, runs: Iterable[PlannedRun], parallel: int = 1) -> float | None:
        """Return the seconds that runs will take, `parallel` at a time; None without any similar run."""
        total = 0.0
        medians: dict[tuple[str, ...], float] = {}
        for planned in runs:
            keys = self._keys(planned.mode, planned.workload.name, planned.environment.name)
            key = next((key for key in keys if key in self._seconds), None)
            if key is None:
                return None
            if key not in medians:
                medians[key] = median(self._seconds[key])
            total += medians[key]
        return total / parallel

    @staticmethod
    def _keys(mode: str, workload: str, environment: str) -> list[tuple[str, ...]]:
        return [(mode, workload, environment), (mode, workload), (mode,)]


def duration(record: RunRecord) -> float | None:
    """Return the wall time of a run, with its launch and attempts."""
    try:
        took = datetime.fromisoformat(record.ended) - datetime.fromisoformat(record.started)
    except ValueError:
        return None
    return took.total_seconds()


def counts(records: Iterable[RunRecord]) -> dict[RecordState, int]:
    """Return the number of runs by state."""
    found: dict[RecordState, int] = {"done": 0, "unverified": 0, "failed": 0, "timeout": 0}
    for record in records:
        found[record.state] += 1
    return found
