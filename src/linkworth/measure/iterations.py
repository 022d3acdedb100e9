"""Seconds of each iteration, from a program's output."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from linkworth.errors import UsageError
from linkworth.measure.parsers.numbers import cut_number
from linkworth.places.job import Observer, Stream

ASK = "LINKWORTH_ITERATIONS"
"""Variable that makes the bundled programs print the time of each iteration, in lines that begin with OWN."""
OWN = b"linkworth-iterations:"
LONGEST_LINE = 1 << 16
"""Longest line, in bytes, about an iteration."""

# WRF 4: `Timing for main: time 2001-10-25_00:03:00 on domain   1:    0.05310 elapsed seconds`, perhaps with
# `(dt= 72.00)` behind `main`. The time of a domain includes that of the domains nested in it.
_WRF = re.compile(r"Timing for main.*?on domain\s+(\d+):\s+(\d+\.?\d*(?:E[+-]?\d+)?)\s+elapsed seconds")
_JSON = re.compile(r'"iteration_seconds":\s*\[([-+\d.eE,\s]*)\]')
WRF_FILES = ("rsl.error.0000", "rsl.out.0000")
"""Files of WRF's first rank in a run on several."""


class FoundIterations(NamedTuple):
    """Times of iterations, by source."""

    asked: list[float]
    """Times found by the user's own pattern."""
    own: list[float]
    wrf: dict[int, list[float]]
    """Times by domain."""

    def best(self) -> list[float]:
        """Return the times of the user's pattern, else the program's; for WRF those of the outermost domain."""
        return self.asked or self.own or (self.wrf[min(self.wrf)] if self.wrf else [])


def pattern(text: str) -> re.Pattern[str]:
    """Compile the user's pattern. Raises UsageError if it is invalid or does not have exactly one group."""
    try:
        compiled = re.compile(text)
    except re.error as error:
        raise UsageError(f"`iterations` '{text}' is no regular expression: {error}") from None
    if compiled.groups != 1:
        raise UsageError(
            f"`iterations` '{text}' has {compiled.groups} groups; put the seconds, and only those, into one: "
            r"'step took ([\d.]+) s'"
        )
    return compiled


class IterationReader:
    """An observer that reads the times from the output as it arrives, and forwards the output.

    Lines of the bundled programs that are only for linkworth are not forwarded.
    """

    def __init__(self, inner: Observer, asked: re.Pattern[str] | None = None, *, own: bool = False) -> None:
        self._inner = inner
        self._asked = asked
        self._own = own
        self._rest: dict[Stream, bytes] = {"stdout": b"", "stderr": b""}
        self._held = b""
        self._cut = ""
        self.found = FoundIterations([], [], {})

    def output(self, stream: Stream, data: bytes) -> None:
        """Process the job's output."""
        if self._own and stream == "stdout":
            # Split into whole lines, so that none of ours is forwarded in part.
            *lines, self._held = (self._held + data).split(b"\n")
            kept = [line for line in lines if not self._is_own(line)]
            data = b"".join(line + b"\n" for line in kept)
            if len(self._held) > LONGEST_LINE and not self._held.startswith(OWN):
                data, self._held = data + self._held, b""
        if data:
            self._read(stream, data)
            self._inner.output(stream, data)

    def tick(self, seconds: float) -> None:
        """Forward the time."""
        self._inner.tick(seconds)

    def finish(self) -> list[float]:
        """Process the last line, which may lack its end, and return the times in order."""
        held, self._held = self._held, b""
        if held and not self._is_own(held):
            self._read("stdout", held)
            self._inner.output("stdout", held)
        for rest in self._rest.values():
            self._line(rest)
        if self._cut:
            self.found.asked.clear()
        return self.found.best()

    def unmatched(self) -> str:
        """Return a sentence if no line had a time by the user's pattern, or one had a part of a number, else ""."""
        if self._asked is None or self.found.asked:
            return ""
        if self._cut:
            return f"the pattern '{self._asked.pattern}' cuts the number {self._cut!r}; let its group match all of it"
        return f"no line of the output has the seconds of an iteration by the pattern '{self._asked.pattern}'"

    def _is_own(self, line: bytes) -> bool:
        if not line.startswith(OWN):
            return False
        self.found.own.extend(numbers(line[len(OWN) :].decode(errors="replace").split()))
        return True

    def _read(self, stream: Stream, data: bytes) -> None:
        *lines, rest = (self._rest[stream] + data).split(b"\n")
        for line in lines:
            self._line(line)
        self._rest[stream] = rest if len(rest) <= LONGEST_LINE else b""

    def _line(self, line: bytes) -> None:
        if b"Timing for main" not in line and self._asked is None and b"iteration_seconds" not in line:
            return
        text = line.decode(errors="replace")
        if self._asked is not None:
            match = self._asked.search(text)
            if match and match[1]:
                self._cut = self._cut or cut_number(match)
                self.found.asked.extend(numbers([match[1]]))
        read_line(text, self.found)


def read_line(text: str, found: FoundIterations) -> None:
    """Add the times in one line of a known program."""
    wrf = _WRF.search(text)
    if wrf:
        found.wrf.setdefault(int(wrf[1]), []).extend(numbers([wrf[2]]))
    document = _JSON.search(text)
    if document:
        # The last of several documents in one output counts, as with the other results.
        found.own[:] = numbers(document[1].replace(",", " ").split())


def from_wrf_files(folder: Path, since: float) -> list[float]:
    """Read the times from files written by WRF's first rank in a folder after `since` (seconds since the epoch)."""
    for name in WRF_FILES:
        file = folder / name
        found = FoundIterations([], [], {})
        try:
            # Compare whole seconds: some file systems store no finer time.
            if file.stat().st_mtime < int(since):
                continue
            with file.open(errors="replace") as lines:
                for line in lines:
                    read_line(line, found)
        except OSError:
            continue
        if found.wrf:
            return found.best()
    return []


def numbers(words: Sequence[str]) -> list[float]:
    """Return the words that are finite times, without asterisks (a number that did not fit its field)."""
    result = []
    for word in words:
        try:
            value = float(word)
        except ValueError:
            continue
        if 0 <= value < float("inf"):
            result.append(value)
    return result
