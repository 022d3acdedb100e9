"""Reports: tables, charts and the HTML file with them."""

from collections.abc import Sequence
from pathlib import Path

from linkworth.report.item import ReportItem

__all__ = ["ReportItem", "check_target", "write"]


def write(items: Sequence[ReportItem], path: Path) -> int:
    """Write one self-contained HTML page of the items and return its bytes; see `linkworth.report.page.write`."""
    from linkworth.report import page

    return page.write(items, path)


def check_target(path: Path) -> None:
    """Raise UsageError if `path` cannot be written; see `linkworth.report.page.check_target`."""
    from linkworth.report import page

    page.check_target(path)
