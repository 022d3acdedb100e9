"""Announcements of slow work, such as compiling, since the first use of a command takes a while."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SLOW_SECONDS = 0.7
"""A search that takes longer is announced."""


class SlowWork:
    """A piece of work, which this class does not show. Several threads may have some at the same time."""

    def __init__(self, what: str) -> None:
        """Announce the work."""

    def steps(self, count: int) -> None:
        """Set the number of steps."""

    def step(self) -> None:
        """Count one step as done."""

    def end(self) -> None:
        """Mark the work as ended."""


_begin: Callable[[str], SlowWork] = SlowWork
_current = threading.local()


def show_to(begin: Callable[[str], SlowWork]) -> None:
    """Let `begin` announce this process's work from now on."""
    global _begin
    _begin = begin


@contextmanager
def working(what: str) -> Iterator[None]:
    """Announce work of this thread, such as `compiling the tracer for mpich-5.0.2`, until the block ends."""
    before = _work()
    _current.work = work = _begin(what)
    try:
        yield
    finally:
        work.end()
        _current.work = before


def steps(count: int) -> None:
    """Report the number of steps of this thread's work."""
    _work().steps(count)


def step() -> None:
    """Report one step of this thread's work as done."""
    _work().step()


@contextmanager
def slow(what: str) -> Iterator[None]:
    """Announce work that is usually quick, once it has taken `SLOW_SECONDS`."""
    begun: list[SlowWork] = []
    timer = threading.Timer(SLOW_SECONDS, lambda: begun.append(_begin(what)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for work in begun:
            work.end()


def _work() -> SlowWork:
    found: SlowWork | None = getattr(_current, "work", None)
    return found or SlowWork("")
