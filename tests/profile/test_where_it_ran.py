"""The machine behind a trace: cores of bound ranks, CPU use; and traces of which only the beginning is replayed."""

import communication_patterns as patterns
import msgspec
import pytest
import synthetic
from synthetic import Call, collective

from linkworth.model.trace import RankInfo
from linkworth.profile import build_profile
from linkworth.profile import build_profile as function
from linkworth.profile.where_it_ran import core_shares, cpu_use
from linkworth.trace.read import Allowance, open_trace


def ranks(count, cores, busy, first_cores=None):
    return [
        RankInfo(rank=rank, host="node", cores=cores, elapsed_seconds=10.0, cpu_seconds=10.0 * busy,
                 first_core=first_cores[rank] if first_cores else None)
        for rank in range(count)
    ]  # fmt: skip


def test_ranks_have_the_part_of_a_core_that_binding_and_threads_leave():
    assert core_shares(ranks(4, 1, 0.25), 4) == [0.25] * 4
    assert core_shares(ranks(4, 1, 0.98), 4) == [1.0] * 4
    assert core_shares(ranks(4, 1, 0.25, [0, 1, 2, 3]), 4) == [1.0] * 4
    assert core_shares(ranks(4, 2, 0.25, [0, 0, 2, 2]), 4) == [1.0] * 4
    assert core_shares(ranks(4, 1, 0.25, [0, 0, 2, 3]), 4) == [0.5, 0.5, 1.0, 1.0]
    assert core_shares(ranks(4, 2, 0.25, [0, 0, 0, 0]), 4) == [0.5] * 4
    assert core_shares(ranks(4, 0, 0.5), 4) == [1.0] * 4
    spread = [msgspec.structs.replace(rank, host=f"node{rank.rank}") for rank in ranks(4, 2, 0.25)]
    assert core_shares(spread, 4) == [1.0] * 4
    assert core_shares(spread, 4, one_machine=True) == [0.5] * 4
    use = cpu_use(ranks(3, 8, 3.5))
    assert use.cores_per_rank == pytest.approx(3.5)
    assert use.cpu_seconds == pytest.approx(105)
    assert cpu_use(ranks(3, 8, 0.0)) is None


def test_cpu_time_before_init_is_in_no_figure(tmp_path):
    programs = [
        [Call("MPI_Init", "init").after(5.0, cpu=1.0).lasting(0.5), collective("MPI_Barrier").after(2.0)]
        for _ in range(2)
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs, init=False))
    assert profile.imbalance.least_seconds == pytest.approx(2.0)
    assert profile.descheduled_seconds == 0


