"""A program whose standard error is a terminal."""

import contextlib
import os
import pty
import subprocess
import sys


def on_a_terminal(program: str) -> tuple[str, str]:
    """Run Python code; return its standard output, and what a terminal of 80 columns got of its errors."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    ) as running:
        os.close(terminal)
        shown = b""
        # A read gives 4 KB at most, which is less than the bar of a slow program. The last one fails (EIO).
        with contextlib.suppress(OSError):
            while True:
                shown += os.read(controller, 1 << 16)
        assert running.stdout
        answer = running.stdout.read()
    os.close(controller)
    assert running.returncode == 0, shown
    return answer, shown.decode()
