"""Sizes whose buffers do not fit into a quarter of the memory take none."""

import json
import os

import pytest

from linkworth.mpi import build

RANKS = 4
TOO_LONG = 2**31 - 1
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")


@pytest.mark.requires("openmpi")
@pytest.mark.skipif(
    MEMORY >= 4 * RANKS * TOO_LONG, reason="this machine has the memory for the longest message"
)
@pytest.mark.parametrize("test", ["alltoall", "allreduce", "bcast", "allgather"])
def test_a_size_that_is_left_out_takes_no_memory(open_mpi, launch, test):
    command = [build.netbench(open_mpi), test, "--sizes", f"8,{TOO_LONG}", "--seconds", "0.002"]
    # A rank with Open MPI alone takes half of this.
    limited = ["sh", "-c", 'ulimit -v 1800000 && exec "$@"', "sh", *command]
    done = launch(open_mpi, RANKS, limited)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["kind"] for line in lines] == ["start", "row", "warning", "end"]
    assert f"left out {TOO_LONG} B" in lines[2]["text"]
