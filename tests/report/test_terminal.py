"""The demo's table, as golden text: one table where it fits, paragraphs where it does not."""

import io
from pathlib import Path

import pytest
from report import samples
from rich.console import Console

from linkworth.report.summary import summarise
from linkworth.report.terminal import show

GOLDEN = Path(__file__).parent / "golden"


def printed(width: int) -> str:
    items = samples.three()
    items[2] = samples.item("npb:cg.W", verified=False)
    console = Console(file=io.StringIO(), width=width, highlight=False)
    show(summarise(items), console)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize(("name", "width"), [("table.txt", 100), ("stacked.txt", 60)])
def test_the_summary_on_a_terminal(name: str, width: int) -> None:
    assert printed(width) == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, printed(width).splitlines())) <= width


@pytest.mark.parametrize("width", [40, 100])
def test_a_failed_verification_stands_out_and_gives_no_number(width: int) -> None:
    text = printed(width)
    assert "FAILED" in text
    assert text.count("53.3 ms") == 1
    assert "none" in text


def test_a_name_cannot_command_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=100)
    show(summarise([samples.item("\x1b[2Jfake\x07[bold]name")]), console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "\x1b[2J" not in text
    assert "[2Jfake" in text
    assert "[bold]name" in text
