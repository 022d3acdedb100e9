"""Latency and bandwidth that a program bears, against times worked out by hand."""

import threading

import msgspec
import pytest
from eventual import PATIENCE_SECONDS
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import Call, fabric, irecv, isend, recv, send, waitall, way, write_trace

from linkworth import _engine
from linkworth.catalog.fabrics import get
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict, threads
from linkworth.predict.extras import Extras
from linkworth.predict.tolerance import tolerances
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import replay

US = 1e-6
MS = 1e-3
MB = 1_000_000
TWO = Layout(nodes=2, node_of_rank=[0, 1])


def test_hidden_latency_is_borne_up_to_the_kink(tmp_path):
    # 10 ms of computation hide L + 1 ms of bytes: the program is 1 % slower when they take 10.1 ms.
    ranks = [[isend(1, MB), waitall(1).after(10 * MS)], [irecv(0, MB), waitall(1).after(10 * MS)]]
    trace = _engine.Trace(str(write_trace(tmp_path / "hidden.lwt", ranks)))
    on = fabric(way(latency=10 * US, bandwidth=1e9))
    found = tolerances(lambda on: replay(trace, on, TWO), [on])
    assert [each.latency_seconds for each in found] == pytest.approx([9.1 * MS, 9.2 * MS, 9.5 * MS], rel=1e-9)
    inverse = [1 / (each.bandwidth_bytes_per_second or 0.0) for each in found]
    expected = [(10 * MS * (1 + share) - 10 * US) / MB for share in (0.01, 0.02, 0.05)]
    assert inverse == pytest.approx(expected, rel=1e-9)
    assert all(each.replays <= 12 for each in found)


def test_an_interrupt_ends_the_searches(tmp_path, monkeypatch):
    # Two threads for 40 searches, each of which would take some replays of its own.
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    ended = threading.Event()
    monkeypatch.setattr(threads, "interrupt_replays", ended.set)
    ranks = [[send(1, 1000).after(1 * MS), recv(1, 1000)], [recv(0, 1000), send(0, 1000)]]
    trace = _engine.Trace(str(write_trace(tmp_path / "pingpong.lwt", ranks)))
    on = fabric(way(latency=10 * US, bandwidth=1e9))
    start = replay(trace, on, TWO)
    begun = []

    def replayed_on(changed):
        begun.append(changed)
        if changed.link.latency_seconds != on.link.latency_seconds:
            raise KeyboardInterrupt
        assert ended.wait(PATIENCE_SECONDS)
        return replay(trace, changed, TWO)

    with pytest.raises(KeyboardInterrupt):
        tolerances(replayed_on, [on] * 20, starts=[start] * 20)
    # A search of bandwidth keeps one thread, while another begins two of latency and one of bandwidth at most.
    assert len(begun) <= 4


def test_tolerances_follow_the_share_of_communication(tmp_path):
    # Two latencies and 2 x 1 kB: T = 1 ms + 2 L + 2 us.
    ranks = [[send(1, 1000).after(1 * MS), recv(1, 1000)], [recv(0, 1000), send(0, 1000)]]
    trace = _engine.Trace(str(write_trace(tmp_path / "pingpong.lwt", ranks)))
    on = fabric(way(latency=10 * US, bandwidth=1e9))
    total = 1 * MS + 22 * US
    (found,) = tolerances(lambda on: replay(trace, on, TWO), [on], slower=[0.02])
    assert found.latency_seconds == pytest.approx(10 * US + 0.02 * total / 2, rel=1e-9)
    assert found.bandwidth_bytes_per_second == pytest.approx(2000 / (2 * US + 0.02 * total), rel=1e-9)
    path = write_trace(tmp_path / "alone.lwt", [[send(0, 8).after(1 * MS), recv(0, 8)]] * 1)
    found = predict(path, [fabric(way(latency=10 * US, bandwidth=1e9))], extras=Extras(tolerances=True))
    assert {each.latency_seconds for each in found.tolerances} == {None}
    assert {each.bandwidth_bytes_per_second for each in found.tolerances} == {None}
    nothing = write_trace(tmp_path / "nothing.lwt", [[]] * 2)
    found = predict(nothing, [fabric(way(latency=10 * US, bandwidth=1e9))], extras=Extras(tolerances=True))
    assert {each.latency_seconds for each in found.tolerances} == {None}


