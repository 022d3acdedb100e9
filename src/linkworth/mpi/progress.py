"""What is compiled or searched for at the moment, for whoever shows it: the first use of a verb takes a while."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SLOW_SECONDS = 0.7
"""A search that takes longer is announced."""


class Observer(Protocol):
    """Shows what takes a while. Threads may call it at once."""

    def begin(self, what: str) -> object:
        """Announce work and return what stands for it."""

    def steps(self, work: object, count: int) -> None:
        """Take how many steps the work has."""

    def step(self, work: object) -> None:
        """Take that one step is done."""

    def end(self, work: object) -> None:
        """Take that the work has ended."""


class _Silent:
    def begin(self, what: str) -> object:
        return what

    def steps(self, work: object, count: int) -> None: ...

    def step(self, work: object) -> None: ...

    def end(self, work: object) -> None: ...


_observer: Observer = _Silent()
_current = threading.local()


def show_to(observer: Observer | None) -> None:
    """Choose who shows the work of this process; None: nobody."""
    global _observer
    _observer = observer or _Silent()


@contextmanager
def working(what: str) -> Iterator[None]:
    """Announce work of this thread, say `compiling the tracer for mpich-5.0.2`, until the block ends."""
    observer, before = _observer, getattr(_current, "work", None)
    _current.work = observer.begin(what)
    try:
        yield
    finally:
        observer.end(_current.work)
        _current.work = before


def steps(count: int) -> None:
    """Say how many steps the work of this thread has."""
    _observer.steps(getattr(_current, "work", None), count)


def step() -> None:
    """Say that one step of the work of this thread is done."""
    _observer.step(getattr(_current, "work", None))


@contextmanager
def slow(what: str) -> Iterator[None]:
    """Announce work that usually takes no time, once it has taken `SLOW_SECONDS`."""
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
