"""The real command line, run as a shell runs it."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class LinkworthCommand:
    """Calls `linkworth` in a folder of the test's own."""

    folder: Path

    def __call__(self, *arguments: str | Path, timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "linkworth", *map(str, arguments)],
            cwd=self.folder,
            timeout=timeout,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
