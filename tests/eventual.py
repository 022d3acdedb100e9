"""Waiting for what another process or thread does."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 600.0
"""A time that only a fault can take."""


def eventually(condition: Callable[[], object], *, during: subprocess.Popen[Any] | None = None) -> bool:
    """Wait until a condition holds. Return False if it takes too long, or if a process ends before."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > until or (during is not None and during.poll() is not None):
            return False
        time.sleep(0.01)
    return True


def alive(pid: int) -> bool:
    """Return whether a process runs: it is there, and not only to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
