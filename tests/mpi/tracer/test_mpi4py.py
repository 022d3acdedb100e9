"""Python programs: mpi4py loads MPI late, out of the global scope, and calls the large-count forms where there are any."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EVERY_MPI = True

pytestmark = pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")


def test_a_python_program_is_recorded(bench):
    # The wheel takes either MPI, by the library's usual name, which Debian's MPICH does not have.
    usual = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}.get(bench.mpi.kind)
    if usual is None or "abi" in bench.mpi.name:
        pytest.skip(f"the wheel of mpi4py has no module for {bench.mpi.name}")
    folder = Path(bench.mpi.library).parent
    if not (folder / usual).exists():
        folder = bench.folder
        (folder / usual).symlink_to(bench.mpi.library)
    run = bench.record(
        sys.executable,
        Path(__file__).parent / "programs" / "with_mpi4py.py",
        ranks=2,
        yielding=False,
        LD_LIBRARY_PATH=str(folder),
        MPI4PY_MPIABI=bench.mpi.kind,
    )
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    large = "_c" if bench.has("MPI_Send_c") else ""
    for part in run.parts:
        other = 1 - part.rank
        assert (part.events[0].kind, part.events[-1].kind) == ("init", "finalize")
        (reduced,) = part.named(f"MPI_Allreduce{large}")
        assert (reduced.kind, reduced.fields["sent"], reduced.fields["element"]) == ("collective", 40, 8)
        (grid,) = part.named("MPI_Cart_create")
        assert grid.fields["sources"] == grid.fields["destinations"] == [other, other]
        (gathered,) = part.named(f"MPI_Neighbor_allgather{large}")
        assert (gathered.fields["comm"], gathered.fields["sent"]) == (grid.fields["new"], 40)
        assert [event.fields["bytes"] for event in part.of_kind("win_new")] == [40]
        (put,) = part.of_kind("rma")
        assert (put.name, put.fields["target"], put.fields["to"]) == (f"MPI_Put{large}", other, 40)
    sender, receiver = run.parts
    (sent,) = (event.fields for event in sender.of_kind("send") if event.fields["tag"] == 3)
    # mpi4py receives an object by a matched probe and a receive.
    (probed,) = (event.fields for event in receiver.of_kind("probe") if event.fields["peer"] == -1)
    assert probed["actual"] == (0, 3)
    received = [event.fields for event in receiver.of_kind("recv") if event.fields["tag"] == 3]
    assert received == [{"comm": sent["comm"], "peer": 0, "tag": 3, "bytes": sent["bytes"]}]
