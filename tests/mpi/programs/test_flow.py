"""Parts that BT, SP and LU share: layout, exact solution and right-hand side, without MPI."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/programs"


@pytest.mark.requires("c++")
def test_shared_parts(tmp_path):
    files = [HERE / "check_flow.cpp", *(SOURCES / "flow").glob("*.cpp")]
    binary = tmp_path / "check_flow"
    subprocess.run(["c++", "-std=c++20", "-O1", f"-I{SOURCES}", *files, "-o", binary], check=True)
    done = subprocess.run([binary], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
