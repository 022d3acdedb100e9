"""Pages of hand-made items, written once for all tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from report import samples
from report.chromium import Page

from linkworth import report

Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def page_file(once: Once) -> Path:
    return once("report.html", lambda path: report.write(samples.three(), path))


@pytest.fixture(scope="session")
def one_program_file(once: Once) -> Path:
    return once("one-program.html", lambda path: report.write([samples.item()], path))


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    with Page() as page:
        yield page


@pytest.fixture(scope="session")
def hostile_file(once: Once) -> Path:
    return once("hostile.html", lambda path: report.write(samples.hostile(), path))
