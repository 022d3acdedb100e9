"""MG's sweeps do what the definition of each step says, on boxes of many shapes."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/mpi/npb"


@pytest.mark.requires("c++")
@pytest.mark.parametrize(
    "flags", [["-O1"], ["-O2", "-march=native"]], ids=["narrow vectors", "widest vectors"]
)
def test_sweeps_agree_with_plain_loops(tmp_path, flags):
    binary = tmp_path / "check_mg_kernels"
    kernels = [SOURCES / f"kernels/mg_{name}.cpp" for name in ("rows", "faces", "restriction", "smoothing")]
    command = ["c++", "-std=c++20", "-Wno-psabi", *flags, f"-I{SOURCES}"]
    subprocess.run([*command, HERE / "check_mg_kernels.cpp", *kernels, "-o", binary], check=True)
    done = subprocess.run([binary], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
