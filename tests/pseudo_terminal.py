"""A program whose standard error is a terminal."""

import os
import pty
import subprocess
import sys


def on_a_terminal(program: str) -> tuple[str, str]:
    """Run Python code; return its standard output, and what a terminal of 80 columns got of its errors."""
    controller, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        check=True,
    )
    os.close(terminal)
    shown = os.read(controller, 1 << 16).decode()
    os.close(controller)
    return done.stdout, shown
