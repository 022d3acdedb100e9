"""Commands on ranks of a lab, without one."""

import io
from pathlib import Path
from types import SimpleNamespace

import fake_installation as fake
import pytest

from linkworth.lab import execute
from linkworth.mpi import find, preload, target


@pytest.mark.parametrize("free", [True, False])
def test_mpi4py_finds_the_mpi_of_the_launcher(free, monkeypatch):
    """The launcher's own preload library has MPI's functions too, and mpi4py would take it for an MPI."""
    mpi = fake.described("mpich", "5.0")
    monkeypatch.setattr(execute, "check_started_ranks", lambda *_: None)
    monkeypatch.setattr(target, "of_command", lambda _: SimpleNamespace(free=free))
    monkeypatch.setattr(find, "choose", lambda *_: mpi)
    monkeypatch.setattr(find, "program_path", Path)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    jobs = []

    def run(job, _):
        jobs.append(job)
        return SimpleNamespace(exit_code=0)

    opened = SimpleNamespace(
        launcher=lambda _: SimpleNamespace(run=run),
        counters=lambda: [],
        nodes=["node1"],
        lab=SimpleNamespace(name="lab"),
        facts=dict,
    )
    execute.on_ranks(opened, 2, None, ["python", "app.py"], io.BytesIO(), io.BytesIO())  # type: ignore[arg-type]
    preloads = preload.without_ranks_library(jobs[0].environment)
    assert preloads == ({"LD_PRELOAD": mpi.library} if free else {})
