"""Tables that other libraries read through the Arrow C stream interface (https://arrow.apache.org/docs/format/CStreamInterface.html)."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkworth.api import html
from linkworth.errors import EnvironmentLacksError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHOWN_ROWS = 10

_NULLABLE = {"int32": "Int32", "int64": "Int64", "float64": "Float64", "bool": "boolean"}
"""Types of pandas with missing values."""


def installed(name: str) -> Any:  # noqa: ANN401 (a module)
    """Return an optional library. Raises EnvironmentLacksError if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise EnvironmentLacksError(f"{name} is not installed; install it: pip install {name}") from None


class Table:
    """Named columns of equal length, each a numpy array. An array of texts has objects; None stands for no value.

    `polars.from_arrow(table)`, `pyarrow.table(table)` and `duckdb` read it without a copy by way of Python objects.
    """

    def __init__(
        self, columns: Mapping[str, "NDArray[Any] | np.ma.MaskedArray[Any, Any]"], title: str = ""
    ) -> None:
        self._columns = dict(columns)
        self.title = title
        """Description of the rows."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order. A name ends with its unit."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, column: str) -> "NDArray[Any]":
        """Return a column as a numpy array; masked where values are missing."""
        if column not in self.columns:
            raise KeyError(f"no column {column!r}; there are {', '.join(self.columns)}")
        return self._columns[column]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.rows()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dictionary of Python values."""
        values = [column.tolist() for column in self._columns.values()]
        for row in zip(*values, strict=True):
            yield dict(zip(self._columns, row, strict=True))

    def to_pandas(self) -> Any:  # noqa: ANN401 (pandas is loaded late)
        """Return a `pandas.DataFrame`. Raises EnvironmentLacksError if pandas is not installed."""
        pandas = installed("pandas")
        import numpy as np

        return pandas.DataFrame(
            {
                name: pandas.array(column.tolist(), dtype=_NULLABLE[column.dtype.name])
                if np.ma.isMaskedArray(column)
                else column
                for name, column in self._columns.items()
            }
        )

    def to_arrow(self) -> Any:  # noqa: ANN401
        """Return a `pyarrow.Table`. Raises EnvironmentLacksError if pyarrow is not installed."""
        return installed("pyarrow").table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table as one batch in a PyCapsule of an Arrow stream."""
        import nanoarrow as na

        fields = [_array(column) for column in self._columns.values()]
        schema = na.struct(dict(zip(self._columns, (schema for schema, _ in fields), strict=True)))
        batch = na.c_array_from_buffers(schema, len(self), [None], children=[array for _, array in fields])
        # The interface leaves it to the producer whether to follow a requested schema.
        return na.c_array_stream(batch).__arrow_c_stream__()

    def __repr__(self) -> str:
        return f"<linkworth.Table {self.title!r}: {len(self):,} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        shown = {name: column[:SHOWN_ROWS].tolist() for name, column in self._columns.items()}
        more = f", the first {SHOWN_ROWS}" if len(self) > SHOWN_ROWS else ""
        title = f"{self.title}: {len(self):,} rows{more}"
        return html.table(title, self.columns, zip(*shown.values(), strict=True))


class Tabular:
    """Results that are a table."""

    def to_table(self) -> Table:
        """Return the table."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return `to_table()` in a PyCapsule of an Arrow stream."""
        return self.to_table().__arrow_c_stream__(requested_schema)

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return `to_table()` as a `pandas.DataFrame`. Raises EnvironmentLacksError if pandas is not installed."""
        return self.to_table().to_pandas()


def from_rows(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str], title: str) -> Table:
    """Return a table of rows. `kinds` gives the numpy type of each column (`object`: texts)."""
    import numpy as np

    columns: dict[str, Any] = {}
    for name, kind in kinds.items():
        values = [row[name] for row in rows]
        missing = [value is None for value in values]
        if kind != "object" and any(missing):
            filled = [0 if value is None else value for value in values]
            columns[name] = np.ma.MaskedArray(np.array(filled, kind), mask=missing)
        else:
            columns[name] = np.array(values, kind)
    return Table(columns, title)


def _array(column: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return a column's schema and its array in nanoarrow."""
    import nanoarrow as na
    import numpy as np

    mask = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else None
    validity = None if mask is None or not mask.any() else np.packbits(~mask, bitorder="little")
    data = np.ma.getdata(column)
    if data.dtype == object:
        texts = [("" if text is None else str(text)).encode("utf-8", "replace") for text in data]
        missing = np.array([text is None for text in data], bool)
        if missing.any():
            validity = np.packbits(~missing, bitorder="little")
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        schema = na.large_string()
        return schema, na.c_array_from_buffers(schema, len(texts), [validity, offsets, b"".join(texts)])
    schema = na.bool_() if data.dtype == bool else getattr(na, data.dtype.name)()
    buffer = np.packbits(data, bitorder="little") if data.dtype == bool else np.ascontiguousarray(data)
    return schema, na.c_array_from_buffers(schema, len(data), [validity, buffer])
