"""Programs that begin with a session, as they stand in the parts of `programs/sessions.c`."""

import pytest

from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge


@pytest.mark.parametrize("how", ["sessions", "init"])
def test_a_program_of_sessions_is_recorded_from_the_first_to_the_last(bench, how):
    bench.needs("MPI_Session_init")
    run = bench.record(bench.compile("sessions.c"), how, yielding=False)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    assert [(part.rank, part.size, part.flags & 15) for part in run.parts] == [(r, 4, 3) for r in range(4)]
    for part in run.parts:
        second, last = (
            ("MPI_Init", "MPI_Finalize") if how == "init" else ("MPI_Session_init", "MPI_Session_finalize")
        )
        assert [event.name for event in part.events[:2]] == ["MPI_Session_init", second]
        assert (part.events[-1].name, part.events[-1].kind) == (last, "finalize")
        assert [event.kind for event in part.events[:2]] == ["init", "local"]
        (whole,) = part.named("MPI_Comm_create_from_group")
        assert whole.fields == {"parent": 1, "new": 2, "inter": 0, "members": [0, 1, 2, 3]}
        (half,) = part.named("MPI_Comm_create_group")
        first = part.rank // 2 * 2
        assert half.fields == {"parent": 2, "new": 3, "inter": 0, "members": [first + 1, first]}
        assert part.named("MPI_Allreduce")[0].fields["comm"] == 2
        (exchanged,) = part.named("MPI_Sendrecv")
        assert exchanged.fields["send"] == {"peer": (part.rank + 1) % 4, "tag": 1, "bytes": 4}
        barriers = [event.fields["comm"] for event in part.named("MPI_Barrier")]
        assert barriers == ([3, 0] if how == "init" else [3])


def test_a_session_that_outlives_mpi_finalize_is_recorded_to_its_end(bench):
    bench.needs("MPI_Session_init")
    run = bench.record(bench.compile("sessions.c"), "outlives", yielding=False)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    for part in run.parts:
        assert part.flags & 15 == 3
        names = [event.name for event in part.events]
        assert names[:4] == ["MPI_Init", "MPI_Session_init", "MPI_Barrier", "MPI_Finalize"]
        assert "MPI_Sendrecv" in names
        assert (part.events[-1].name, part.events[-1].kind) == ("MPI_Session_finalize", "finalize")


def test_a_program_that_begins_again_leaves_an_incomplete_trace(bench, tmp_path):
    if bench.mpi.kind != "mpich" or bench.mpi.version.startswith("4.0"):
        pytest.skip("Open MPI 5.0 and MPICH 4.0 crash in a session after the last one, traced or not")
    bench.needs("MPI_Session_init")
    run = bench.record(bench.compile("sessions.c"), "again", yielding=False)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    assert sorted(part.flags & 47 for part in run.parts) == [3] * 4 + [32] * 4
    summary = merge(run.parts[0].path.parent, tmp_path / "t.lwt", TraceMetadata(workload="test"))
    assert len(summary.damage) == 4
    assert "began MPI again after its last session" in summary.damage[0]
