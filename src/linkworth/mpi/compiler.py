"""Runs a compiler, and finds the most informative line of its output."""

import subprocess
from collections.abc import Sequence


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler to its end, even if it fails. Raises OSError if it cannot be started."""
    return subprocess.run(
        list(command), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )


def telling(done: subprocess.CompletedProcess[str]) -> str:
    """Return the first error that a compiler named."""
    lines = [line.strip() for line in done.stderr.splitlines() if "error" in line.lower()]
    return lines[0] if lines else f"the compiler left with exit code {done.returncode}"
