"""Results of network benchmarks in a file: linkworth's own, or other tools' output, recognised by content."""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.errors import UsageError
from linkworth.measure.parsers import hpcc, imb, netpipe, osu, ucx_perftest
from linkworth.model.bench import BenchResult
from linkworth.model.json_errors import JSON_ERRORS, in_words
from linkworth.model.number_range import BYTES_PER_SECOND, LATENCY_SECONDS
from linkworth.reading import read_text

LONGEST_MESSAGE_BYTES = 1 << 50
MOST_BYTES = 64 << 20
"""Largest file of a benchmark's output."""


_TAG = re.compile(r"^(?:\[\S*\d,\d+\]<std(?:out|err)>:? ?| *\d+: ?|\[\d+\] ?)", re.M)
"""Rank before each line: mpirun --tag-output, srun --label, mpiexec -prepend-rank."""
_TAGGED_HEADING = re.compile(_TAG.pattern + r"\s*#", re.M)
_JSON = re.compile(r"\s*(?:\{|\[\s*\{)")


class Tool(NamedTuple):
    """One tool with readable output."""

    name: str
    recognises: Callable[[str], bool]
    parse: Callable[[str], list[BenchResult]]


TOOLS = [
    Tool("OSU micro-benchmarks (`# OSU MPI Latency Test v7.4`)", osu.recognises, osu.parse),
    Tool("Intel MPI Benchmarks (`# Benchmarking PingPong`)", imb.recognises, imb.parse),
    Tool("HPCC's hpccoutf.txt", hpcc.recognises, hpcc.parse),
    Tool("ucx_perftest's tables", ucx_perftest.recognises, ucx_perftest.parse),
    Tool("NetPIPE's screen or np.out", netpipe.recognises, netpipe.parse),
]


class _Set(msgspec.Struct):
    results: list[BenchResult]


def read(path: Path) -> list[BenchResult]:
    """Return the results in a file, in its order. A result without a date gets that of the file's last change.

    Raises UsageError for a file that cannot be read, that no known tool wrote, or that has no complete row.
    """
    text = _text(path)
    if _TAGGED_HEADING.search(text):
        text = _TAG.sub("", text)
    if _JSON.match(text):
        return [_dated(_possible(result, path), path) for result in _own(text, path)]
    tool = next((tool for tool in TOOLS if tool.recognises(text)), None)
    if tool is None:
        known = "; ".join(tool.name for tool in TOOLS)
        raise UsageError(
            f"{path}: no benchmark's output that is known here; it looks for the JSON document of `linkworth bench`; {known}; "
            "give the tool's whole output, with its heading"
        )
    results = tool.parse(text)
    if not results:
        raise UsageError(
            f"{path}: it has the heading of {tool.name} but no complete row of results; run the benchmark again and keep its "
            "whole output"
        )
    return [_dated(_possible(result, path), path) for result in results]


def _possible(result: BenchResult, path: Path) -> BenchResult:
    """Raise UsageError for an impossible figure."""
    for row in result.rows:
        bandwidth, half_width = row.bandwidth_bytes_per_second, row.confidence_half_width
        times = {"latency": row.latency_seconds, "mean": row.mean, "median": row.median}
        if not 0 <= row.bytes <= LONGEST_MESSAGE_BYTES:
            raise UsageError(f"{path}: a message of {row.bytes} bytes; no benchmark sends such a message")
        for name, seconds in times.items():
            if seconds is not None and seconds not in LATENCY_SECONDS:
                raise UsageError(
                    f"{path}: a {name} of {seconds:g} s at {row.bytes} bytes; it must be {LATENCY_SECONDS}"
                )
        if half_width is not None and not 0 <= half_width < math.inf:
            raise UsageError(
                f"{path}: a confidence_half_width of {half_width:g} at {row.bytes} bytes; it must be finite and not below 0"
            )
        if bandwidth is not None and bandwidth != 0 and bandwidth not in BYTES_PER_SECOND:
            raise UsageError(
                f"{path}: a bandwidth of {bandwidth:g} bytes/s at {row.bytes} bytes; it must be {BYTES_PER_SECOND}"
            )
    return result


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: longer than {MOST_BYTES >> 20} MiB; give the output of a benchmark")
        return read_text(path, errors="replace")
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); give the file of a benchmark's output"
        ) from error


def _own(text: str, path: Path) -> list[BenchResult]:
    what_to_do = "give the JSON document that `linkworth bench` printed"
    try:
        document = msgspec.json.decode(text)
        single = isinstance(document, dict) and "rows" in document
        if isinstance(document, list):
            results = msgspec.convert(document, list[BenchResult])
        elif single:
            results = [msgspec.convert(document, BenchResult)]
        else:
            results = msgspec.convert(document, _Set).results
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: no result of a benchmark ({in_words(error)}); {what_to_do}") from error
    except JSON_ERRORS as error:
        raise UsageError(f"{path}: not JSON or cut short ({error}); {what_to_do}") from error
    wrong = next((result.schema for result in results if result.schema != "linkworth.bench/1"), None)
    if wrong is not None:
        raise UsageError(f"{path}: its schema is {wrong}, linkworth.bench/1 is read; {what_to_do}")
    if not any(result.rows for result in results):
        raise UsageError(f"{path}: a benchmark without a row of results; {what_to_do}")
    return [result for result in results if result.rows]


def _dated(result: BenchResult, path: Path) -> BenchResult:
    if result.date:
        return result
    changed = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC).date().isoformat()
    return msgspec.structs.replace(result, date=changed)
