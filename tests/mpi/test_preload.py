"""Variables that load a library into a program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from linkworth.errors import EnvironmentLacksError
from linkworth.mpi import preload


@pytest.mark.parametrize("folder", ["/home/a:b", "/home/a;b"])
def test_a_library_that_the_loader_cannot_take_is_refused(folder):
    library = Path(folder, "tracer.so")
    with pytest.raises(
        EnvironmentLacksError, match="its path has a colon or a semicolon; set XDG_CACHE_HOME"
    ):
        preload.environment(library)
    assert not preload.can_be_loaded(library)
    assert preload.environment(Path("/home/jos\u00e9/tracer.so"))["LD_PRELOAD"].startswith(
        "/home/jos\u00e9/tracer.so"
    )


def test_a_library_in_a_folder_with_a_space_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/theirs")
    folder = tmp_path / "jane doe"
    folder.mkdir()
    made = Path(library(folder, "ours", "answer"))
    given = preload.environment(made, behind=[Path("/mpi/libmpi.so")])
    assert given == {"LD_PRELOAD": "ours.so:/mpi/libmpi.so", "LD_LIBRARY_PATH": f"{folder}:/theirs"}
    loaded = "import ctypes; ctypes.CDLL(None).answer"
    alone = preload.environment(made)
    done = subprocess.run(
        [sys.executable, "-c", loaded], env=os.environ | alone, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def library(folder: Path, name: str, calls: str) -> str:
    made = folder / f"{name}.so"
    source = "".join(f"void {call}(void) {{}}\n" for call in calls.split())
    compiler = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(made)]
    subprocess.run(compiler, input=source, text=True, check=True)
    return str(made)


def test_what_the_user_preloads_comes_before_our_library_unless_it_is_an_mpi(monkeypatch, tmp_path):
    """A tool calls PMPI_Send in its MPI_Send. Behind our library, which calls the MPI library, it would be left out."""
    tool = library(tmp_path, "tool", "MPI_Send")
    mpi = library(tmp_path, "mpi", "MPI_Init PMPI_Init MPI_Send PMPI_Send")
    monkeypatch.setenv("LD_PRELOAD", f"{mpi} {tool}:libmpi.so.40:libmpiP.so")
    assert (
        preload.environment(Path("/tracer.so"))["LD_PRELOAD"]
        == f"{tool}:libmpiP.so:/tracer.so:{mpi}:libmpi.so.40"
    )
    ranks = str(preload.ranks_library())
    given = {"LD_PRELOAD": f"/tool.so:{ranks}", "A": "b"}
    assert preload.without_ranks_library(given) == {"LD_PRELOAD": "/tool.so", "A": "b"}
    assert preload.without_ranks_library({"LD_PRELOAD": ranks}) == {}
