"""Follows one batch job: passes its output on, queries the batch system modestly, and reports the end."""

import time
from collections.abc import Callable

from linkworth.errors import EnvironmentLacksError
from linkworth.places.batch import BatchState, BatchSystem, JobId, JobQueue
from linkworth.places.job import JobEnd, Observer, Stream
from linkworth.places.job_folder import JobFolder

LOOK_SECONDS = 0.1
"""Interval for reading the job's files. It loads the file system, not the batch system."""
ASK_SECONDS = (1.0, 15.0)
"""Shortest and longest interval of queries to the batch system. It grows by half each time."""
FORGOTTEN_SECONDS = 30.0
"""Time that a job may be unknown before it counts as gone. New jobs may be unknown on a busy cluster."""
SILENT_SECONDS = 600.0
"""Time without an answer of the batch system (its controller restarts) after which the run is given up. The
job continues."""
SETTLE_SECONDS = 10.0
"""Time for the batch system to report a job's end, and for shared files to arrive."""
_STREAMS: tuple[Stream, ...] = ("stdout", "stderr")


class Following:
    """Follows one job to its end."""

    def __init__(
        self,
        system: BatchSystem,
        queue: JobQueue,
        identity: JobId,
        files: JobFolder,
        observer: Observer,
        timeout: float | None,
        say: Callable[[str], None],
    ) -> None:
        self.system = system
        self.queue = queue
        self.identity = identity
        self.files = files
        self.observer = observer
        self.timeout = timeout
        self.say = say
        self.began: float | None = None
        """Time on this machine's clock when the program was first found running."""
        self.told = ""
        self._silent_since: float | None = None

    def follow(self) -> JobEnd:
        """Pass its output on until it ends. A time limit or a stop of linkworth cancels it."""
        timed_out = interrupted = False
        state = BatchState(phase="pending")
        try:
            state, timed_out = self._watch()
        except KeyboardInterrupt:
            interrupted = True
        if timed_out or interrupted:
            self.system.cancel([self.identity])
            state = self._settled()
        self._pass_on()
        return self._end(state, timed_out, interrupted)

    def _watch(self) -> tuple[BatchState, bool]:
        pause = ASK_SECONDS[0]
        asked = time.monotonic()
        seen = asked
        while True:
            self._pass_on()
            now = time.monotonic()
            if self.began is None and self.files.started is not None:
                self.began = now
            self.observer.tick(0.0 if self.began is None else now - self.began)
            if self.files.exit_code is not None:
                return self._settled() if self.files.exit_code else BatchState(phase="ended"), False
            if self.timeout is not None and self.began is not None and now - self.began > self.timeout:
                return BatchState(phase="running"), True
            if now - asked >= pause:
                asked, pause = now, min(pause * 1.5, ASK_SECONDS[1])
                state = self._ask()
                if state.phase == "ended":
                    return self._with_files(state), False
                if state.phase != "unknown":
                    seen = now
                elif now - seen > FORGOTTEN_SECONDS:
                    return state, False
            time.sleep(LOOK_SECONDS)

    def _ask(self) -> BatchState:
        try:
            state = self.queue.state([self.identity])[self.identity]
        except EnvironmentLacksError as error:
            now = time.monotonic()
            self._silent_since = self._silent_since or now
            if now - self._silent_since > SILENT_SECONDS:
                raise
            self.say(str(error))
            return BatchState(phase="running")
        self._silent_since = None
        if state.reason and state.reason != self.told:
            self.told = state.reason
            self.say(f"{self.system.name} job {self.identity} waits: {state.reason}")
        return state

    def _settled(self) -> BatchState:
        """Wait for the batch system's report of the end."""
        until = time.monotonic() + SETTLE_SECONDS
        while True:
            state = self._ask()
            if state.phase in ("ended", "unknown") or time.monotonic() > until:
                return state
            time.sleep(0.5)

    def _with_files(self, state: BatchState) -> BatchState:
        """Wait for the files of a job that ended by itself, since another node wrote them."""
        until = time.monotonic() + (0.0 if state.cause else SETTLE_SECONDS)
        while self.files.exit_code is None and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        return state

    def _pass_on(self) -> None:
        for stream in _STREAMS:
            while data := self.files.new_output(stream):
                self.observer.output(stream, data)

    def _end(self, state: BatchState, timed_out: bool, interrupted: bool) -> JobEnd:
        code = self.files.exit_code
        seconds = self.files.seconds
        if seconds is None:
            seconds = 0.0 if self.began is None else time.monotonic() - self.began
        cause = "" if timed_out or interrupted or code == 0 else state.cause
        if code is None and not cause and not timed_out and not interrupted:
            said = self.files.log_end()
            cause = (
                f"{self.system.name} job {self.identity} ended ({state.state or 'it is not known any more'}) before the "
                f"program did{f': {said}' if said else ''}"
            )
        return JobEnd(
            exit_code=code if code is not None else state.exit_code or 1,
            seconds=seconds,
            timed_out=timed_out or (state.timed_out and bool(cause)),
            interrupted=interrupted,
            cause=cause,
            nodes=self.files.nodes or state.nodes,
            counters=self.files.counters(),
        )
