"""Progress goes to standard error: a bar on a terminal, plain lines or nothing elsewhere."""

from pseudo_terminal import on_a_terminal

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
