"""Time limits without waiting for them: a clock that stands still until something has happened, then is past every limit."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from linkworth.places import process

LATER = 1e6
"""Seconds."""


def pass_time_when(happened: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limits of what is run in this process be over as soon as `happened()`, and not before."""
    now, began = time.monotonic, time.monotonic()
    clock = SimpleNamespace(
        monotonic=lambda: now() + LATER if happened() else began, sleep=time.sleep, time=time.time
    )
    monkeypatch.setattr(process, "time", clock)


def command(*there: Path, each: bool = False) -> list[str]:
    """Return the start of a command line of linkworth whose programs reach their limits when all those files are there.

    With `each`, `there` is a folder, and every file that comes into it is the end of one more limit.
    """
    passed = (
        "sum(1 for path in paths for _ in Path(path).iterdir())"
        if each
        else "all(Path(path).exists() for path in paths)"
    )
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom types import SimpleNamespace\n"
        "from linkworth.places import process\nfrom linkworth.cli import entry\n"
        f"paths = {[str(path) for path in there]!r}\nnow, began = time.monotonic, time.monotonic()\n"
        "def late():\n"
        f"    passed = {passed}\n"
        f"    return now() + {LATER} * passed if passed else began\n"
        "process.time = SimpleNamespace(monotonic=late, sleep=time.sleep, time=time.time)\n"
        "sys.exit(entry())\n"
    )
    return [sys.executable, "-c", code]
