"""Output of UCX's `ucx_perftest`: its tables, one message size in each run.

Format: UCX 1.13 of Debian 12, run 2026-11-22, and 1.16 to 1.18 as published in the project's issues (openucx/ucx
9587, 10532, 10649). Times are in microseconds; MB is 2^20 bytes. Only the side that waits for the connection prints
the test's name and size. Append its output to the other's; else the size is computed from bandwidth and message rate.
"""

import re

from linkworth.measure.parsers.numbers import number
from linkworth.model.bench import BenchResult, BenchRow

_HEADING = re.compile(
    r"^\|.*\|\s*(?P<what>latency|overhead) \(usec\)\s*\|\s*bandwidth \(MB/s\)\s*\|\s*message rate \(msg/s\)"
)
_PERCENTILE = re.compile(r"^\|\s*Stage\s*\|.*?\|\s*(?P<percentile>[\d.]+)%ile\s*\|")
_FINAL = re.compile(r"^Final:\s+(?P<numbers>[\d.\s]+?)\s*$")
_SIZE = re.compile(r"^\|\s*Message size:\s*(?P<bytes>\d+)\s*\|")
_TEST = re.compile(r"^\|\s*Test:\s*(?P<test>.+?)\s*\|\s*$")
_MEGABYTE = 1 << 20
_TESTS = {"latency": "latency", "overhead": "bandwidth"}


def recognises(text: str) -> bool:
    """Return whether a text has a table of ucx_perftest."""
    return any(_HEADING.match(line) for line in text.splitlines())


def parse(text: str) -> list[BenchResult]:
    """Read the last line of every table; the tables of one kind become one result, in order of size."""
    rows: dict[str, list[BenchRow]] = {}
    facts: dict[str, str] = {}
    warnings: list[str] = []
    lines = text.splitlines()
    sizes = [int(found["bytes"]) for line in lines if (found := _SIZE.match(line))]
    names = [found["test"] for line in lines if (found := _TEST.match(line))]
    finals = sum(1 for line in lines if _FINAL.match(line))
    kind, table, is_median = "", 0, True
    for line in lines:
        if heading := _HEADING.match(line):
            kind, is_median = _TESTS[heading["what"]], True
        elif percentile := _PERCENTILE.match(line):
            is_median = number(percentile["percentile"]) == 50  # `-R 99` prints another
        elif (final := _FINAL.match(line)) and kind:
            size = sizes[table] if len(sizes) == finals else None
            row = _row(final["numbers"].split(), kind, size, is_median=is_median)
            table += 1
            if row is not None:
                rows.setdefault(kind, []).append(row)
    if len(sizes) != finals:
        warnings.append("the message sizes are worked out from bandwidth and message rate")
    if names:
        facts["ucx test"] = ", ".join(dict.fromkeys(names))
    return [
        BenchResult(
            test=test,
            rows=sorted(of_test, key=lambda row: row.bytes),
            tool="ucx_perftest",
            facts=facts,
            warnings=warnings,
        )
        for test, of_test in rows.items()
    ]


def _row(words: list[str], kind: str, size: int | None, *, is_median: bool) -> BenchRow | None:
    """Read iterations, [percentile,] average, overall; bandwidth and message rate, each average and overall."""
    numbers = [number(word) for word in words]
    if len(numbers) not in {7, 8} or None in numbers:
        return None
    known = [value for value in numbers if value is not None]
    overall, bandwidth, rate = known[-5], known[-3] * _MEGABYTE, known[-1]
    if overall <= 0 or rate <= 0:
        return None
    return BenchRow(
        bytes=_size(bandwidth, rate) if size is None else size,
        latency_seconds=overall * 1e-6 if kind == "latency" else None,
        bandwidth_bytes_per_second=bandwidth,
        samples=int(known[0]),
        mean=overall * 1e-6,
        # A stream's percentile is of the calls that post its messages, not of the messages' times.
        median=known[1] * 1e-6 if len(known) == 8 and kind == "latency" and is_median else None,
    )


def _size(bandwidth: float, rate: float) -> int:
    """Return bytes of a message: both figures are rounded, so a power of two within their error is taken."""
    size = bandwidth / rate
    error = size * (0.5 / rate) + 0.005 * _MEGABYTE / rate
    power = 1 << max(0, round(size) - 1).bit_length()
    for candidate in (power, power >> 1):
        if candidate and abs(candidate - size) <= max(error, 0.005 * size):
            return candidate
    return round(size)
