"""Output of NetPIPE: the file `np.out` and the screen, versions 2 to 5.

Formats: NetPIPE 3.7.2 (Debian's `NPopenmpi`, run 2026-11-22) and the print statements of NetPIPE 5 (read 2026-11-22). All
versions print the time of one message in one direction. The bandwidth is computed from it, since version 3 prints
megabits of 2^20 bits and version 5 of 10^6. The output lacks the options for both directions at once (`-2`, `--bidir`)
and for one direction only (`-s`, `--stream`): use runs without them.
"""

import re
from collections.abc import Callable

from linkworth.measure.parsers.numbers import number, whole
from linkworth.model.bench import BenchResult, BenchRow

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SCREEN = re.compile(
    r"^\s*\d+:\s+(?P<size>[\d.]+)\s+(?P<unit>bytes|B|KB|MB|GB|TB)\s+(?P<times>\d+) times -->\s+"
    r"[\d.]+\s+[KMGT]?bps\s+in\s+(?P<time>[\d.]+)\s+(?P<scale>sec|secs|msecs|usec|usecs|nsecs)\b"
)
_BYTES = {"bytes": 1.0, "B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_SECONDS = {"sec": 1.0, "secs": 1.0, "msecs": 1e-3, "usec": 1e-6, "usecs": 1e-6, "nsecs": 1e-9}
_FILE_3 = re.compile(r"^\s*(?P<size>\d+)\s+(?P<rate>[\d.]+)\s+(?P<time>\d*\.\d+)\s*$")
_FILE_5 = re.compile(
    r"^\s*(?P<size>\d+)\s+(?P<rate>[\d.]+)\s+[\d.]+\s+[\d.]+\s+(?P<time>[\d.]+)(?:\s+[\d.]+ (?:GB/sec|GFlops))?\s*$"
)
_MEGABIT = 1 << 20
_NEAR = 0.3


def recognises(text: str) -> bool:
    """Return whether a text is NetPIPE's screen, or consists only of the lines of `np.out`."""
    lines = [line for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    if any(map(_SCREEN.match, lines)):
        return True
    return bool(lines) and (_is_file(lines, _file_3) or _is_file(lines, _file_5))


def parse(text: str) -> list[BenchResult]:
    """Read the one test of a run; a truncated last line of `np.out` is left out."""
    lines = [line for line in _COLOUR.sub("", text).splitlines() if line.strip()]
    screen = [row for line in lines if (row := _screen_row(line)) is not None]
    reader = _file_3 if _is_file(lines, _file_3) else _file_5
    rows = screen or [row for line in lines if (row := reader(line)) is not None]
    if not rows:
        return []
    return [BenchResult(test="pingpong", rows=rows, tool="NetPIPE")]


def _is_file(lines: list[str], reader: Callable[[str], BenchRow | None]) -> bool:
    complete = lines[:-1] if len(lines) > 1 else lines
    return all(reader(line) is not None for line in complete)


def _screen_row(line: str) -> BenchRow | None:
    found = _SCREEN.match(line)
    size = number(found["size"]) if found else None
    time = number(found["time"]) if found else None
    if found is None or size is None or time is None:
        return None
    return _row(round(size * _BYTES[found["unit"]]), time * _SECONDS[found["scale"]], int(found["times"]))


def _file_3(line: str) -> BenchRow | None:
    """Read bytes, megabits per second, seconds; all three must agree, to exclude other tables of numbers."""
    figures = _figures(_FILE_3, line)
    if figures is None:
        return None
    size, rate, time = figures
    if abs(rate - size * 8 / time / _MEGABIT) > _NEAR * rate:
        return None
    # The time has eight decimals, so only two digits for a short message; the rate has more.
    return _row(size, size * 8 / rate / _MEGABIT if size and rate else time)


def _file_5(line: str) -> BenchRow | None:
    """Read bytes, the mean, least and most gigabits per second, and microseconds."""
    figures = _figures(_FILE_5, line)
    if figures is None:
        return None
    size, rate, time = figures
    expected = size * 8e-9 / (time * 1e-6)
    if abs(rate - expected) > _NEAR * max(rate, expected) and expected > 0.01:
        return None
    return _row(size, time * 1e-6)


def _figures(pattern: re.Pattern[str], line: str) -> tuple[int, float, float] | None:
    """Return the size, the rate and the time of a line; None for one that lacks any."""
    found = pattern.match(line)
    size, rate, time = (
        (whole(found["size"]), number(found["rate"]), number(found["time"])) if found else (None,) * 3
    )
    return None if size is None or rate is None or not time else (size, rate, time)


def _row(size: int, seconds: float, samples: int = 0) -> BenchRow | None:
    if seconds <= 0:
        return None
    return BenchRow(
        bytes=size,
        latency_seconds=seconds,
        bandwidth_bytes_per_second=size / seconds,
        samples=samples,
        mean=seconds,
    )
