"""Averages, rings, statistics and the choice of ranks, the command line: compiled without an MPI, with the sanitizers."""

import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[3] / "native/netbench"
PURE = [
    "beff_average",
    "beff_loops",
    "hpcc_plan",
    "json",
    "members",
    "rings",
    "settings",
    "statistics",
    "work",
]


@pytest.mark.requires("c++")
def test_hand_computed_numbers(tmp_path):
    files = [Path(__file__).with_name("check_pure.cpp"), *(SOURCES / f"{name}.cpp" for name in PURE)]
    together = tmp_path / "together.cpp"  # their headers cost more to compile than they do
    together.write_text("".join(f'#include "{file}"\n' for file in files))
    subprocess.run(
        ["c++", "-O0", "-g1", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", f"-I{SOURCES}", together, "-o", tmp_path / "check"], check=True,
    )  # fmt: skip
    done = subprocess.run([tmp_path / "check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
