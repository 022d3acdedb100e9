"""Announcements of slow work, such as compiling, since the first use of a command takes a while."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SLOW_SECONDS = 0.7
"""A search that takes longer is announced."""


class BuildObserver(Protocol):
    """Display of slow work. Threads may call it at the same time."""

    def begin(self, what: str) -> object:
        """Announce work and return a handle of it."""

    def steps(self, work: object, count: int) -> None:
        """Set the number of the work's steps."""

    def step(self, work: object) -> None:
        """Count one step as done."""

    def end(self, work: object) -> None:
        """Mark the work as ended."""


class _Silent:
    def begin(self, what: str) -> object:
        return what

    def steps(self, work: object, count: int) -> None: ...

    def step(self, work: object) -> None: ...

    def end(self, work: object) -> None: ...


_observer: BuildObserver = _Silent()
_current = threading.local()


def show_to(observer: BuildObserver | None) -> None:
    """Set the observer of this process's work. None: no display."""
    global _observer
    _observer = observer or _Silent()


@contextmanager
def working(what: str) -> Iterator[None]:
    """Announce work of this thread, such as `compiling the tracer for mpich-5.0.2`, until the block ends."""
    observer, before = _observer, getattr(_current, "work", None)
    _current.work = observer.begin(what)
    try:
        yield
    finally:
        observer.end(_current.work)
        _current.work = before


def steps(count: int) -> None:
    """Report the number of steps of this thread's work."""
    _observer.steps(getattr(_current, "work", None), count)


def step() -> None:
    """Report one step of this thread's work as done."""
    _observer.step(getattr(_current, "work", None))


@contextmanager
def slow(what: str) -> Iterator[None]:
    """Announce work that is usually quick, once it has taken `SLOW_SECONDS`."""
    observer = _observer
    begun: list[object] = []
    timer = threading.Timer(SLOW_SECONDS, lambda: begun.append(observer.begin(what)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for work in begun:
            observer.end(work)
