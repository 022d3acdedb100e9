"""Stops processes that a killed linkworth left running, since they would disturb later measurements.

Every process of a study inherits a variable with the identity of the study's folder. The holder of the folder's lock
may stop all processes with it, as nobody else can be running them. Jobs of a batch system are left alone: a later
call follows them.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from linkworth.places.kinds import SYSTEMS

MARK = "LINKWORTH_STUDY"
_JOB_VARIABLES = tuple(f"{system.job_variable}=".encode() for system in SYSTEMS.values())
PATIENCE_SECONDS = 5.0


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
    found = _carrying(_identity(folder))
    for number in (signal.SIGTERM, signal.SIGKILL):
        left = _carrying(_identity(folder))
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        until = time.monotonic() + PATIENCE_SECONDS
        while left and time.monotonic() < until:
            time.sleep(0.05)
            left = _carrying(_identity(folder))
        if not left:
            break
    return len(found)


def _identity(folder: Path) -> str:
    place = folder.stat()
    return f"{place.st_dev}:{place.st_ino}"


def _carrying(identity: str) -> set[int]:
    wanted = f"{MARK}={identity}".encode()
    found = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            variables = (entry / "environ").read_bytes().split(b"\0")
            if wanted in variables and not any(one.startswith(_JOB_VARIABLES) for one in variables):
                found.add(int(entry.name))
    return {pid for pid in found if not _is_own(pid)}


def _is_own(pid: int) -> bool:
    """Return whether a process is this one or was started by it."""
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            # pid (name) state ppid ...; the name may contain anything
            pid = int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
    return False
