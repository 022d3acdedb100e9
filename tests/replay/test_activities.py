"""Time of the ranks by kind, against cases worked out by hand."""

from pathlib import Path

import pytest
import synthetic
from synthetic import Call, collective, recv, send

from linkworth.catalog import fabrics
from linkworth.replay import activities
from linkworth.replay.layout import block
from linkworth.trace.read import Allowance, open_trace


def opened(tmp_path, *programs):
    # Without MPI_Init all ranks start at time 0.
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, init=False, end=False)
    return open_trace(path, Allowance())


def sums(found, kind, row, start, end):
    """Return the seconds of a kind between two times that are no further apart than the stretches allow."""
    busy = found.seconds[kind][row]
    return sum(seconds for at, seconds in zip(found.starts, busy, strict=True) if start <= at < end)


def test_each_kind_has_its_time_and_its_place(tmp_path: Path) -> None:
    found = activities.recorded(
        opened(
            tmp_path,
            [send(1, 8).after(4.0).lasting(1.0), collective("MPI_Allreduce", 8).after(1.0).lasting(4.0)],
            [recv(0, 8).after(1.0).lasting(3.5), collective("MPI_Allreduce", 8).after(4.5).lasting(1.0)],
        )
    )
    assert found.end_seconds == pytest.approx(10.0, abs=2 * found.width_seconds)
    assert set(found.seconds) == {"computation", "point-to-point", "collective", "waiting"}
    # Rank 1 waits from 1 to 4 for the send, rank 0 from 6 to 9 for the collective.
    near = 2 * found.width_seconds
    assert sum(found.seconds["waiting"][1]) == pytest.approx(3.0)
    assert sums(found, "waiting", 1, 1.0 - near, 4.0 + near) == pytest.approx(3.0)
    assert sum(found.seconds["waiting"][0]) == pytest.approx(3.0)
    assert sums(found, "waiting", 0, 6.0 - near, 9.0 + near) == pytest.approx(3.0)
    assert [sum(row) for row in found.seconds["point-to-point"]] == pytest.approx([1.0, 0.5])
    assert [sum(row) for row in found.seconds["collective"]] == pytest.approx([1.0, 1.0])
    assert [sum(row) for row in found.seconds["computation"]] == pytest.approx([5.0, 5.5])


def test_no_time_is_lost_that_begins_where_a_stretch_does(tmp_path: Path) -> None:
    # In floating point, the sum of these is 246 stretches of 1 us, and yet the quotient is less than 246.
    before, after = 245_017e-9, 983e-9
    call = Call("MPI_Probe", "probe", peer=0, tag=0)
    found = activities.recorded(
        opened(tmp_path, [Call("MPI_Wtime", "local").after(before), call.after(after).lasting(200e-6)])
    )
    assert sum(found.seconds["point-to-point"][0]) == pytest.approx(200e-6)


def test_sends_of_a_size_that_mostly_do_not_wait_have_no_waits(tmp_path: Path) -> None:
    early = [send(1, 64).lasting(0.1) for _ in range(9)]
    found = activities.recorded(
        opened(
            tmp_path,
            [*early, send(1, 64).lasting(9.0)],
            [recv(0, 64).after(5.0 if number == 0 else 0.0) for number in range(10)],
        )
    )
    assert "waiting" not in found.seconds


def test_times_begin_after_the_first_init_and_a_prediction_has_its_calls(tmp_path: Path) -> None:
    programs = [[send(1, 8).after(1.0)], [recv(0, 8).after(1.0)]]
    found = activities.recorded(open_trace(synthetic.write_trace(tmp_path / "t.lwt", programs)))
    assert found.starts[0] == 0
    assert found.seconds["computation"][0][0] > 0
    trace = opened(tmp_path, [send(1, 1 << 20).after(2.0)], [recv(0, 1 << 20).after(1.0)])
    found = activities.predicted(trace, fabrics.get("gbe"), block(2, 2), cpu_factor=2.0)
    assert [sum(row) for row in found.seconds["computation"]] == pytest.approx([1.0, 0.5])
    # The receive lasts from half a second until the message has come.
    assert sum(found.seconds["point-to-point"][1]) == pytest.approx(0.5 + (1 << 20) / 118e6, rel=0.01)


def test_many_ranks_share_rows_and_the_last_row_may_be_short(tmp_path: Path) -> None:
    ranks = 45
    found = activities.recorded(
        opened(tmp_path, *[[collective("MPI_Barrier").after(1.0)] for _ in range(ranks)])
    )
    assert found.ranks_per_row == 2
    assert len(found.seconds["computation"]) == 23
    assert [found.ranks_of(row) for row in (0, 22)] == [2, 1]
    assert [sum(row) for row in found.seconds["computation"]] == pytest.approx([2.0] * 22 + [1.0])
