"""Threads that replay: the engine runs without the interpreter's lock, so they use all cores."""

import os
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from linkworth._engine import interrupt_replays


class ReplayThreads(ThreadPoolExecutor):
    """A thread for each core. After an error or an interrupt in its block, nothing more begins."""

    def __init__(self, threads: int | None = None) -> None:
        super().__init__(threads or len(os.sched_getaffinity(0)))
        self.ended = False
        """True after an error or an interrupt: work of several replays must stop between two."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Wait for what has begun, or end it after an interrupt."""
        if kind is not None:
            self.ended = True
            self.shutdown(wait=False, cancel_futures=True)
        if kind is KeyboardInterrupt:
            interrupt_replays()
        return super().__exit__(kind, error, traceback)
