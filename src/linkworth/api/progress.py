"""Progress callbacks."""

import threading
from collections.abc import Callable

Progress = Callable[[str, float | None], object]
"""Called with what happens and with the share that is done, 0 to 1, or None if that is not known. It may be called from another
thread, and an exception that it raises ends the work."""


class Steps:
    """Reports steps to a callback, in the form that the packages below expect."""

    def __init__(self, callback: Progress | None) -> None:
        self._callback = callback
        self._steps = 0
        self._done = 0
        self._lock = threading.Lock()

    def plan(self, steps: int) -> None:
        """Add steps to come; earlier ones are done."""
        self._steps = self._done + steps

    def step(self, text: str) -> None:
        """Report that a step begins."""
        with self._lock:
            share = self._done / self._steps if self._done < self._steps else None
            self._done += 1
        if self._callback is not None:
            self._callback(text, share)
