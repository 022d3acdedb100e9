"""Lock of a study's folder for one linkworth process; the kernel releases it when the process ends."""

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from linkworth.errors import UsageError


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a study's folder. Raises UsageError, with the owning process, if it is taken.

    The kernel releases the lock when the process ends; started programs do not inherit it.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise UsageError(f"cannot write to the folder {path.parent}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
            raise UsageError(
                f"{path.parent} is being run by {owner}; wait for it or stop it "
                f"(`linkworth study status {path.parent}` shows how far it is)"
            ) from None
        with contextlib.suppress(OSError):  # a full disk does not affect the lock
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Return whether a process runs the study now."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
