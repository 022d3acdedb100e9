"""Follows several batch jobs at once, one thread each: the cluster does the work, linkworth only waits."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Self

from linkworth.model.study import RunRecord
from linkworth.places.job import Observer
from linkworth.study.matrix import PlannedRun

Made = tuple[PlannedRun, RunRecord]
Work = Callable[[PlannedRun, Observer], RunRecord]
_LOOK_SECONDS = 0.2
_LEAVE_SECONDS = 5.0


class NoLongerFollowed(Exception):
    """linkworth ends while the job continues; the next call finds it again."""


class JobThreads:
    """Limited number of simultaneous runs, as a context manager. An early exit leaves the jobs in the queue."""

    def __init__(self, most: int, work: Work) -> None:
        self._most = most
        self._work = work
        self._threads: list[threading.Thread] = []
        self._leaving = threading.Event()
        self._ended: queue.Queue[Made | BaseException] = queue.Queue()
        self._under_way = 0

    def begin(self, planned: PlannedRun) -> Iterator[Made]:
        """Start a run when there is room, and yield those that end meanwhile. Raises the errors of runs."""
        while self._under_way >= self._most:
            yield self._next()
        thread = threading.Thread(target=self._do, args=(planned,), daemon=True)
        self._threads.append(thread)
        self._under_way += 1
        thread.start()

    def rest(self) -> Iterator[Made]:
        """Yield the remaining runs as they end."""
        while self._under_way:
            yield self._next()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        for thread in self._threads:
            thread.join(_LEAVE_SECONDS)

    def _next(self) -> Made:
        while True:
            try:
                found = self._ended.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            self._under_way -= 1
            if isinstance(found, BaseException):
                raise found
            return found

    def _do(self, planned: PlannedRun) -> None:
        try:
            self._ended.put((planned, self._work(planned, _StopFollowing(self._leaving))))
        except BaseException as error:
            self._ended.put(error)


class _StopFollowing(Observer):
    """Stops following a job, without ending it, when linkworth ends."""

    def __init__(self, leaving: threading.Event) -> None:
        self._leaving = leaving

    def tick(self, seconds: float) -> None:
        if self._leaving.is_set():
            raise NoLongerFollowed
