"""Averages, rings, statistics and the choice of ranks, the command line: compiled without an MPI, with the sanitizers."""

import subprocess
from pathlib import Path

import checks_in_cpp
import pytest
from sanitized_programs import FLAGS

SOURCES = Path(__file__).parents[3] / "native/netbench"
PURE = ["beff_plan", "hpcc_plan", "json", "members", "rings", "settings", "statistics", "work"]


@pytest.mark.requires("c++")
def test_hand_computed_numbers(tmp_path):
    files = [Path(__file__).with_name("check_pure.cpp"), *(SOURCES / f"{name}.cpp" for name in PURE)]
    program = checks_in_cpp.compiled(files, SOURCES, tmp_path, *FLAGS)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
