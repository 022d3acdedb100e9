"""Shows a running job on the terminal: its output as it comes, and the elapsed time where nobody else can read it."""

import os
import sys
from pathlib import Path
from typing import BinaryIO

from linkworth.cli.output import is_live
from linkworth.launch.base import Stream


class TerminalWatch:
    """Passes output on, and keeps one line of elapsed time on a terminal's standard error."""

    def __init__(self, label: str, *, output_to_stderr: bool) -> None:
        self._label = label
        self._streams: dict[Stream, BinaryIO] = {
            "stdout": sys.stderr.buffer if output_to_stderr else sys.stdout.buffer,
            "stderr": sys.stderr.buffer,
        }
        self._live = is_live()
        self._shown = ""
        self._at_line_start = True

    def output(self, stream: Stream, data: bytes) -> None:
        """Pass on what the job wrote; a reader that is gone does not stop the job."""
        self.clear()
        try:
            self._streams[stream].write(data)
            self._streams[stream].flush()
        except OSError:
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), self._streams[stream].fileno())
        self._at_line_start = data.endswith(b"\n")

    def tick(self, seconds: float) -> None:
        """Show the elapsed time, once a second."""
        if not self._live or not self._at_line_start or seconds < 1:
            return
        text = f"{self._label}  {int(seconds) // 60}:{int(seconds) % 60:02d}"
        if text != self._shown:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
            self._shown = text

    def clear(self) -> None:
        """Take the line of elapsed time away."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = ""
