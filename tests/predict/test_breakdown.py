"""Efficiencies, computation by region and loads of links of predictions; times worked out by hand."""

import pytest
from synthetic import Call, collective, fabric, pcontrol, recv, send, way, write_trace

from linkworth.cli.prediction_table import prediction_tables
from linkworth.errors import UsageError
from linkworth.model.fabric import SwitchLevel, Topology
from linkworth.predict import predict
from linkworth.predict.extras import Extras
from linkworth.predict.timeline import Timeline
from linkworth.profile import build_profile
from linkworth.replay.layout import Arrangement

MS = 1e-3
MB = 1_000_000
SLOW = fabric(way(latency=100e-6, bandwidth=1e8))


@pytest.fixture
def two_regions(tmp_path):
    # Rank 0 computes 3 ms at level 1 and 4 ms at level 2, then 1 MB takes 10.1 ms, then rank 1 computes 5 ms at level 2. Beside
    # the critical path rank 1 computes 1 ms at level 1 and 2 ms at level 2; 7 ms before the marked part count nowhere.
    return write_trace(
        tmp_path / "regions.lwt",
        [
            [pcontrol(1).after(7 * MS), pcontrol(2).after(3 * MS), send(1, MB).after(4 * MS), pcontrol(0)],
            [pcontrol(1).after(7 * MS), pcontrol(2).after(1 * MS), recv(0, MB).after(2 * MS), pcontrol(0).after(5 * MS)],
        ],
    )  # fmt: skip


def test_regions_have_their_computation_by_the_cpu_factor(two_regions):
    (found,) = predict(two_regions, [SLOW], Arrangement(nodes=2)).predictions
    assert found.seconds == pytest.approx(22.1 * MS)
    assert [(each.level, each.critical_seconds, each.rank_seconds) for each in found.regions] == [
        (1, pytest.approx(3 * MS), pytest.approx(4 * MS)),
        (2, pytest.approx(9 * MS), pytest.approx(11 * MS)),
    ]
    assert sum(each.critical_seconds for each in found.regions) == pytest.approx(found.compute_seconds)
    (found,) = predict(two_regions, [SLOW], Arrangement(nodes=2), cpu_factor=2).predictions
    assert [each.critical_seconds for each in found.regions] == pytest.approx([1.5 * MS, 4.5 * MS])


def test_calls_to_files_are_of_the_region_that_they_are_in(tmp_path):
    # 3 ms of computation and 20 ms in files at level 1, 4 and 1 ms at level 2: cores of twice the speed leave the files alone.
    def written(seconds):
        return Call("MPI_File_write", "local").lasting(seconds)

    calls = [
        pcontrol(1),
        written(20 * MS).after(3 * MS),
        pcontrol(2),
        written(1 * MS).after(4 * MS),
        pcontrol(0),
    ]
    path = write_trace(tmp_path / "files.lwt", [calls])
    (found,) = predict(path, [SLOW], Arrangement(nodes=1), cpu_factor=2).predictions
    assert found.seconds == found.compute_seconds == pytest.approx(24.5 * MS)
    assert [each.critical_seconds for each in found.regions] == pytest.approx([21.5 * MS, 3 * MS])
    assert found.seconds_per_inverse_cpu_speed == pytest.approx(3.5 * MS)


def test_one_region_has_all_computation_and_an_unmarked_program_none(tmp_path):
    marked: list[Call] = [pcontrol(1), collective("MPI_Barrier").after(2 * MS), pcontrol(0).after(1 * MS)]
    (found,) = predict(write_trace(tmp_path / "one.lwt", [marked]), [SLOW], Arrangement(nodes=1)).predictions
    assert [(each.level, each.critical_seconds) for each in found.regions] == [(1, pytest.approx(3 * MS))]
    plain = write_trace(tmp_path / "plain.lwt", [[collective("MPI_Barrier").after(2 * MS)]])
    assert predict(plain, [SLOW], Arrangement(nodes=1)).predictions[0].regions == []


def test_efficiencies_of_the_predicted_run(two_regions):
    # Ranks compute 7 and 8 ms in the marked part, which without a network takes 12 ms.
    pop = predict(two_regions, [SLOW], Arrangement(nodes=2)).predictions[0].efficiency
    assert pop is not None
    assert pop.load_balance == pytest.approx(7.5 / 8)
    assert pop.communication_efficiency == pytest.approx(8 / 22.1)
    assert pop.serialisation_efficiency == pytest.approx(8 / 12)
    assert pop.transfer_efficiency == pytest.approx(12 / 22.1)
    assert pop.parallel_efficiency == pytest.approx(7.5 / 22.1)


