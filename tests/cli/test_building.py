"""Progress of a compilation: a line at once, then messages, or a bar on a terminal."""

import threading

import pytest
from pseudo_terminal import on_a_terminal

from linkworth.cli import building
from linkworth.cli.building import BuildWork
from linkworth.mpi import cache, progress

WORK = """
import time
from linkworth.cli.building import BuildWork
from linkworth.mpi import progress
progress.show_to(BuildWork)
with progress.working("compiling the tracer"):
    progress.steps(4)
    progress.step()
    time.sleep(0.3)
print("answer")
"""


@pytest.fixture(autouse=True)
def shown():
    progress.show_to(BuildWork)
    yield
    progress.show_to(progress.SlowWork)


def test_the_first_line_comes_before_the_work_and_the_count_after(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(building, "LINE_SECONDS", 0.0)
    seen = []

    def make(work):
        seen.append(capsys.readouterr().err)
        progress.steps(2)
        progress.step()
        progress.step()
        (work / "product").write_text("")

    cache.built_once(tmp_path / "place", "product", make, what="the tracer for mpich-5.0.2")
    first = "linkworth: compiling the tracer for mpich-5.0.2, once for this machine"
    assert seen == [f"{first} ...\n"]
    assert capsys.readouterr().err == f"{first}: 1 of 2 files\n"
    cache.built_once(tmp_path / "place", "product", make, what="the tracer for mpich-5.0.2")
    assert capsys.readouterr().err == ""


def test_a_search_is_announced_once_it_takes_long(capsys, monkeypatch):
    with progress.slow("looking for MPIs"):
        pass
    assert capsys.readouterr().err == ""
    begun = threading.Event()

    def begin(what):
        work = BuildWork(what)
        begun.set()
        return work

    progress.show_to(begin)
    monkeypatch.setattr(progress, "SLOW_SECONDS", 0.0)
    with progress.slow("looking for MPIs"):
        assert begun.wait(60)
    assert capsys.readouterr().err == "linkworth: looking for MPIs ...\n"


def test_a_terminal_gets_a_bar_that_goes_away():
    answer, seen = on_a_terminal(WORK)
    assert answer == "answer\n"
    assert "compiling the tracer" in seen
    assert "1/4" in seen
    assert "..." not in seen
