"""Output of the Intel MPI Benchmarks (IMB-MPI1, IMB-P2P, IMB-NBC, IMB-RMA), versions 3 to 2021.

Format and definitions: Intel MPI Benchmarks User Guide and Methodology Description, "Output" and "Single Transfer
Benchmarks" (read 2026-11-22). Bandwidths are computed from bytes and times, since the benchmarks' own megabyte was 2^20
bytes up to version 4 and is 10^6 since.
"""

import re

from linkworth.measure.parsers.numbers import number, whole
from linkworth.model.bench import BenchResult, BenchRow

_SUITE = re.compile(r"^\s*#\s*Intel ?\(R\) MPI Benchmarks (?P<version>[\w.]+)")
_TITLE = re.compile(r"^\s*#\s*Benchmarking\s+(?P<test>\w[\w-]*)")
_RANKS = re.compile(r"^\s*#\s*#processes\s*=\s*(?P<ranks>\d+)")
_DATE = re.compile(r"^\s*#\s*Date\s*:\s*(?P<date>.+?)\s*$")
_ASCTIME = re.compile(r"\w{3} (?P<month>\w{3}) +(?P<day>\d{1,2}) [\d:]{8} (?P<year>\d{4})")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_HEADING = re.compile(r"^\s*#(?:bytes|repetitions)\b")
_TESTS = {"pingpong": "latency", "pingping": "pingping", "uniband": "bandwidth", "biband": "bibandwidth"}
_OF_SEVERAL_PAIRS = {"bandwidth": "multipair", "bibandwidth": "bimultipair"}
"""Tests in which the first half of more than two ranks exchanges with the second; the rate is that of all pairs."""
_MESSAGES_A_STEP = {"latency": 1, "pingping": 1, "sendrecv": 2, "exchange": 4}
"""Messages that one rank sends or receives in the printed time (User Guide, `Parallel Transfer`)."""


def recognises(text: str) -> bool:
    """Return whether a text has a benchmark's heading and its columns."""
    lines = text.splitlines()
    return any(map(_TITLE.match, lines)) and any(map(_HEADING.match, lines))


def parse(text: str) -> list[BenchResult]:
    """Read every table of a text; each number of processes is a separate result."""
    results = []
    version = next((found["version"] for line in text.splitlines() if (found := _SUITE.match(line))), "")
    date = next((_iso(found["date"]) for line in text.splitlines() if (found := _DATE.match(line))), "")
    test, ranks = "", 0
    columns: list[str] = []
    rows: list[BenchRow] = []
    for line in [*text.splitlines(), "# Benchmarking end"]:
        if title := _TITLE.match(line):
            if test and rows:
                several = _OF_SEVERAL_PAIRS.get(test, test) if ranks > 2 else test
                results.append(
                    BenchResult(
                        test=several, rows=rows, ranks=ranks, tool=f"IMB {version}".strip(), date=date
                    )
                )
            name = title["test"].lower()
            test, ranks, columns, rows = _TESTS.get(name, name), 0, [], []
        elif found := _RANKS.match(line):
            ranks = int(found["ranks"])
        elif _HEADING.match(line):
            columns = line.split()
        elif columns and (row := _row(line, columns, test)) is not None:
            rows.append(row)
    return results


def _iso(date: str) -> str:
    """Return `Tue Aug 30 10:34:08 2016` as 2016-08-30; "" for any other text."""
    found = _ASCTIME.fullmatch(date)
    if found is None or found["month"] not in _MONTHS:
        return ""
    return f"{found['year']}-{_MONTHS.index(found['month']) + 1:02}-{int(found['day']):02}"


def _row(line: str, columns: list[str], test: str) -> BenchRow | None:
    words = line.split()
    if len(words) != len(columns):
        return None
    cells = dict(zip(columns, words, strict=True))
    size = whole(cells.get("#bytes", "0"))
    samples = whole(cells.get("#repetitions", "0"))
    values = {name.lower(): number(word) for name, word in cells.items()}
    if size is None or samples is None or None in values.values():
        return None
    known = {name: value for name, value in values.items() if value is not None}
    mean = known.get("t[usec]", known.get("t_avg[usec]", known.get("t_ovrl[usec]")))
    slowest = known.get("t_max[usec]", mean)
    seconds = None if slowest is None else slowest * 1e-6
    rate = known.get("msg/sec")
    messages = _MESSAGES_A_STEP.get(test)
    bandwidth = None
    if seconds and messages:
        bandwidth = messages * size / seconds
    elif rate is not None:
        bandwidth = rate * size
    if seconds is None and bandwidth is None:
        return None
    return BenchRow(
        bytes=size,
        latency_seconds=seconds,
        bandwidth_bytes_per_second=bandwidth,
        samples=samples,
        mean=None if mean is None else mean * 1e-6,
        minimum=known["t_min[usec]"] * 1e-6 if "t_min[usec]" in known else None,
    )
