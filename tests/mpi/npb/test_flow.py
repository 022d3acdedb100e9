"""What BT, SP and LU share: layout, exact solution and right-hand side, without MPI and at two vector widths."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/mpi/npb"
NARROW = ["-O1"]
NATIVE = ["-O2", "-march=native", "-fno-math-errno", "-fno-trapping-math"]


@pytest.mark.requires("c++")
@pytest.mark.parametrize("flags", [NARROW, NATIVE], ids=["narrow vectors", "native vectors"])
def test_shared_parts(tmp_path, flags):
    files = [HERE / "check_flow.cpp", *(SOURCES / "flow").glob("*.cpp")]
    binary = tmp_path / "check_flow"
    subprocess.run(
        ["c++", "-std=c++20", "-Wno-psabi", *flags, f"-I{SOURCES}", *files, "-o", binary], check=True
    )
    done = subprocess.run([binary], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
