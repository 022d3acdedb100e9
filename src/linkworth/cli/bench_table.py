"""Rows of a test in the format of the OSU benchmarks: lines of `#`, then a size and its value on each line."""

from linkworth import units
from linkworth.bench.tests import TESTS
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.mpi import identify

_SIZE, _VALUE = 10, 13
_FORMS = (("_bytes_per_second", units.rate), ("_bytes", units.message_size), ("_seconds", units.duration))
"""Form of a value, by the end of its name."""


def table(result: BenchResult) -> str:
    """Return the lines, without a newline at the end."""
    test = TESTS.get(result.test)
    head = [f"# {result.tool} {result.test}" + (f": {test.title}" if test else "")]
    place = [units.plural(result.ranks, "rank")]
    if result.nodes:
        place.append(f"on {units.plural(result.nodes, 'node')}")
    if result.facts.get("nodes"):
        place.append(f"({result.facts['nodes']})")
    head.append(
        "# "
        + ", ".join(
            part
            for part in (identify.shortly(result.mpi), " ".join(place), result.where, result.date)
            if part
        )
    )
    if result.carried:
        named = (
            f" (the MPI names {result.carried.transport})"
            if result.carried.transport
            else " (the MPI names none)"
        )
        head.append(f"# carried: {result.carried.verdict}{named}")
    head += [f"# note: {warning}" for warning in result.warnings]
    tail = [f"# {_value(name, value)}" for name, value in result.values.items()]
    return "\n".join([*head, *_rows(result), *tail])


def _rows(result: BenchResult) -> list[str]:
    test = TESTS.get(result.test)
    rate_first = (
        test.shows == "bandwidth" if test else all(row.latency_seconds is None for row in result.rows)
    )
    labelled = any(row.label for row in result.rows)
    overlapping = any(row.overlap_share is not None for row in result.rows)
    columns = ["Bandwidth (MB/s)", "Time (us)"] if rate_first else ["Latency (us)"]
    columns += [
        "Median (us)",
        "+- (%)",
        "Samples",
        *(["Hidden (%)"] if overlapping else []),
        *(["Of"] if labelled else []),
    ]
    lines = [("# Size".ljust(_SIZE) + "".join(f"{name:>{_width(name)}}" for name in columns)).rstrip()]
    for row in result.rows:
        cells = _cells(row, rate_first, overlapping)
        line = f"{row.bytes:<{_SIZE}}" + "".join(
            f"{cell:>{_width(name)}}" for name, cell in zip(columns, cells, strict=False)
        )
        lines.append(line + (f"  {row.label}" if row.label else ""))
    return lines


def _width(column: str) -> int:
    return 4 if column == "Of" else max(_VALUE if "(us)" in column or "MB" in column else 0, len(column) + 2)


def _cells(row: BenchRow, rate_first: bool, overlapping: bool) -> list[str]:
    rate = row.bandwidth_bytes_per_second
    cells = [f"{rate / 1e6:.2f}" if rate is not None else "-"] if rate_first else []
    cells += [_microseconds(row.latency_seconds), _microseconds(row.median)]
    half = row.confidence_half_width
    cells += [f"{half * 100:.1f}" if half is not None else "-", str(row.samples) if row.samples else "-"]
    if overlapping:
        cells.append(f"{row.overlap_share * 100:.0f}" if row.overlap_share is not None else "")
    return cells


def _microseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e6:.2f}"


def _value(name: str, value: float) -> str:
    """Format `beff_bytes_per_second` as `beff: 1.23 GB/s`."""
    ending, form = next(
        ((ending, form) for ending, form in _FORMS if name.endswith(ending)), ("", "{:.6g}".format)
    )
    return f"{name.removesuffix(ending).replace('_', ' ')}: {form(value)}"