def test_a_fabric_without_latency_says_why_it_has_no_tolerances(tmp_path):
    path = write_trace(tmp_path / "short.lwt", [[send(1, 8)], [recv(0, 8)]])
    ideal, real = get("ideal"), fabric(way(latency=10 * US, bandwidth=1e9))
    endless = msgspec.structs.replace(fabric(way(latency=10 * US, bandwidth=float("inf"))), name="endless")
    found = predict(path, [ideal, real, endless], Arrangement(nodes=2), extras=Extras(tolerances=True))
    assert {each.fabric for each in found.tolerances} == {real.name}
    assert set(found.without_tolerances) == {"ideal", "endless"}
    assert "no latency" in found.without_tolerances["ideal"]
    assert "no bound of bandwidth" in found.without_tolerances["endless"]
    assert predict(path, [ideal], Arrangement(nodes=2)).without_tolerances == {}


@given(
    gaps=st.lists(st.integers(min_value=1, max_value=5000), min_size=4, max_size=24),
    sizes=st.lists(st.integers(min_value=0, max_value=100_000), min_size=4, max_size=4),
)
@settings(max_examples=25)
def test_the_replay_at_the_tolerance_takes_the_time_that_was_asked(tmp_path_factory, gaps, sizes):
    ranks: list[list] = [[], []]
    for turn, gap in enumerate(gaps):
        size = sizes[turn % 4]
        ranks[turn % 2] += [isend(1 - turn % 2, size).after(gap * US), waitall(1)]
        ranks[1 - turn % 2] += [irecv(turn % 2, size).after(gap * US / 3), waitall(1)]
    trace = _engine.Trace(str(write_trace(tmp_path_factory.mktemp("t") / "any.lwt", ranks)))
    on = fabric(way(latency=10 * US, bandwidth=1e9, overhead=1 * US, eager=4096))
    alone = ReplaySettings(contention=False)
    now = replay(trace, on, TWO, settings=alone).seconds
    for found in tolerances(lambda on: replay(trace, on, TWO, settings=alone), [on]):
        assert found.latency_seconds is not None
        worse = fabric(way(latency=found.latency_seconds, bandwidth=1e9, overhead=1 * US, eager=4096))
        added = replay(trace, worse, TWO, settings=alone).seconds - now
        assert added == pytest.approx(now * found.slower, rel=5e-2)


def test_the_place_of_a_jump_is_found_without_halving_it_to_nothing(tmp_path):
    # The receiver answers as it looks, at 4 ms; the sender looks at 5 ms. Above 1 ms of latency the answer is not there, and the
    # 3 ms of data leave at 10 ms, in place of under the computation.
    def look(after):
        return Call("MPI_Test", "complete", mode=0, listed=1, completions=[]).after(after)

    ranks = [
        [isend(1, 3 * MB), look(5 * MS), waitall(1).after(5 * MS)],
        [irecv(0, 3 * MB), look(4 * MS), waitall(1).after(6 * MS)],
    ]
    trace = _engine.Trace(str(write_trace(tmp_path / "looks.lwt", ranks)))
    on = fabric(way(latency=10 * US, bandwidth=1e9, eager=0))
    calls = ReplaySettings(progress="calls")
    (found,) = tolerances(lambda on: replay(trace, on, TWO, settings=calls), [on], slower=[0.01])
    assert found.latency_seconds == pytest.approx(1 * MS, rel=5e-2)
    at_it = msgspec.structs.replace(
        on, link=msgspec.structs.replace(on.link, latency_seconds=found.latency_seconds * (1 - 6e-2))
    )
    assert replay(trace, at_it, TWO, settings=ReplaySettings(progress="calls")).seconds < 10.1 * MS
    assert found.replays < 25
