"""Reports: tables, charts and the HTML file with them."""

import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from linkworth.report.item import ReportItem

__all__ = ["ReportItem", "prepare", "write"]


def write(items: Sequence[ReportItem], path: Path) -> int:
    """Write one self-contained HTML page of the items and return its bytes; see `linkworth.report.page.write`."""
    from linkworth.report import page

    return page.write(items, path)


def prepare() -> None:
    """Import what draws charts, half a second, in another thread: the engine replays meanwhile."""
    threading.Thread(target=import_module, args=["linkworth.report.page"]).start()
