"""Tables, charts and the one HTML file that holds them."""

from collections.abc import Sequence
from pathlib import Path

from linkworth.report.item import ReportItem

__all__ = ["ReportItem", "write"]


def write(items: Sequence[ReportItem], path: Path) -> None:
    """Write one self-contained HTML page of the items; see `linkworth.report.page.write`."""
    from linkworth.report import page

    page.write(items, path)
