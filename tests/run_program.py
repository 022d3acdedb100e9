"""Other programs that a test runs."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def output_of(command: Sequence[str | Path], **options: Any) -> str:
    """Run a program to its end and return what it printed.

    Raises:
        AssertionError: it failed; with the program's own words, which a CalledProcessError would keep to itself.
    """
    words = [str(word) for word in command]
    done: subprocess.CompletedProcess[str] = subprocess.run(
        words, capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout
