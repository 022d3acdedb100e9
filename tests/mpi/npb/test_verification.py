"""A wrong result never passes: the verdict itself, and what a user sees of it."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import sanitized_programs

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/mpi/npb"


@pytest.mark.requires("c++")
def test_verdict(tmp_path):
    binary = tmp_path / "check_verification"
    files = [HERE / "check_verification.cpp", SOURCES / "outcome.cpp"]
    subprocess.run(["c++", "-std=c++20", f"-I{SOURCES}", *files, "-o", binary], check=True)
    assert subprocess.run([binary], check=False).returncode == 0


@pytest.mark.slow  # waits for the sanitized programs, which it shares
@pytest.mark.requires("openmpi")
def test_wrong_result_is_exit_code_1(tmp_path, open_mpi, launch):
    """Built against a reference value that is off by 2e-8, twice what the tolerance allows."""
    folder = tmp_path / "npb"
    shutil.copytree(SOURCES, folder)
    header = folder / "reference/ep.hpp"
    text = header.read_text()
    assert text.count("10512994.20395306") == 1
    header.write_text(text.replace("10512994.20395306", "10512994.414"))
    binary = sanitized_programs.with_changed_header("npb", open_mpi, "reference/ep.hpp", folder)

    done = launch(open_mpi, 2, [binary, "ep", "S"], environment=sanitized_programs.ENVIRONMENT)
    assert done.returncode == 1
    assert " Verification    =             UNSUCCESSFUL" in done.stdout.splitlines()
    done = launch(open_mpi, 1, [binary, "ep", "S", "--json"], environment=sanitized_programs.ENVIRONMENT)
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["verified"] is False
    assert [check["relative_error"] > 1e-8 for check in document["checks"]] == [True, False, False]
