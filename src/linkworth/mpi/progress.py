"""Announcements of slow work, such as compiling, since the first use of a command takes a while."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SLOW_SECONDS = 0.7
"""A search that takes longer is announced."""


def _ignore(_: str) -> None:
    """Announce nothing."""


_say: Callable[[str], object] = _ignore


def announce_to(say: Callable[[str], object]) -> None:
    """Let `say` announce this process's work from now on."""
    global _say
    _say = say


def announce(what: str) -> None:
    """Announce work that begins, such as `compiling the tracer for mpich-5.0.2`."""
    _say(f"{what} ...")


@contextmanager
def slow(what: str) -> Iterator[None]:
    """Announce work that is usually quick, once it has taken `SLOW_SECONDS`."""
    timer = threading.Timer(SLOW_SECONDS, announce, [what])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
