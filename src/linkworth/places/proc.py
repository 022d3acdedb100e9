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


def start_time(pid: int) -> int | None:
    """Return the start time of a process in clock ticks since boot. None if it has ended (or is a zombie)."""
    fields = stat(pid)
    return None if not fields or fields[0] in "ZX" else int(fields[19])


def is_running(pid: int, started: int) -> bool:
    """Return whether the process that started then still runs."""
    return start_time(pid) == started


def stop(find: Callable[[], Iterable[int]], signals: Mapping[signal.Signals, float]) -> set[int]:
    """Send signals to the processes that `find` finds until all have ended, and return those.

    Each signal has its seconds of patience before the next one. Processes that just start are found as well. One that
    ends loses its variables and namespaces, and may be found no longer, some time before it is gone.
    """
    found: dict[int, int] = {}
    for number, patience in signals.items():
        until = time.monotonic() + patience
        signalled: set[tuple[int, int]] = set()
        while True:
            found |= {pid: started for pid in find() if (started := start_time(pid)) is not None}
            left = {process for process in found.items() if is_running(*process)}
            if not left:
                return set(found)
            for pid, _ in left - signalled:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            signalled |= left
            if time.monotonic() > until:
                break
            time.sleep(_LOOK_SECONDS)
    return set(found)
