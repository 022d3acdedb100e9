"""Processes of this machine: those that end with their parent, and those with a mark in their environment."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from linkworth.mpi.files import text_of

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_LOOK_SECONDS = 0.02

_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(signal_number: int) -> None:
    """Make the kernel send this process a signal when the thread that started it ends. Raises OSError."""
    if _libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal_number), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl: {os.strerror(number)}")


def dependent(words: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a program that the kernel kills when this one ends. A pipe takes both of its streams. Raises OSError."""
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=partial(die_with_parent, signal.SIGKILL),
    )


def all_pids() -> list[int]:
    """Return the processes of this machine."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def stat(pid: int) -> list[str]:
    """Return the fields of a process in proc(5), from the state (field 3) on. Empty if it has ended."""
    # The command's name, in brackets, may contain anything.
    return text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()


def environment(pid: int) -> list[bytes]:
    """Return the variables that a process started with. Empty if it has ended or is another user's."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def marked(name: str, value: str) -> set[int]:
    """Return the processes with a variable of that value, which all that they start inherits."""
    wanted = f"{name}={value}".encode()
    return {pid for pid in all_pids() if wanted in environment(pid)}


def stop(find: Callable[[], Iterable[int]], signals: Mapping[signal.Signals, float]) -> set[int]:
    """Send signals to the processes that `find` finds until it finds none, and return all that were found.

    Each signal has its seconds of patience before the next one. Processes that just start are found as well.
    """
    found: set[int] = set()
    for number, patience in signals.items():
        until = time.monotonic() + patience
        signalled: set[int] = set()
        while left := set(find()):
            for pid in left - signalled:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            signalled |= left
            found |= left
            if time.monotonic() > until:
                break
            time.sleep(_LOOK_SECONDS)
        else:
            break
    return found
