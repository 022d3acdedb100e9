"""Parquet files with one row for each event, for DuckDB, pandas, Polars and Spark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from linkworth import _engine
from linkworth.errors import EnvironmentLacksError
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.model.trace import CallSite
from linkworth.trace.read import TraceFile
from linkworth.writing.text import encodable

BATCH_ROWS = 1 << 16
ROW_GROUP_ROWS = 1 << 17
"""Least rows of a row group, except the last and those of many bytes: a growing group is in memory."""
ROW_GROUP_BYTES = 1 << 28
"""Bytes of rows in memory that are a row group, however few they are."""

_TIMES = ("start_ns", "duration_ns", "gap_ns")
_LISTS = (
    "requests",
    "matched_peers",
    "matched_tags",
    "send_counts",
    "recv_counts",
    "members",
    "remote_members",
    "sources",
    "destinations",
    "partition_list",
)
_PLACES = ("site", "function", "source_line")
"""Columns for the place in the program where a call is made."""
MODES = ("wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome")


def write(trace: TraceFile, output: Path, options: ConversionOptions) -> ConversionSummary:
    """Write one file, rank after rank, a row group at a time.

    Raises EnvironmentLacksError if pyarrow is missing.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise EnvironmentLacksError(
            f"`to` parquet needs pyarrow ({error}); install it: pip install 'linkworth[parquet]'"
        ) from None
    schema = _schema(pyarrow, trace)
    plain = [name for name in schema.names if name in _TIMES]
    rows = 0
    try:
        # pyarrow accepts only names in UTF-8, so it gets an open file.
        with (
            output.open("wb") as opened,
            pyarrow.parquet.ParquetWriter(
                opened,
                schema,
                compression="zstd",
                use_dictionary=[name for name in schema.names if name not in plain],
                column_encoding=dict.fromkeys(plain, "DELTA_BINARY_PACKED"),
            ) as file,
        ):
            for group in _row_groups(pyarrow, trace.engine, _words(pyarrow, trace), schema):
                file.write_table(group, row_group_size=group.num_rows)
                rows += group.num_rows
    except OSError as error:
        raise _engine.TraceWriteError(f"{output} cannot be written: {error.strerror or error}") from None
    return ConversionSummary(ranks=trace.engine.ranks, records=rows, bytes=output.stat().st_size)


def _schema(pa: Any, trace: TraceFile) -> Any:  # noqa: ANN401 (pyarrow is loaded late)
    word = pa.dictionary(pa.int32(), pa.string())
    columns = [("rank", pa.int32()), ("thread", pa.int32()), *((name, pa.int64()) for name in _TIMES)]
    columns += [
        ("cpu_ns", pa.int64()),
        ("call", word),
        *((name, word) for name in _PLACES),
        ("class", word),
        ("mode", word),
        ("request", pa.int64()),
    ]
    for name in _engine.call_fields():
        columns.append((name, pa.bool_() if name == "found" else pa.int64()))
    for name in _LISTS:
        columns.append((name, pa.list_(pa.int64())))
    return pa.schema(columns, metadata={"linkworth": trace.engine.metadata_json})


class _Words(NamedTuple):
    """Strings of a column, and the index of the string for each number of an event (-1: none)."""

    dictionary: Any
    number_of: Any


def _words(pa: Any, trace: TraceFile) -> dict[str, _Words]:  # noqa: ANN401
    import numpy as np

    def words(values: list[str]) -> _Words:
        known = {value: number for number, value in enumerate(dict.fromkeys(filter(None, values)))}
        numbers = np.array([known.get(value, -1) for value in values], dtype="int32")
        return _Words(pa.array(list(map(encodable, known)), pa.string()), numbers)

    sites = [entry.partition("@")[2] for entry in trace.engine.entries]
    places = [trace.metadata.call_sites.get(site, CallSite()) for site in sites]
    return {
        "call": words(trace.engine.names),
        "class": words(_engine.class_names()),
        "mode": words(list(MODES)),
        "site": words(sites),
        "function": words([place.function for place in places]),
        "source_line": words([f"{place.file}:{place.line}" if place.file else "" for place in places]),
    }


def _row_groups(pa: Any, trace: _engine.Trace, words: dict[str, _Words], schema: Any) -> Iterator[Any]:  # noqa: ANN401
    waiting: list[Any] = []
    rows = size = 0
    for rank in range(trace.ranks):
        columns = _engine.EventColumns(trace, rank)
        while len((batch := columns.next(BATCH_ROWS))["call"]):
            batch.update(dict.fromkeys(_PLACES, batch["entry"]))
            arrays = [_array(pa, field, rank, batch, words) for field in schema]
            waiting.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
            rows += waiting[-1].num_rows
            size += waiting[-1].nbytes
            if rows >= ROW_GROUP_ROWS or size >= ROW_GROUP_BYTES:
                yield pa.Table.from_batches(waiting)
                waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _array(pa: Any, field: Any, rank: int, batch: dict[str, Any], words: dict[str, _Words]) -> Any:  # noqa: ANN401
    rows = len(batch["call"])
    if field.name == "rank":
        return pa.repeat(pa.scalar(rank, field.type), rows)
    value = batch[field.name]
    if value is None:
        return pa.nulls(rows, field.type)
    if field.name in _LISTS:
        offsets, values = value
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
    mask = None
    if isinstance(value, tuple):
        value, present = value
        mask = present == 0
    if field.name in words:
        numbers = words[field.name].number_of[value]
        mask = numbers < 0 if mask is None else mask | (numbers < 0)
        return pa.DictionaryArray.from_arrays(pa.array(numbers, mask=mask), words[field.name].dictionary)
    return pa.array(value, mask=mask).cast(field.type)
