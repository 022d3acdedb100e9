"""Ways in which Ctrl-C, and signals that mean the same, reach code that waits.

Python raises KeyboardInterrupt wherever the main thread happens to be. In a callback of a fork, a finalizer or the
garbage collector it only prints the exception and goes on, so that the interrupt has no effect.
"""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

_STOPS = (signal.SIGTERM, signal.SIGHUP)
"""Signals that stop a job like Ctrl-C: from a batch system at its time limit, and from a closing terminal."""
_Handler = Callable[[int, FrameType | None], None] | signal.Handlers
_AGAIN = signal.SIGALRM
_AGAIN_SECONDS = 0.01


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def raised_again() -> Iterator[None]:
    """Raise a KeyboardInterrupt again, a moment later, if Python dropped it. The command line runs inside."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    report = sys.unraisablehook

    def dropped(unraisable: "sys.UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        else:
            report(unraisable)

    handler = signal.signal(_AGAIN, _raise)
    sys.unraisablehook = dropped
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        sys.unraisablehook = report
        signal.signal(_AGAIN, handler)


@contextlib.contextmanager
def terminate_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C: stop jobs, keep results, remove temporary files.

    The command line runs inside, and so do functions of the Python API that run programs.
    """
    # Under nohup SIGHUP is ignored and stays so.
    stops = [number for number in _STOPS if signal.getsignal(number) is not signal.SIG_IGN]
    with _handled(stops, _raise):
        yield


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Raise an interrupt at the end of the block, so that what the block starts has an owner by then."""
    came = False

    def note(_number: int, _frame: FrameType | None) -> None:
        nonlocal came
        came = True

    raising = (_raise, signal.default_int_handler)
    numbers = (signal.SIGINT, *_STOPS, _AGAIN)
    with _handled([number for number in numbers if signal.getsignal(number) in raising], note):
        yield
    if came:
        raise KeyboardInterrupt


@contextlib.contextmanager
def ignored() -> Iterator[None]:
    """Ignore a second Ctrl-C while a job is stopped."""
    with _handled((signal.SIGINT, *_STOPS, _AGAIN), signal.SIG_IGN):
        yield


@contextlib.contextmanager
def _handled(numbers: Iterable[signal.Signals], handler: _Handler) -> Iterator[None]:
    """Handle signals in another way inside the block. Threads other than the main one receive none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            # Python cannot restore the handler of a library that was loaded before it (LD_PRELOAD).
            signal.signal(number, signal.SIG_DFL if old is None else old)
