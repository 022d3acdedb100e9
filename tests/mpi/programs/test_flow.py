"""Parts that BT, SP and LU share: layout, exact solution and right-hand side, without MPI."""

import subprocess
from pathlib import Path

import checks_in_cpp
import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/programs"


@pytest.mark.requires("c++")
def test_shared_parts(tmp_path):
    files = [HERE / "check_flow.cpp", *(SOURCES / "flow").glob("*.cpp")]
    binary = checks_in_cpp.compiled(files, SOURCES, tmp_path, "-O1")
    done = subprocess.run([binary], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
