"""One-sided, partitioned and neighbourhood communication of a real program: recorded, counted and replayed."""

import json

import pytest

from linkworth.mpi import find

pytestmark = pytest.mark.requires("mpi")


def installation(wanted):
    for mpi in find.find_all():
        if mpi.name.startswith(f"{wanted}.") and mpi.mpicc:
            return mpi
    pytest.skip(f"no {wanted} with a compiler wrapper was found")


@pytest.mark.parametrize("wanted", ["mpich-5", "mpich-4", "openmpi-5", "openmpi-4"])
def test_nothing_is_left_without_a_model(linkworth, compile_program, wanted):
    mpi = installation(wanted)
    program = compile_program("remote", mpi)
    summary = linkworth.json("trace", "-n", "4", "-o", "remote.lwt", "--", program)
    assert (summary["state"], summary["unmodelled"]) == ("complete", {})

    profile = json.loads(linkworth("profile", "remote.lwt", "--json").stdout)
    counts = {call["name"]: call["count"] for call in profile["calls"]}
    assert (counts["MPI_Put"], counts["MPI_Fetch_and_op"]) == (8, 12)
    partitioned = "MPI_Pready" in counts
    # To the right: a put of 8000 and one of 80 bytes, 80 accumulated, in the line 2 x 8, and 3 rounds of 320;
    # from the left 80 that were got. Rank 0 fetches from itself.
    to_right = 8000 + 80 + 80 + 80 + 2 * 8 + (3 * 320 if partitioned else 0)
    # The window's and the communicator's makers may agree on something by messages of their own; they are no calls.
    assert profile["matrix"]["bytes"][1][2] == to_right

    done = linkworth("predict", "remote.lwt", "--nodes", "2", "--on", "gbe", "--on", "ib-hdr", "--json")
    assert done.returncode == 0, done.stderr
    slow, fast = json.loads(done.stdout)["predictions"]
    assert slow["seconds"] > fast["seconds"] > 0
    assert (fast["wait_seconds"], slow["compute_seconds"] > 0) == (0, True)
    assert "calls to files take their recorded time" in done.stderr + done.stdout
