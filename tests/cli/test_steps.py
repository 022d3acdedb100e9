"""Progress goes to standard error: a bar on a terminal, plain lines or nothing elsewhere."""

import re

import pytest
from pseudo_terminal import on_a_terminal

import linkworth as lw
from linkworth.cli.steps import Steps, running

WORK = """
from linkworth.cli.steps import Steps, running
with Steps() as steps:
    steps.plan(2)
    steps.step("first")
    steps.step("[bold]second")
with running("[bold]third"):
    pass
print("answer")
"""


def test_plain_lines_where_asked_and_nothing_elsewhere(capsys):
    with Steps(plain_lines=True) as steps:
        steps.plan(2)
        steps.step("first")
        steps.step("second")
    output, errors = capsys.readouterr()
    assert (output, errors) == ("", "[1/2] first\n[2/2] second\n")
    with Steps() as steps:
        steps.plan(1)
        steps.step("first")
    with running("second"):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal_and_the_answer_alone_on_standard_output():
    answer, shown = on_a_terminal(WORK)
    assert answer == "answer\n"
    assert "[bold]second" in shown
    assert "1/2" in shown
    assert "[bold]third" in shown


@pytest.mark.parametrize(
    "command",
    [
        ["predict", "--on", "gbe"],
        ["sweep", "--on", "gbe", "--vary", "rails=1,2"],
        ["advise", "--price", "gbe=1", "--price", "ib-hdr=2"],
    ],
    ids=lambda command: command[0],
)
def test_replays_of_a_trace_are_counted_on_a_terminal(command, tmp_path):
    trace = lw.skeleton("npb:is.S", 4, output=tmp_path / "is.lwt", machine="xeon-e5-2650v3-x2")
    words = ["linkworth", command[0], str(trace.path), *command[1:]]
    _, shown = on_a_terminal(f"import sys; sys.argv = {words}; from linkworth.cli.main import main; main()")
    assert re.search(r"\d/[1-9]", shown)
