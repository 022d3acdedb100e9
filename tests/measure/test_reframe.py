"""The ReFrame test class of studies/reframe, run by ReFrame itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).parents[2] / "studies/reframe/linkworth_checks.py"
BIN = Path(sys.executable).parent


def reframe(tmp_path, *options):
    environment = {
        **os.environ,
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "RFM_PREFIX": str(tmp_path),
        "RFM_SAVE_LOG_FILES": "0",
    }
    command = [
        BIN / "reframe",
        "-c",
        CHECKS,
        "-n",
        "EpOnOneNode",
        *options,
        "-r",
        "--nocolor",
        "--performance-report",
    ]
    return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)


@pytest.mark.requires("reframe", "mpi")
def test_reframe_reads_every_figure_of_a_run(tmp_path):
    done = reframe(tmp_path, "-S", "EpOnOneNode.workload=true")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^P: seconds: [0-9.e-]+ s", done.stdout, re.MULTILINE)
    assert re.search(r"^P: ranks: 2\.0 1", done.stdout, re.MULTILINE)


@pytest.mark.requires("reframe", "mpi")
def test_reframe_fails_a_run_that_failed(tmp_path):
    done = reframe(tmp_path, "-S", "EpOnOneNode.workload=false")
    assert done.returncode != 0
    assert "FAILED" in done.stdout
