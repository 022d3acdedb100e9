"""Pages of hand-made items, written once for all tests of a worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from report import samples
from report.chromium import Page

from linkworth import report


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.write(samples.three(), path)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    with Page() as page:
        yield page


@pytest.fixture(scope="session")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    report.write(samples.hostile(), path)
    return path
