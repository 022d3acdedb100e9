"""A study on the terminal: a bar during the run (plain lines without a terminal), and its state."""

import shlex
from collections.abc import Iterator
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from linkworth.cli.output import note
from linkworth.cli.steps import started_bar
from linkworth.model.study import RunRecord
from linkworth.study.matrix import PlannedRun
from linkworth.study.plan import StudyPlan
from linkworth.study.progress import Watch
from linkworth.study.status import Status
from linkworth.units import plural

_SHOWN_PROBLEMS = 20


class StudyProgress(Watch):
    """Shows the numbers of finished and failed runs and the remaining time; use it as a context manager."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._total = 0
        self._made = 0
        self._bad = 0

    def __enter__(self) -> Self:
        self._bar = started_bar(
            MofNCompleteColumn(),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[rest]}"),
            TextColumn("{task.description}", markup=False),
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def begin(self, total: int, done: int) -> None:
        """Show the finished runs."""
        self._total, self._made = total, done
        if self._bar:
            self._task = self._bar.add_task("", total=total, completed=done, rest="")
        elif done:
            note(f"{done} of {total} runs are made already")

    def started(self, planned: PlannedRun) -> None:
        """Show the run's name."""
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=planned.run)

    def finished(self, record: RunRecord, remaining_seconds: float | None) -> None:
        """Count the run."""
        self._made += 1
        self._bad += record.state != "done"
        rest = "" if remaining_seconds is None else f"{clock(remaining_seconds)} left"
        if self._bar and self._task is not None:
            bad = f"{self._bad} not good" if self._bad else ""
            self._bar.update(
                self._task, completed=self._made, rest=", ".join(part for part in (rest, bad) if part)
            )
        if record.state != "done":
            self.say(f"{record.run}: {record.state}: {record.cause}")
        elif not self._bar:
            seconds = record.metrics.get("seconds")
            took = f" {seconds:.4g} s" if seconds is not None else ""
            note(f"[{self._made}/{self._total}] {record.run}{took}{', ' + rest if rest else ''}")

    def say(self, sentence: str) -> None:
        """Print a sentence, above the bar if there is one."""
        note(sentence)


def clock(seconds: float) -> str:
    """Return a time for a person: `45 s`, `3 min`, `2 h 10 min`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def status_lines(found: Status) -> Iterator[str]:
    """Yield the state of a study, line by line."""
    scale = f" at scale {found.scale}" if found.scale else ""
    yield f"{found.study}{scale}: {found.done} of {plural(found.total, 'run')} done" + (
        ", and it is running now" if found.running else ""
    )
    parts = {
        "not verified": found.unverified,
        "failed": found.failed,
        "over the time limit": found.timeout,
        "not made yet": found.open,
    }
    told = ", ".join(f"{count} {what}" for what, count in parts.items() if count)
    if told:
        rest = (
            f" ({clock(found.remaining_seconds)} left)"
            if found.open and found.remaining_seconds is not None
            else ""
        )
        yield f"{told}{rest}"
    for run, cause in list(found.problems.items())[:_SHOWN_PROBLEMS]:
        yield f"  {run}: {cause}"
    if len(found.problems) > _SHOWN_PROBLEMS:
        yield f"  and {len(found.problems) - _SHOWN_PROBLEMS} more (--json has all)"
    yield from found.waiting
    yield f"results in {found.folder}"
    if found.open and not found.running:
        yield f"go on with: linkworth study resume {found.folder}"
    elif found.problems and not found.running:
        yield f"once more with: linkworth study resume --redo-failed {found.folder}"


def plan_table(plan: StudyPlan) -> Iterator[str]:
    """Yield the plan of a study, line by line: block by block, in order."""
    done = sum(run.done for run in plan.runs)
    scale = f" at scale {plan.scale}" if plan.scale else ""
    made = f", {done} of them made already" if done else ""
    yield f"{plan.study}{scale}: {plural(len(plan.runs), 'run')}{made}, into {plan.folder}"
    if plan.seed is None:
        yield "the order within a block is drawn when the study begins"
    block: tuple[str, int] | None = None
    for run in plan.runs:
        if block != (run.mode, run.block):
            block = (run.mode, run.block)
            warm_up = " (warm-up)" if run.block < 0 else ""
            yield {"trace": "recordings", "predict": "predictions"}.get(
                run.mode, f"block {run.block}{warm_up}"
            )
        lab = f"  (lab with {' '.join(run.lab)})" if run.lab else ""
        yield f"  {'done ' if run.done else ''}{run.run}: {shlex.join(run.command)}{lab}"
