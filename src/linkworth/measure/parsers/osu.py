"""Output of the OSU micro-benchmarks, versions 3 to 7: point-to-point, several pairs, one-sided, collectives (also
`-f`).

Columns and units as the benchmarks print them (https://mvapich.cse.ohio-state.edu/benchmarks/, read 2026-11-22): times in
microseconds; MB is 10^6 bytes.
"""

import re

from linkworth.measure.parsers.numbers import number, whole
from linkworth.model.bench import BenchResult, BenchRow

_TITLE = re.compile(
    r"^\s*#\s*OSU (?:(?:MPI|OpenSHMEM|UPC\+*|NCCL)(?:-(?P<device>\w+))?\s+)?(?P<test>.+?)\s+Test v(?P<version>[\d.]+)\s*$"
)
_PAIRS = re.compile(r"^\s*#\s*\[\s*pairs:\s*(?P<pairs>\d+)\s*\]\s*\[\s*window size:\s*(?P<window>\w+)")
_FACT = re.compile(
    r"^\s*#\s*(?P<name>Datatype|Window creation|Synchronization|Number of [\w ]+):\s*(?P<value>.+?)\.?\s*$"
)
_COLUMNS = re.compile(
    r"size|(?:avg |min |max )?latency ?\(us\)|bandwidth ?\(mb/s\)|p(?:50|90|95|99) tail (?:lat|bw) ?\((?:us|mb/s)\)|"
    r"mb/s|messages/s|iterations|overall ?\(us\)|compute ?\(us\)|coll\. init ?\(us\)|mpi_test ?\(us\)|mpi_wait ?\(us\)|"
    r"pure comm\. ?\(us\)|overlap ?\(%\)|validation",
    re.IGNORECASE,
)
_TESTS = {
    "latency": "latency",
    "bandwidth": "bandwidth",
    "bi-directional bandwidth": "bibandwidth",
    "multiple bandwidth / message rate": "multipair",
    "multi latency": "multilatency",
    "multi-threaded latency": "latency_threads",
    "multi-process latency": "latency_processes",
}
_COLLECTIVES = {
    "all-to-all personalized exchange": "alltoall",
    "all-to-all": "alltoall",
    "all-to-allv personalized exchange": "alltoallv",
    "all-to-allv": "alltoallv",
    "all-to-allw personalized exchange": "alltoallw",
    "all-to-allw": "alltoallw",
    "broadcast": "bcast",
}


def recognises(text: str) -> bool:
    """Return whether a text has the heading of an OSU benchmark."""
    return any(_TITLE.match(line) for line in text.splitlines())


def parse(text: str) -> list[BenchResult]:
    """Read every benchmark of a text, in its order, without those that printed no row."""
    results = []
    lines = text.splitlines()
    starts = [index for index, line in enumerate(lines) if _TITLE.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        result = _one(lines[start:end])
        if result is not None:
            results.append(result)
    return results


def _one(lines: list[str]) -> BenchResult | None:
    title = _TITLE.match(lines[0])
    assert title is not None
    test = _test_name(title["test"])
    columns: list[str] = []
    rows: list[BenchRow] = []
    facts: dict[str, str] = {}
    warnings: list[str] = []
    if title["device"]:
        warnings.append(
            f"its messages are from the memory of GPUs ({title['device']}); those from the memory of CPUs take other times"
        )
    # The number of ranks of a collective is not printed.
    ranks = 2 if test in _TESTS.values() or test.startswith("mpi_") else 0
    label = ""
    for line in lines[1:]:
        if pairs := _PAIRS.match(line):
            label, ranks = pairs["pairs"], 2 * int(pairs["pairs"])
            facts["window"] = pairs["window"]
        elif fact := _FACT.match(line):
            facts[fact["name"].lower()] = fact["value"]
        elif line.lstrip().startswith("#"):
            named = _named_columns(line)
            columns = named or columns
        elif columns and (row := _row(line, columns, test, label)) is not None:
            rows.append(row)
            if line.split()[-1].lower() == "fail":
                warnings.append(f"the benchmark found wrong data at {row.bytes} bytes")
    if not rows:
        return None
    return BenchResult(
        test=test, rows=rows, ranks=ranks, tool=f"OSU {title['version']}", facts=facts, warnings=warnings
    )


def _test_name(title: str) -> str:
    name = title.lower()
    if name in _TESTS:
        return _TESTS[name]
    name = name.removesuffix(" latency")
    immediate = name.startswith(("non-blocking ", "nonblocking "))
    for prefix in ("non-blocking ", "nonblocking "):
        name = name.removeprefix(prefix)
    name = _COLLECTIVES.get(name) or re.sub(r"[^a-z0-9]+", "_", name).strip("_")
    return f"i{name}" if immediate else name


def _named_columns(line: str) -> list[str]:
    """Return the columns of a heading; [] for any other comment."""
    heading = line.lstrip("# \t")
    names = [name.lower().replace(" (", "(") for name in _COLUMNS.findall(heading)]
    left = _COLUMNS.sub("", heading).strip()
    return names if names and not left else []


def _row(line: str, columns: list[str], test: str, label: str) -> BenchRow | None:
    """Return the row of a line with one number for each column; None for anything else (a library's warning)."""
    words = line.split()
    if len(words) != len(columns):
        return None
    cells = dict(zip(columns, words, strict=True))
    size = whole(cells["size"]) if "size" in cells else 0
    values = {name: number(word) for name, word in cells.items() if name not in {"size", "validation"}}
    if size is None or None in values.values():
        return None
    known = {name: value for name, value in values.items() if value is not None}
    micro = {name[:-4]: value * 1e-6 for name, value in known.items() if name.endswith("(us)")}
    mean = micro.get("avg latency", micro.get("latency", micro.get("overall")))
    rate = known.get("bandwidth(mb/s)", known.get("mb/s"))
    if mean is None and rate is None:
        return None
    # A collective ends with its slowest rank; -f prints that rank's mean.
    slowest = micro.get("max latency", mean)
    return BenchRow(
        bytes=size,
        latency_seconds=slowest,
        bandwidth_bytes_per_second=None if rate is None else rate * 1e6,
        samples=int(known.get("iterations", 0)),
        label=label,
        mean=mean,
        median=micro.get("p50 tail lat"),
        minimum=micro.get("min latency"),
        p99=micro.get("p99 tail lat"),
    )
