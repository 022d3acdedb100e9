"""Finds and ends the processes of a lab, whoever started them."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Collection
from pathlib import Path

from linkworth.lab import system

MARK = "LINKWORTH_LAB"
"""Variable in the environment of everything that is started in a lab. Its value is the lab's mark."""
PATIENCE_SECONDS = 10.0
"""Time that killed processes may take to end. On a busy machine they wait for a core first."""


def all_pids() -> list[int]:
    """Return the processes of this machine."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def is_marked(pid: int, mark: str) -> bool:
    """Return whether a process was started in the lab with that mark."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in variables


def end(belongs: Callable[[int], bool], *, spared: Collection[int]) -> list[int]:
    """Kill every process of a lab and return their PIDs. Processes that just start are found again."""
    found: list[int] = []
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        left = [
            pid
            for pid in all_pids()
            if pid not in spared and system.start_time(pid) is not None and belongs(pid)
        ]
        if not left:
            break
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        found += [pid for pid in left if pid not in found]
        time.sleep(0.01)
    return found
