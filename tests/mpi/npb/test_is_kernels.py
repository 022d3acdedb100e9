"""IS counts and groups keys as plain loops do, also where a counter of one byte goes beyond its end."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/mpi/npb"
CHECKED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.mark.requires("c++")
@pytest.mark.parametrize("flags", [[], ["-march=native"]], ids=["portable", "this-processor"])
def test_counts_and_groups_agree_with_plain_loops(flags, tmp_path):
    binary = tmp_path / "check_is_kernels"
    kernels = [SOURCES / f"kernels/is_{name}.cpp" for name in ("packed_keys", "partition", "ranks")]
    command = ["c++", "-std=c++20", "-O2", *CHECKED, *flags, f"-I{SOURCES}"]
    subprocess.run([*command, HERE / "check_is_kernels.cpp", *kernels, "-o", binary], check=True)
    done = subprocess.run([binary], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
