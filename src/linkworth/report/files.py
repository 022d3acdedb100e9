"""Writes each table as CSV, Parquet and LaTeX, each figure as SVG, PNG and PDF with its data, into one folder."""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from linkworth.report.latex import latex
from linkworth.report.svg import NO_CONVERTER, can_draw, converter, png, standalone
from linkworth.report.table import Figure, ReportTable, Section
from linkworth.writing.files import unwritable, write_atomically
from linkworth.writing.text import csv_cell

FORMATS = ("csv", "parquet", "latex", "svg", "png", "pdf")
_PICTURES = {"svg", "png", "pdf"}


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """Written files, and remarks on those that could not be written."""

    files: list[str]
    remarks: list[str]


def write_files(
    sections: Sequence[Section],
    folder: Path,
    formats: Sequence[str] = FORMATS,
    step: Callable[[str], None] = lambda _: None,
) -> Written:
    """Write all tables and figures; `step` is called with the name of each before it is written.

    Without pyarrow there is no Parquet, and without vl-convert no picture, only a remark. Raises UsageError or
    EnvironmentLacksError if the folder cannot be written to.
    """
    remarks = []
    chosen = list(formats)
    if "parquet" in chosen and not _has_pyarrow():
        chosen.remove("parquet")
        remarks.append("no Parquet files: pyarrow is not installed (pip install 'linkworth[parquet]')")
    if not _PICTURES.isdisjoint(chosen) and not can_draw():
        chosen = [name for name in chosen if name not in _PICTURES]
        remarks.append(f"no pictures of figures: {NO_CONVERTER}")
    files: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for section in sections:
            for table in section.all_tables:
                step(table.key)
                files += _write_table(table, folder, chosen)
            for figure in section.figures:
                step(figure.key)
                files += _write_figure(figure, folder, chosen)
    except OSError as error:
        raise unwritable(folder, error) from None
    return Written(files=files, remarks=remarks)


def csv_text(table: ReportTable) -> str:
    """Return the table's values in SI units as CSV (RFC 4180) with one head line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(column.key for column in table.columns)
    for row in table.rows:
        writer.writerow(csv_cell(cell.value) for cell in row)
    return text.getvalue()


def _write_table(table: ReportTable, folder: Path, formats: Sequence[str]) -> list[str]:
    written = []
    if "csv" in formats:
        written.append(_written(folder / f"{table.key}.csv", csv_text(table).encode()))
    if "latex" in formats:
        written.append(_written(folder / f"{table.key}.tex", latex(table).encode()))
    if "parquet" in formats:
        written.append(_written(folder / f"{table.key}.parquet", _parquet(table)))
    return written


def _write_figure(figure: Figure, folder: Path, formats: Sequence[str]) -> list[str]:
    wanted = [name for name in ("svg", "png", "pdf") if name in formats]
    if not wanted:
        return []
    drawn = standalone(figure)
    make: dict[str, Callable[[], bytes]] = {
        "svg": drawn.encode,
        "png": lambda: png(drawn),
        "pdf": lambda: bytes(converter().svg_to_pdf(drawn)),
    }
    return [_written(folder / f"{figure.key}.{name}", make[name]()) for name in wanted]


def _parquet(table: ReportTable) -> bytes:
    import pyarrow
    import pyarrow.parquet

    columns: dict[str, Any] = {}
    for number, column in enumerate(table.columns):
        found = [row[number].value for row in table.rows]
        present = [value for value in found if value is not None]
        if any(isinstance(value, str) for value in present):
            columns[column.key] = pyarrow.array(
                [None if value is None else str(value) for value in found], pyarrow.string()
            )
        elif present and all(isinstance(value, int) for value in present):
            columns[column.key] = pyarrow.array(found, pyarrow.int64())
        else:
            numbers = [None if value is None else float(value) for value in found]
            columns[column.key] = pyarrow.array(numbers, pyarrow.float64())
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def _has_pyarrow() -> bool:
    try:
        import pyarrow.parquet
    except ImportError:
        return False
    return bool(pyarrow.parquet)


def _written(path: Path, content: bytes) -> str:
    write_atomically(path, content, durable=False)
    return path.name