def test_loads_are_of_nics_and_switches_over_time(two_regions):
    tree = Topology(levels=[SwitchLevel(nodes_per_group=1, uplinks=1, bandwidth_bytes_per_second=1e8)])
    on = fabric(way(latency=100e-6, bandwidth=1e8), topology=tree)
    (found,) = predict(two_regions, [on], Arrangement(nodes=2), extras=Extras(loads=True)).predictions
    assert {each.link: each.busy_seconds for each in found.loads} == {
        "node 0 NIC out 0": pytest.approx(10 * MS),
        "node 1 NIC in 0": pytest.approx(10 * MS),
        "uplink 0 of group 0, level 0": pytest.approx(10 * MS),
        "downlink 0 of group 1, level 0": pytest.approx(10 * MS),
    }
    for each in found.loads:
        assert sum(each.busy_share) * each.stretch_seconds == pytest.approx(each.busy_seconds)
        assert each.busy_share[0] == 0.0
        assert max(each.busy_share) == pytest.approx(1.0)


def test_the_use_of_cores_over_time_is_the_computation_of_each_rank(two_regions):
    (found,) = predict(two_regions, [SLOW], Arrangement(nodes=2), extras=Extras(loads=True)).predictions
    assert [each.node for each in found.core_use] == ["node 0", "node 1"]
    for each, computed in zip(found.core_use, (14 * MS, 15 * MS), strict=True):
        width = each.times[0]
        assert sum(sample[0] for sample in each.samples) * width == pytest.approx(computed)
        assert each.samples[0] == [pytest.approx(1.0)]
        assert each.mean == [pytest.approx(computed / each.times[-1])]


def test_each_nic_of_a_node_has_its_load(two_regions):
    # 1 MB over two rails of 1e8 B/s: 5 ms on each, from 14 ms on.
    on = fabric(way(bandwidth=1e8), rails=2, stripe_min_bytes=65536)
    (found,) = predict(two_regions, [on], Arrangement(nodes=2), extras=Extras(loads=True)).predictions
    assert {each.link: each.busy_seconds for each in found.loads} == {
        f"node {node} NIC {way} {rail}": pytest.approx(5 * MS)
        for node, way in ((0, "out"), (1, "in"))
        for rail in (0, 1)
    }
    for each in found.loads:
        busy = [number for number, share in enumerate(each.busy_share) if share > 0]
        assert busy[0] * each.stretch_seconds == pytest.approx(14 * MS, abs=each.stretch_seconds)
        assert busy[-1] * each.stretch_seconds == pytest.approx(19 * MS, abs=each.stretch_seconds)


def test_a_faulty_placement_of_a_neighbour_is_said_of_its_option(two_regions):
    with pytest.raises(
        UsageError, match=f"^`beside` {two_regions}@diagonal: no such file; give block, cyclic"
    ):
        predict(two_regions, [SLOW], Arrangement(nodes=2), extras=Extras(beside=[(two_regions, "diagonal")]))


def test_a_recording_is_of_a_program_alone(two_regions, tmp_path):
    beside = [(two_regions, "block")]
    timeline = Timeline(tmp_path / "t.json", (0.0, 1.0))
    for extras in (Extras(loads=True, beside=beside), Extras(timeline=timeline, beside=beside)):
        with pytest.raises(UsageError, match=r"`(loads|timeline)` .* `beside`"):
            predict(two_regions, [SLOW], Arrangement(nodes=2), extras=extras)


def test_tables_are_shown_where_there_is_something_to_show(two_regions, tmp_path):
    def titles(path, **wanted):
        return [
            table.title
            for table in prediction_tables(
                predict(path, [SLOW], Arrangement(nodes=1), extras=Extras(**wanted))
            )
        ][1:]

    always = ["Shares of the critical path", "POP efficiencies of the predicted run"]
    plain = write_trace(tmp_path / "plain.lwt", [[collective("MPI_Barrier").after(2 * MS)]])
    assert titles(plain) == always
    assert titles(two_regions) == [*always, "Computation by region"]
    (found,) = predict(two_regions, [SLOW], Arrangement(nodes=2), extras=Extras(loads=True)).predictions
    assert found.loads


def test_ranks_outside_a_part_that_only_others_mark_are_named(tmp_path, two_regions):
    work = collective("MPI_Barrier").after(3 * MS)
    one = write_trace(tmp_path / "one.lwt", [[pcontrol(1), work, pcontrol(0)], [work]])
    warnings = predict(one, [SLOW], Arrangement(nodes=2)).warnings
    remark = build_profile(one).idle_in_part
    assert warnings == [remark] and remark.startswith("1 of 2 ranks did not compute between MPI_Pcontrol(1)")
    assert predict(two_regions, [SLOW], Arrangement(nodes=2)).warnings == []
    assert build_profile(two_regions).idle_in_part is None
