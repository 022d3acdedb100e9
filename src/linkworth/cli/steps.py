"""Progress of several steps: a bar on a terminal's standard error, elsewhere a plain line for each step."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from linkworth.cli.output import SafeConsole, is_live, note


def started_bar(*columns: ProgressColumn) -> Progress | None:
    """Return a started bar of these columns, which disappears when stopped; None without a terminal."""
    if not is_live():
        return None
    bar = Progress(*columns, console=SafeConsole(sys.stderr), transient=True)
    bar.start()
    return bar


class Steps:
    """Shows the current step and their number; use it as a context manager."""

    def __init__(self, *, plain_lines: bool = False) -> None:
        """Set up the progress. `plain_lines`: without a terminal, print each step instead of nothing."""
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._plain_lines = plain_lines
        self._total = 0
        self._done = 0

    def __enter__(self) -> Self:
        self._bar = started_bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def plan(self, steps: int) -> None:
        """Set the number of steps to come; earlier steps are done."""
        self._total = steps
        self._done = 0
        if self._bar:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task("", total=steps)

    def step(self, text: str) -> None:
        """Begin the next step; the one before it has ended."""
        self._done += 1
        if self._bar and self._task is not None:
            self._bar.update(self._task, description=text, completed=self._done - 1)
        elif self._plain_lines:
            note(f"[{self._done}/{self._total}] {text}")


@contextmanager
def running(text: str) -> Iterator[None]:
    """Show on a terminal what goes on, and for how long already."""
    bar = started_bar(TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    try:
        if bar:
            bar.add_task(text, total=None)
        yield
    finally:
        if bar:
            bar.stop()
