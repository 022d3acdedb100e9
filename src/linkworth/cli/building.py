"""Shows compilation at first use: a bar on a terminal, plain lines elsewhere."""

import threading
import time

from linkworth.cli.output import news
from linkworth.mpi.progress import SlowWork

LINE_SECONDS = 5.0
"""Time between two plain lines of progress."""
_bar_lock = threading.Lock()
"""Held by the work with the bar: only one is shown at a time."""


class BuildWork(SlowWork):
    """Shows that work begins, and then its progress."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._count = self._done = 0
        self._said = time.monotonic()
        self._bar = None
        if _bar_lock.acquire(blocking=False):
            # Most calls compile nothing and need no bar.
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

            from linkworth.cli.steps import started_bar

            self._bar = started_bar(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
            )
            if self._bar:
                self._task = self._bar.add_task(what, total=None)
            else:
                _bar_lock.release()
        if not self._bar:
            news(f"{what} ...")

    def steps(self, count: int) -> None:
        """Set the number of steps."""
        self._count = count
        if self._bar:
            self._bar.update(self._task, total=count)

    def step(self) -> None:
        """Count one step; without a bar, print a line occasionally."""
        self._done += 1
        if self._bar:
            self._bar.update(self._task, completed=self._done)
        elif time.monotonic() - self._said >= LINE_SECONDS and self._done < self._count:
            self._said = time.monotonic()
            news(f"{self._what}: {self._done} of {self._count} files")

    def end(self) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()
            _bar_lock.release()
