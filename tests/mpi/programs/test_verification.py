"""A wrong result never passes: the verdict itself, and what a user sees of it."""

import json
import struct
import subprocess
from pathlib import Path

import checks_in_cpp
import pytest

from linkworth.mpi import build

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/programs"


@pytest.mark.requires("c++")
def test_verdict(tmp_path):
    files = [HERE / "check_verification.cpp", SOURCES / "common/outcome.cpp"]
    assert subprocess.run([checks_in_cpp.compiled(files, SOURCES, tmp_path)], check=False).returncode == 0


@pytest.mark.requires("openmpi")
def test_wrong_result_is_exit_code_1(tmp_path, open_mpi, launch):
    """The program with a reference value that is off by 2e-8, twice what the tolerance allows."""
    built = build.npb(open_mpi).read_bytes()
    reference = struct.pack("<d", 10512994.20395306)
    assert built.count(reference) == 1
    binary = tmp_path / "lw-npb"
    binary.write_bytes(built.replace(reference, struct.pack("<d", 10512994.414)))
    binary.chmod(0o755)

    done = launch(open_mpi, 2, [binary, "ep", "S"])
    assert done.returncode == 1
    assert " Verification    =             UNSUCCESSFUL" in done.stdout.splitlines()
    done = launch(open_mpi, 1, [binary, "ep", "S", "--json"])
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["verified"] is False
    assert [check["relative_error"] > 1e-8 for check in document["checks"]] == [True, False, False]
