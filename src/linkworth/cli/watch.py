"""Shows a running job on the terminal: its output, and the elapsed time if nobody else reads it."""

import sys
from typing import BinaryIO

from linkworth.cli.output import is_live, silence
from linkworth.places.job import Stream
from linkworth.writing.text import printable


class TerminalWatch:
    """Forwards output, and keeps one line of elapsed time on a terminal's standard error."""

    def __init__(self, label: str, *, output_to_stderr: bool) -> None:
        self._label = label
        self._streams: dict[Stream, BinaryIO] = {
            "stdout": sys.stderr.buffer if output_to_stderr else sys.stdout.buffer,
            "stderr": sys.stderr.buffer,
        }
        self._failed: list[BinaryIO] = []
        self._live = is_live()
        self._shown = ""
        self._at_line_start = True

    def output(self, stream: Stream, data: bytes) -> None:
        """Forward the job's output.

        Neither a closed reader nor a full disk stops the job. After that, the answer fails.
        """
        self.clear()
        file = self._streams[stream]
        if file in self._failed:
            return
        try:
            file.write(data)
            file.flush()
        except BrokenPipeError:
            silence(file)
        except OSError:
            self._failed.append(file)
        self._at_line_start = data.endswith(b"\n")

    def tick(self, seconds: float) -> None:
        """Show the elapsed time, once a second."""
        if not self._live or not self._at_line_start or seconds < 1:
            return
        text = f"{self._label}  {int(seconds) // 60}:{int(seconds) % 60:02d}"
        if text != self._shown:
            sys.stderr.write(f"\r\x1b[2K{printable(text)}")
            sys.stderr.flush()
            self._shown = text

    def clear(self) -> None:
        """Remove the line of elapsed time."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = ""
