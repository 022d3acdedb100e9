"""Announcements of slow work: before it begins, and of a search only once it takes long."""

import threading

import pytest

from linkworth.mpi import cache, progress


@pytest.fixture
def said():
    lines: list[str] = []
    progress.announce_to(lines.append)
    yield lines
    progress.announce_to(lambda _: None)


def test_compiling_is_announced_before_it_begins_and_once(tmp_path, said):
    def make(work):
        assert said == ["compiling the tracer for mpich-5.0.2, once for this machine ..."]
        (work / "product").write_text("")

    for _ in range(2):
        cache.built_once(tmp_path / "place", "product", make, what="the tracer for mpich-5.0.2")
    assert len(said) == 1


def test_a_search_is_announced_once_it_takes_long(said, monkeypatch):
    with progress.slow("looking for MPIs"):
        pass
    assert said == []
    begun = threading.Event()
    progress.announce_to(lambda line: (said.append(line), begun.set()))
    monkeypatch.setattr(progress, "SLOW_SECONDS", 0.0)
    with progress.slow("looking for MPIs"):
        assert begun.wait(60)
    assert said == ["looking for MPIs ..."]
