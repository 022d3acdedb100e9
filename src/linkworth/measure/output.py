"""Stores a job's output: all of it in a file, its end in memory, and a copy for an observer."""

import contextlib
from pathlib import Path

from linkworth.places.job import Observer, Stream

KEPT_BYTES = 1 << 20
"""Bytes of each stream's end that are kept for the parsers."""


class OutputStore:
    """An observer that writes output to a file and remembers its end.

    If the file can no longer be written (a full disk), the job goes on and `lost` gives the reason.
    """

    def __init__(self, path: Path | None, watcher: Observer | None, *, hold_stderr: bool = False) -> None:
        self.watcher = watcher
        self.lost = ""
        self._hold_stderr = hold_stderr
        self._ends: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self._file = None if path is None else path.open("wb", buffering=0)

    def output(self, stream: Stream, data: bytes) -> None:
        """Process the job's output."""
        end = self._ends[stream]
        end += data
        if len(end) > 2 * KEPT_BYTES:
            del end[:-KEPT_BYTES]
        if self._file:
            try:
                self._file.write(data)
            except OSError as error:
                self.lost = f"the program's output is not complete in {self._file.name}: {error.strerror}"
                self.close()
        if self.watcher and not (self._hold_stderr and stream == "stderr"):
            self.watcher.output(stream, data)

    def release_stderr(self) -> None:
        """Forward the delayed standard error."""
        if self._hold_stderr and self.watcher and self._ends["stderr"]:
            self.watcher.output("stderr", bytes(self._ends["stderr"]))

    def tick(self, seconds: float) -> None:
        """Forward the time."""
        if self.watcher:
            self.watcher.tick(seconds)

    def text(self, stream: Stream) -> str:
        """Return the end of a stream."""
        return self._ends[stream].decode(errors="replace")

    def close(self) -> None:
        """Close the file."""
        if self._file:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None
