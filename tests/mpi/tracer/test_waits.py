"""Waiting that yields the core: what a program sees is the same as without the tracer."""

import pytest

ONE_ABI = True


@pytest.mark.parametrize("yielding", [False, True], ids=["spinning", "yielding"])
def test_every_way_to_wait_completes_every_kind_of_request(bench, yielding):
    flags = ["-DPERSISTENT_COLLECTIVES"] if bench.has("MPI_Allreduce_init") else []
    run = bench.record(bench.compile("waits.c", *flags), yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    for part in run.parts:
        assert [event.name for event in part.of_kind("local") if "Wait" in event.name] == ["MPI_Wait"]
        looks = part.named("MPI_Request_get_status")
        assert len(looks) > 1
        assert all(look.fields == {"mode": "test", "listed": 1, "completed": []} for look in looks)


def test_ranks_that_share_cores_give_them_away(bench):
    program = bench.compile("shared_core.c", "-D_GNU_SOURCE")

    def sleeps(ranks_here: int, ranks_there: int, *until: str) -> int:
        here, there = (
            ["env", "-u", "LINKWORTH_YIELD", f"MPI_LOCALNRANKS={ranks}", program, *until]
            for ranks in (ranks_here, ranks_there)
        )
        return int(bench.record(*here, ":", "-n", "1", *there, ranks=1).stdout)

    assert sleeps(1, 1) < 10 <= sleeps(1, 100_000, "20")
