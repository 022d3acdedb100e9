"""Stops processes that a killed linkworth left running, since they would disturb later measurements.

Every process of a study inherits a variable with the identity of the study's folder. The holder of the folder's lock
may stop all processes with it, as nobody else can be running them. Jobs of a batch system are left alone: a later
call follows them.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from linkworth.places import proc
from linkworth.places.kinds import SYSTEMS

MARK = "LINKWORTH_STUDY"
_JOB_VARIABLES = tuple(f"{system.job_variable}=".encode() for system in SYSTEMS.values())
_SIGNALS = {signal.SIGTERM: 5.0, signal.SIGKILL: 5.0}


@contextlib.contextmanager
def marked(folder: Path) -> Iterator[None]:
    """Mark everything that is started meanwhile with the study's identity."""
    before = os.environ.get(MARK)
    os.environ[MARK] = _identity(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[MARK]
        else:
            os.environ[MARK] = before


def stop_orphans(folder: Path) -> int:
    """Stop the processes of a study's folder, whose lock the caller holds; return how many there were."""
    return len(proc.stop(lambda: _left_running(_identity(folder)), _SIGNALS))


def _identity(folder: Path) -> str:
    place = folder.stat()
    return f"{place.st_dev}:{place.st_ino}"


def _left_running(identity: str) -> set[int]:
    return {
        pid
        for pid in proc.marked(MARK, identity)
        if not _is_own(pid) and not any(one.startswith(_JOB_VARIABLES) for one in proc.environment(pid))
    }


def _is_own(pid: int) -> bool:
    """Return whether a process is this one or was started by it."""
    while pid > 1:
        if pid == os.getpid():
            return True
        fields = proc.stat(pid)
        if not fields:
            return False
        pid = int(fields[1])  # of its parent
    return False
