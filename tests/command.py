"""The real command line, run as a shell runs it."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 1200.0
"""Seconds: a command may have to build the tracer first, which takes minutes on a machine that does much else."""


@dataclass(frozen=True)
class LinkworthCommand:
    """Calls `linkworth` in a folder of the test's own."""

    folder: Path

    def start(
        self, *arguments: str | Path, start: Sequence[str] = (sys.executable, "-m", "linkworth")
    ) -> subprocess.Popen[str]:
        """Start it without waiting."""
        return subprocess.Popen(
            [*start, *map(str, arguments)],
            cwd=self.folder,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(
        self, *arguments: str | Path, timeout: float = PATIENCE, **options: Sequence[str]
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end; a process that is still there after `timeout` seconds fails the test."""
        process = self.start(*arguments, **options)
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)
