"""Runs one command in its own session, passes its output on, and stops the whole session at a time limit.

If linkworth itself is killed, the kernel asks the launcher to stop, and the launcher stops its ranks.

MPI launchers put ranks into their own process groups. A signal to the launcher's group alone can leave ranks
behind if the launcher dies first. Every process of a job therefore has a variable with the job's number.
Leftover processes are found by it in /proc and stopped.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from linkworth import interrupts
from linkworth.errors import EnvironmentLacksError
from linkworth.places import proc
from linkworth.places.job import JobEnd, Observer, Stream

MARK = "LINKWORTH_JOB"
TICK_SECONDS = 0.1
GRACE_SECONDS = 5.0
"""Time between the request to stop (SIGTERM) and SIGKILL, in which launchers clean up."""
DRAIN_SECONDS = 1.0
"""Time after the launcher's end to wait for the output of a process that outlives it."""
_SWEEP = {signal.SIGTERM: 1.0, signal.SIGKILL: 10.0}


def run_session(
    arguments: Sequence[str],
    observer: Observer,
    *,
    environment: Mapping[str, str],
    timeout: float | None = None,
    folder: Path | None = None,
    inherit_stdin: bool = False,
) -> JobEnd:
    """Run a command in its own session until it ends, times out or linkworth itself is stopped.

    `environment` is added to this process's own. Raises EnvironmentLacksError if the command cannot be
    started.
    """
    mark = uuid.uuid4().hex
    started = time.monotonic()
    parent = os.getpid()

    def end_with_linkworth() -> None:
        with contextlib.suppress(OSError):
            proc.die_with_parent(signal.SIGTERM)
        if os.getppid() != parent:  # linkworth has ended meanwhile
            os._exit(1)

    timed_out = interrupted = False
    process: subprocess.Popen[bytes] | None = None
    try:
        with interrupts.deferred():
            process = subprocess.Popen(
                list(arguments),
                stdin=None if inherit_stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **environment, MARK: mark},
                cwd=folder,
                start_new_session=True,
                preexec_fn=end_with_linkworth,
            )
        timed_out = not _watch(process, observer, started, timeout)
    except OSError as error:
        if process is not None:
            raise
        raise EnvironmentLacksError(f"cannot start {arguments[0]}: {error.strerror}") from None
    except KeyboardInterrupt:
        if process is None:
            raise
        interrupted = True
    finally:
        if process is not None:
            with interrupts.ignored():
                if process.poll() is None:
                    _stop(process, observer, started)
                if timed_out or interrupted or process.returncode != 0:
                    # Processes of the job that outlived its launcher.
                    proc.stop(lambda: proc.marked(MARK, mark), _SWEEP)
                for pipe in _pipes(process):
                    pipe.close()
    return JobEnd(
        exit_code=process.returncode,
        seconds=time.monotonic() - started,
        timed_out=timed_out,
        interrupted=interrupted,
    )


def _pipes(process: subprocess.Popen[bytes]) -> dict[IO[bytes], Stream]:
    assert process.stdout is not None and process.stderr is not None
    return {process.stdout: "stdout", process.stderr: "stderr"}


def _watch(
    process: subprocess.Popen[bytes], observer: Observer, started: float, timeout: float | None
) -> bool:
    """Pass output on until the process ends. Return False if the time is up before."""
    ended: float | None = None
    streams = _pipes(process)
    with selectors.DefaultSelector() as selector:
        for pipe in streams:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select(TICK_SECONDS):
                data = os.read(key.fd, 65536)
                if data:
                    observer.output(streams[key.fileobj], data)  # type: ignore[index]
                else:
                    selector.unregister(key.fileobj)
            now = time.monotonic()
            observer.tick(now - started)
            if process.poll() is not None:
                ended = ended or now
                if now - ended > DRAIN_SECONDS:
                    return True
            elif timeout is not None and now - started > timeout:
                return False
    while process.poll() is None:
        left = None if timeout is None else timeout - (time.monotonic() - started)
        if left is not None and left <= 0:
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TICK_SECONDS if left is None else min(TICK_SECONDS, left))
        observer.tick(time.monotonic() - started)
    return True


def _stop(process: subprocess.Popen[bytes], observer: Observer, started: float) -> None:
    """Ask the session to stop, read its output meanwhile, and kill the rest."""
    _signal_group(process.pid, signal.SIGTERM)
    stopped = False
    try:
        stopped = _watch(process, observer, started, time.monotonic() - started + GRACE_SECONDS)
    finally:  # even if the observer fails again
        if not stopped or process.poll() is None:
            _signal_group(process.pid, signal.SIGKILL)
        process.wait()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
