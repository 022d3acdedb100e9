"""The script that compiles the parts of a wheel."""

import subprocess
import sys
from pathlib import Path

import fake_installation as fake
import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "precompile.py"


@pytest.mark.requires("c++")
def test_a_part_that_cannot_be_compiled_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(fake, "LIBRARY", fake.LIBRARY + 'extern "C" int MPI_Init() { return 0; }\n')
    # Neither headers nor a linker are behind these.
    hydra, open_mpi = "HYDRA build details: Version: 5.0.2", "mpiexec (Open MPI) 5.0.11"
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    fake.install(tmp_path / "mpich", "MPICH Version: 5.0.2", hydra)
    fake.install(tmp_path / "standard", "MPICH Version: 5.0.2", hydra, soname="libmpi_abi.so.1")
    fake.install(tmp_path / "openmpi", "Open MPI v5.0.11", open_mpi, soname="libmpi.so.40")
    prefixes = [tmp_path / name for name in ("mpich", "standard", "openmpi")]
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "made", *prefixes], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "cannot build" in done.stderr
    assert "Traceback" not in done.stderr
