"""Reports: tables, charts and the HTML file with them."""

import os
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from linkworth.errors import UsageError
from linkworth.report.item import ReportItem
from linkworth.writing.files import is_stream

__all__ = ["ReportItem", "check_target", "prepare", "write"]


def write(items: Sequence[ReportItem], path: Path) -> int:
    """Write one self-contained HTML page of the items and return its bytes; see `linkworth.report.page.write`."""
    from linkworth.report import page

    return page.write(items, path)


def check_target(path: Path) -> None:
    """Raise UsageError, before the work begins, if a report cannot be written to `path`."""
    if is_stream(path):
        return
    if path.is_dir():
        raise UsageError(f"cannot write the report to {path}: it is a folder; choose a file with -o")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(
            f"cannot write the report to {path}: the folder {folder} does not exist; make it first"
        )
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write the report to {path}: the folder {folder} may not be written to")


def prepare() -> None:
    """Import what draws charts, half a second, in another thread: the engine replays meanwhile."""
    threading.Thread(target=import_module, args=["linkworth.report.page"]).start()
