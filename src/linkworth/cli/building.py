"""Shows compilation at first use: a bar on a terminal, plain lines elsewhere."""

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from linkworth.cli.output import news

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINE_SECONDS = 5.0
"""Time between two plain lines of progress."""


@dataclass(eq=False)
class _Work:
    what: str
    count: int = 0
    done: int = 0
    said: float = field(default_factory=time.monotonic)
    bar: "Progress | None" = None
    task: "TaskID | None" = None


class BuildScreen:
    """Announces each piece of work at once, and then its progress."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: _Work | None = None

    def begin(self, what: str) -> _Work:
        """Announce work; only one bar is shown at a time."""
        work = _Work(what)
        with self._lock:
            if self._shown is None:
                self._start_bar(work)
            if work.bar is None:
                news(f"{what} ...")
        return work

    def _start_bar(self, work: _Work) -> None:
        # Most calls compile nothing and need no bar.
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

        from linkworth.cli.steps import started_bar

        work.bar = started_bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        if work.bar:
            work.task = work.bar.add_task(work.what, total=None)
            self._shown = work

    def steps(self, work: object, count: int) -> None:
        """Set the number of steps."""
        if isinstance(work, _Work):
            work.count = count
            if work.bar and work.task is not None:
                work.bar.update(work.task, total=count)

    def step(self, work: object) -> None:
        """Count one step; without a bar, print a line occasionally."""
        if not isinstance(work, _Work):
            return
        work.done += 1
        if work.bar and work.task is not None:
            work.bar.update(work.task, completed=work.done)
        elif time.monotonic() - work.said >= LINE_SECONDS and work.done < work.count:
            work.said = time.monotonic()
            news(f"{work.what}: {work.done} of {work.count} files")

    def end(self, work: object) -> None:
        """Remove the bar."""
        if isinstance(work, _Work) and work.bar:
            work.bar.stop()
            with self._lock:
                self._shown = None