def test_calls_before_init_begin_no_computation(tmp_path):
    calls = [
        *(
            Call("MPI_Initialized", "local").after(5.0).lasting(1.0),
            Call("MPI_Init", "init").after(1.0).lasting(0.5),
        ),
        *[collective("MPI_Barrier").after(1.0)] * 5,
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", [calls, calls], init=False))
    assert profile.rank_compute_seconds == pytest.approx([5.0, 5.0])
    assert profile.rank_communication_seconds == pytest.approx([0.0, 0.0])
    assert profile.pop.communication_efficiency == pytest.approx(1)
    assert profile.phases.seconds == pytest.approx(5.0)
    assert (profile.phases.phases[0].iterations, profile.phases.phases[0].most_seconds) == (
        5,
        pytest.approx(1.0),
    )


def test_long_traces_are_replayed_in_part_and_say_so(tmp_path, monkeypatch):
    import sys

    module = sys.modules[function.__module__]
    path = synthetic.write_trace(
        tmp_path / "t.lwt", patterns.sparse_solver(8, 60_000, 2.4e-3, steps=400), source="recorded"
    )
    whole = build_profile(path)
    monkeypatch.setattr(module, "MOST_REPLAYED_EVENTS", 4000)
    monkeypatch.setattr(module, "SAMPLE_EVENTS", 2000)
    part = build_profile(path)
    assert whole.sampled_share == 1
    assert part.sampled_share == pytest.approx(1984 / 16_016)  # each rank makes 248 calls
    assert part.group == whole.group
    assert (part.calls, part.matrix, part.waits) == (whole.calls, whole.matrix, whole.waits)
    assert part.pop.load_balance == pytest.approx(whole.pop.load_balance)
    assert part.pop.serialisation_efficiency == pytest.approx(whole.pop.serialisation_efficiency, rel=0.05)
    assert part.pop.transfer_efficiency * part.pop.serialisation_efficiency == pytest.approx(
        part.pop.communication_efficiency
    )
    assert build_profile(path, whole=True).sampled_share == 1


def test_the_share_that_is_replayed_is_of_the_events_that_the_beginning_has(tmp_path, monkeypatch):
    import sys

    module = sys.modules[function.__module__]
    monkeypatch.setattr(module, "MOST_REPLAYED_EVENTS", 400)
    monkeypatch.setattr(module, "SAMPLE_EVENTS", 200)
    # Rank 0 has most events, and all of them after those of the others.
    local = Call("MPI_Wtime", "local")
    late = [Call("MPI_Wtime", "local").after(100.0), *[local.after(1e-3).lasting(1e-3)] * 400]
    path = synthetic.write_trace(
        tmp_path / "t.lwt", [late, [local.after(1e-3)] * 300, [local.after(1e-3)] * 300]
    )
    beginning = open_trace(path).engine.beginning(200)
    counted = sum(1 for rank in range(3) for _ in beginning.iterate(rank))
    assert counted > 3 * 200
    assert beginning.events == counted
    assert build_profile(path).sampled_share == counted / open_trace(path).engine.events


def test_a_trace_of_look_ups_is_replayed_to_its_end(tmp_path, monkeypatch):
    import sys

    module = sys.modules[function.__module__]
    monkeypatch.setattr(module, "MOST_REPLAYED_EVENTS", 400)
    monkeypatch.setattr(module, "SAMPLE_EVENTS", 200)
    # A mesh reader asks for its rank at each of its points. All computation follows, and rank 1 does most of it.
    look_ups = [Call("MPI_Comm_rank", "local")] * 1000
    programs = [[*look_ups, collective("MPI_Barrier").after(seconds)] for seconds in (1.0, 3.0)]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs))
    assert profile.sampled_share == 1
    assert profile.pop.serialisation_efficiency == pytest.approx(1)


def test_efficiencies_of_an_oversubscribed_run_whose_beginning_is_replayed_are_of_the_beginning(
    tmp_path, monkeypatch
):
    """Computation of the whole run over the time of a part of it once gave 8,000 %."""
    import sys

    module = sys.modules[function.__module__]
    programs = [[collective("MPI_Barrier").after(1e-3) for _ in range(1000)] for _ in range(2)]
    ranks = [
        {"rank": rank, "host": "node", "state": "cut", "cores": 1, "elapsed_seconds": 2.0}
        for rank in range(2)
    ]
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, ranks=ranks)
    path.write_bytes(path.read_bytes()[:-80])
    monkeypatch.setattr(module, "MOST_REPLAYED_EVENTS", 400)
    monkeypatch.setattr(module, "SAMPLE_EVENTS", 200)
    profile = build_profile(open_trace(path, Allowance()), replay_incomplete=False)
    assert profile.oversubscribed
    assert profile.not_replayed is not None
    assert 0.9 < profile.pop.parallel_efficiency <= 1


def test_load_balance_is_of_the_whole_run_where_only_the_beginning_of_a_crowded_one_is_replayed(
    tmp_path, monkeypatch
):
    import sys

    module = sys.modules[function.__module__]
    # Balanced at first. Later rank 0 computes three times as much as rank 1.
    programs = [
        [
            collective("MPI_Barrier").after(1e-3 if n < 500 or rank else 3e-3).lasting(1e-4)
            for n in range(1000)
        ]
        for rank in range(2)
    ]
    ranks = [
        {"rank": rank, "host": "node", "state": "complete", "cores": 1, "elapsed_seconds": 9.0}
        for rank in range(2)
    ]
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, ranks=ranks)
    monkeypatch.setattr(module, "MOST_REPLAYED_EVENTS", 400)
    monkeypatch.setattr(module, "SAMPLE_EVENTS", 200)
    profile = build_profile(path)
    assert profile.oversubscribed and profile.sampled_share < 1
    found = profile.imbalance
    assert profile.pop.load_balance == pytest.approx(found.mean_seconds / found.most_seconds)
    assert profile.pop.load_balance == pytest.approx(3 / 4, rel=1e-3)
    assert profile.run_shares.compute == pytest.approx(profile.pop.parallel_efficiency)
