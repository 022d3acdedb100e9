"""Job arrays of runs that are submitted together. The batch system gets one submission for all equal runs."""

import contextlib
import shlex
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from linkworth.places.batch import (
    BatchRequest,
    BatchState,
    BatchSystem,
    JobId,
    JobQueue,
    new_token,
    write_script,
)
from linkworth.places.job_folder import JobFolder

MOST_ELEMENTS = 256
"""Elements of one array, far below Slurm's usual limit (MaxArraySize 1001), as each needs its own thread."""
ASK_SECONDS = 3.0
"""Interval of queries to the batch system, each about all followed jobs."""


class Gone(Exception):
    """Raised if linkworth stops before the array was submitted."""


class _Waiting:
    """One run whose job will be an element of an array."""

    def __init__(self, request: BatchRequest, script: Path) -> None:
        self.request = request
        self.script = script
        self.job: JobId | None = None
        self.error: BaseException | None = None


class Arrays(JobQueue):
    """The queue for runs that several threads start at the same time.

    Each run's thread is a `member`. An expected member submits its job, follows one of an earlier linkworth,
    or ends. Once all have done so, jobs with the same nodes and limits are submitted as one array. Later
    submissions of a member (another attempt) become single jobs.
    """

    def __init__(self, system: BatchSystem, place: Path, *, expected: Iterable[str], at_once: int) -> None:
        """`place`: shared folder for the arrays' scripts. `at_once`: limit of elements that run at once."""
        self._system = system
        self._place = place
        self._at_once = at_once
        self._expected = set(expected)
        self._waiting: list[_Waiting] = []
        self._changed = threading.Condition()
        self._closed = False
        self._member = threading.local()
        self._asking = threading.Lock()
        self._followed: set[JobId] = set()
        self._states: dict[JobId, BatchState] = {}
        self._asked = 0.0

    @contextlib.contextmanager
    def member(self, run: str) -> Iterator[None]:
        """Register this thread as the one that makes a run."""
        self._member.run = run
        try:
            yield
        finally:
            self._settle()

    def close(self) -> None:
        """Release the threads that still wait for the others. None of their jobs was submitted."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def submit(self, request: BatchRequest, script: Path) -> JobId:
        """Submit a job, together with those of all expected members, or by itself for another attempt."""
        with self._changed:
            if getattr(self._member, "run", None) not in self._expected:
                waiting = None
            else:
                waiting = _Waiting(request, script)
                self._waiting.append(waiting)
                self._settle()
                while waiting.job is None and waiting.error is None:
                    if self._closed:
                        raise Gone
                    self._changed.wait()
        if waiting is None:
            return self._system.submit(request, script)
        if waiting.error is not None:
            raise waiting.error
        assert waiting.job is not None
        return waiting.job

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Return states that are at most `ASK_SECONDS` old. One query covers all followed jobs."""
        self._settle()  # the caller already has a job
        wanted = list(jobs)
        with self._asking:
            self._followed.update(wanted)
            known = all(job in self._states for job in wanted)
            if not known or time.monotonic() - self._asked > ASK_SECONDS:
                self._states |= self._system.state(sorted(self._followed))
                self._asked = time.monotonic()
                self._followed = {job for job in self._followed if self._states[job].phase != "ended"}
            return {job: self._states[job] for job in wanted}

    def _settle(self) -> None:
        """Mark this thread's run as done. The last one submits the waiting jobs."""
        with self._changed:
            run = getattr(self._member, "run", None)
            if run not in self._expected:
                return
            self._expected.discard(run)
            if not self._expected and not self._closed:
                self._submit_all()
                self._changed.notify_all()

    def _submit_all(self) -> None:
        alike: dict[bytes, list[_Waiting]] = {}
        for each in self._waiting:
            asked = msgspec.structs.replace(
                each.request, name="", body="", token="", folder=self._place, log=self._place
            )
            alike.setdefault(msgspec.json.encode(asked, enc_hook=str), []).append(each)
        share, more = divmod(self._at_once, len(alike) or 1)
        for number, members in enumerate(alike.values()):
            limit = max(1, share + (1 if number < more else 0))
            try:
                for job, each in zip(self._submit(members, limit), members, strict=True):
                    each.job = job
            except BaseException as error:
                for each in members:
                    each.error = error
        self._waiting.clear()

    def _submit(self, members: list[_Waiting], limit: int) -> list[JobId]:
        if len(members) == 1:
            return [self._system.submit(members[0].request, members[0].script)]
        for each in members:
            write_script(each.script, f"#!/bin/sh\n{each.request.body.rstrip()}\n")
        first = members[0].request
        self._place.mkdir(parents=True, exist_ok=True)
        name = f"{time.time_ns()}"
        token = new_token()
        for number, each in enumerate(members):
            JobFolder(each.script.parent).intend(token, number, len(members))
        request = msgspec.structs.replace(
            first,
            name="linkworth-study",
            token=token,
            body=_body(self._system.index, members),
            log=self._place / f"{name}.log",
            array=len(members),
            at_once=limit if limit < len(members) else 0,
        )
        job = self._system.submit(request, self._place / f"{name}.sh")
        return self._system.elements(job, len(members))


def _body(index: str, members: list[_Waiting]) -> str:
    """Return the shell commands of an array. Each element runs one run's script, with the run's own log."""
    cases = [
        f"{number}) exec sh {shlex.quote(str(each.script))} > {shlex.quote(str(each.request.log))} 2>&1 ;;"
        for number, each in enumerate(members)
    ]
    return "\n".join([f'case "{index}" in', *cases, "esac", "exit 1"])
