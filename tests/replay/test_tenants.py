"""Programs that share nodes and network. Times worked out by hand."""

from pathlib import Path

import pytest
from synthetic import collective, fabric, recv, send, way, write_trace

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.prediction import Layout, PredictionSet
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict, request
from linkworth.predict.extras import Extras
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import Neighbour, replay_in_detail

US = 1e-6
MS = 1e-3
MB = 1_000_000
ON = fabric(way(bandwidth=1e9))
APART = Layout(nodes=2, node_of_rank=[0, 1])


def trace(path: Path, count: int, gap: float = 0.0) -> Path:
    """`count` messages of 1 MB from rank 0 to rank 1."""
    ranks = [[send(1, MB).after(gap) for _ in range(count)], [recv(0, MB) for _ in range(count)]]
    return write_trace(path, ranks, workload=path.stem)


def test_programs_share_a_nic_where_they_meet(tmp_path: Path) -> None:
    # 4 ms and 2 ms of bytes over one NIC: the shorter one has half of it until it ends at 4 ms, the other ends at 6 ms.
    long = _engine.Trace(str(trace(tmp_path / "long.lwt", 4)))
    short = _engine.Trace(str(trace(tmp_path / "short.lwt", 2)))
    both = replay_in_detail(long, ON, APART, beside=[Neighbour(short, APART)])
    assert both.prediction.seconds == pytest.approx(6 * MS)
    assert both.neighbour_seconds == pytest.approx([4 * MS], rel=0.05)
    assert replay_in_detail(long, ON, APART).prediction.seconds == pytest.approx(4 * MS)
    assert both.prediction.internode_bytes == 4 * MB
    assert both.prediction.messages == 4
    one = _engine.Trace(str(trace(tmp_path / "one.lwt", 4)))
    elsewhere = Layout(nodes=4, node_of_rank=[2, 3])
    both = replay_in_detail(one, ON, APART, beside=[Neighbour(one, elsewhere)])
    assert both.prediction.seconds == pytest.approx(4 * MS)
    assert both.neighbour_seconds == pytest.approx([4 * MS])


def test_collectives_and_communicators_stay_apart(tmp_path: Path) -> None:
    ranks = [[collective("MPI_Allreduce", 8).after(1 * MS), collective("MPI_Barrier")] for _ in range(4)]
    program = _engine.Trace(str(write_trace(tmp_path / "sums.lwt", ranks)))
    layout = Layout(nodes=2, node_of_rank=[0, 0, 1, 1])
    on = fabric(way(latency=10 * US))
    alone = replay_in_detail(program, on, layout)
    both = replay_in_detail(program, on, layout, beside=[Neighbour(program, layout)])
    assert both.prediction == alone.prediction
    assert both.neighbour_seconds == [alone.prediction.seconds]


def test_ranks_of_all_programs_share_the_memory_of_a_node(tmp_path: Path) -> None:
    # Two ranks of one program and one of the other need 3 x 40 of the first node's 60 GB/s: all take twice as long there. Alone
    # the first program needs 80 of 60. The second node has a rank of the other, which needs 40.
    ranks = [[collective("MPI_Barrier").after(3 * MS)] for _ in range(2)]
    program = _engine.Trace(str(write_trace(tmp_path / "computes.lwt", ranks)))
    together, spread = Layout(nodes=2, node_of_rank=[0, 0]), Layout(nodes=2, node_of_rank=[0, 1])
    limited = ReplaySettings(memory_demand_bytes_per_second=40e9, memory_bandwidth_bytes_per_second=60e9)
    alone = replay_in_detail(program, ON, together, settings=limited)
    assert alone.result.rank_compute_seconds == pytest.approx([4 * MS] * 2)
    both = replay_in_detail(program, ON, together, settings=limited, beside=[Neighbour(program, spread)])
    assert both.result.rank_compute_seconds == pytest.approx([6 * MS] * 2)
    # Its second rank takes 3 ms, and waits for the first.
    assert both.neighbour_seconds == pytest.approx([6 * MS])
    turned = replay_in_detail(program, ON, spread, settings=limited, beside=[Neighbour(program, together)])
    assert turned.result.rank_compute_seconds == pytest.approx([6 * MS, 3 * MS])


def test_efficiency_beside_others_compares_with_the_same_computation(tmp_path: Path) -> None:
    path = write_trace(
        tmp_path / "computes.lwt", [[collective("MPI_Barrier").after(3 * MS)] for _ in range(2)]
    )
    limited = ReplaySettings(memory_demand_bytes_per_second=40e9, memory_bandwidth_bytes_per_second=60e9)
    found = predict(
        path, [ON], Arrangement(nodes=1), settings=limited, extras=Extras(beside=[(path, "block")])
    )
    efficiency = found.predictions[0].efficiency
    assert efficiency is not None and efficiency.transfer_efficiency == pytest.approx(1.0)


def test_a_prediction_beside_others(tmp_path: Path) -> None:
    long, short = trace(tmp_path / "long.lwt", 4), trace(tmp_path / "short.lwt", 2)
    found = predict(long, [ON], Arrangement(nodes=2), extras=Extras(beside=[(short, "block")]))
    assert found.predictions[0].seconds == pytest.approx(6 * MS)
    assert [(each.fabric, each.workload) for each in found.beside] == [("by hand", "short")]
    # On node 1 alone it meets nothing.
    inside = predict(long, [ON], Arrangement(nodes=2), extras=Extras(beside=[(short, "1,1")]))
    assert inside.predictions[0].seconds == pytest.approx(4 * MS)
    with pytest.raises(UsageError, match="needs 3 nodes, but there are 2"):
        predict(long, [ON], Arrangement(nodes=2), extras=Extras(beside=[(short, "0,2")]))


def test_tolerances_are_those_beside_others(tmp_path: Path) -> None:
    program, other = trace(tmp_path / "program.lwt", 4, gap=1 * MS), trace(tmp_path / "other.lwt", 8)

    def found(bandwidth: float) -> PredictionSet:
        on = fabric(way(latency=US, bandwidth=bandwidth))
        extras = Extras(beside=[(other, "block")], tolerances=True)
        return predict(program, [on], Arrangement(nodes=2), extras=extras)

    before = found(1e9)
    limit = before.tolerances[-1]
    assert limit.bandwidth_bytes_per_second is not None
    after = found(limit.bandwidth_bytes_per_second).predictions[0].seconds
    assert after == pytest.approx((1 + limit.slower) * before.predictions[0].seconds, rel=3e-3)


def test_how_a_neighbour_is_written(tmp_path: Path) -> None:
    odd = trace(tmp_path / "a@b.lwt", 1)
    assert request.neighbours(["x.lwt", "x.lwt@cyclic", "x.lwt@0,1", str(odd)]) == [
        (Path("x.lwt"), "block"),
        (Path("x.lwt"), "cyclic"),
        (Path("x.lwt"), "0,1"),
        (odd, "block"),
    ]
