"""Profiles of traces whose replay stops: what another tool wrote may lack messages, a recording may not."""

import communication_patterns as patterns
import pytest
import synthetic
from synthetic import Call, collective, pcontrol, recv, send, sendrecv

from linkworth.errors import DamagedInputError, UsageError
from linkworth.profile import build_profile

LARGE = 1 << 20
STOPS = "rank 0 stops in MPI_Send, which waits for a message that the trace does not contain"


def without_receives(turns=1):
    """Two ranks send large messages to each other that no rank receives: 3 s and 1 s of computation, 4 s in all."""
    return [
        [send(1, LARGE).after(3.0 / turns).lasting(1.0 / turns) for _ in range(turns)],
        [send(0, LARGE).after(1.0 / turns).lasting(3.0 / turns) for _ in range(turns)],
    ]


def write(path, programs, source="converted", **metadata):
    return synthetic.write_trace(path, programs, source=source, **metadata)


def test_a_converted_trace_without_messages_has_a_profile_without_what_replays_tell(tmp_path):
    profile = build_profile(write(tmp_path / "t.lwt", without_receives()))
    assert profile.group is None
    assert profile.group_reason == "this trace lacks messages"
    assert profile.not_replayed == (
        f"network dependence, serialisation and transfer are not known, because a replay stops: {STOPS}; the original of "
        "the converted trace lacks the rest of that call"
    )
    pop = profile.pop
    assert (pop.serialisation_efficiency, pop.transfer_efficiency) == (None, None)
    assert pop.load_balance == pytest.approx(2 / 3)
    assert pop.communication_efficiency == pytest.approx(3 / 4)
    assert pop.parallel_efficiency == pytest.approx(1 / 2)
    assert profile.messages == 2


def test_nothing_is_taken_from_a_replay_that_ends_though_messages_are_never_received(tmp_path):
    """A small message does not wait for its receive."""
    programs = [[collective("MPI_Barrier"), *[send(1 - rank, 64)] * 2] for rank in range(2)]
    profile = build_profile(write(tmp_path / "t.lwt", programs))
    assert (profile.group, profile.pop.serialisation_efficiency, profile.pop.transfer_efficiency) == (
        None,
        None,
        None,
    )
    assert profile.not_replayed == (
        "network dependence, serialisation and transfer are not known, because in 10 calls 4 messages or collectives have a "
        "side that the original of the converted trace lacks"
    )


def test_messages_without_a_receive_and_the_marked_part_give_the_figures(tmp_path):
    programs = [[collective("MPI_Barrier")] * 20 + [send(1, 64)], [collective("MPI_Barrier")] * 20]
    profile = build_profile(write(tmp_path / "t.lwt", programs))
    assert profile.not_replayed is None
    assert profile.group is not None
    programs = [
        [pcontrol(1).after(100.0 * rank), send(1 - rank, LARGE).after(1.0).lasting(1.0), pcontrol(0)]
        for rank in range(2)
    ]
    pop = build_profile(write(tmp_path / "t.lwt", programs)).pop
    assert pop.load_balance == pytest.approx(1)
    assert pop.communication_efficiency == pytest.approx(1 / 2)


def test_what_a_replay_does_not_tell_is_taken_from_no_other(tmp_path):
    # On gigabit Ethernet such a message waits for its receive; on the ideal network none does.
    profile = build_profile(write(tmp_path / "t.lwt", [[send(1, LARGE)], []]))
    assert (profile.group, profile.pop.serialisation_efficiency) == (None, None)
    programs = [[send(1, LARGE)], [recv(0, LARGE)]]
    profile = build_profile(write(tmp_path / "t.lwt", programs))
    assert profile.not_replayed is None
    assert None not in (profile.group, profile.pop.serialisation_efficiency, profile.pop.transfer_efficiency)


@pytest.mark.parametrize("source", ["recorded", "synthetic", "skeleton"])
def test_any_other_trace_without_messages_stays_an_error(tmp_path, source):
    with pytest.raises(UsageError, match=f"{STOPS}; record the program again"):
        build_profile(write(tmp_path / "t.lwt", without_receives(), source=source))


def test_a_converted_trace_with_other_faults_or_a_smaller_one_that_stops_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="whose creation is missing from the trace"):
        build_profile(write(tmp_path / "t.lwt", [[collective("MPI_Barrier", comm=7)]] * 2))
    damaged = write(tmp_path / "d.lwt", without_receives())
    damaged.write_bytes(damaged.read_bytes()[:20])
    with pytest.raises(DamagedInputError):
        build_profile(damaged)
    path = write(tmp_path / "t.lwt", [[send(1, LARGE)], [recv(0, LARGE)]])
    smaller = write(tmp_path / "s.lwt", without_receives())
    with pytest.raises(UsageError, match=f"^`smaller` .*s.lwt: {STOPS}; the trace was converted"):
        build_profile(path, smaller)


@pytest.fixture
def short_beginning(monkeypatch):
    import sys

    module = sys.modules[build_profile.__module__]
    monkeypatch.setattr(module, "MOST_REPLAYED_EVENTS", 400)
    monkeypatch.setattr(module, "SAMPLE_EVENTS", 200)


def test_long_traces_are_replayed_in_part_where_they_do_not_stop(tmp_path, short_beginning):
    # A beginning may end inside calls, and yet not near its start.
    profile = build_profile(write(tmp_path / "t.lwt", without_receives(turns=400)))
    assert profile.sampled_share < 1
    assert STOPS in profile.not_replayed
    assert (profile.group, profile.pop.transfer_efficiency) == (None, None)
    assert profile.pop.communication_efficiency == pytest.approx(3 / 4)
    programs = patterns.halo(4, 100_000, 1e-3, steps=100)
    profile = build_profile(write(tmp_path / "t.lwt", programs))
    assert profile.sampled_share < 1
    assert profile.not_replayed is None
    assert profile.group is not None


def test_a_marked_part_counts_where_it_begins_after_the_events_that_are_replayed(tmp_path, short_beginning):
    def program(rank):
        uneven = [sendrecv(1 - rank, 8, 1 - rank).after(1.0 + rank).lasting(2.0 - rank)] * 200
        return [
            *uneven,
            pcontrol(1),
            *[sendrecv(1 - rank, 8, 1 - rank).after(1.0).lasting(1.0)] * 50,
            pcontrol(0),
        ]

    pop = build_profile(write(tmp_path / "t.lwt", [program(0), program(1)])).pop
    assert pop.load_balance == pytest.approx(1)
    assert pop.communication_efficiency == pytest.approx(1 / 2)


@pytest.mark.parametrize("marks", [[], [pcontrol(1)]])
def test_efficiencies_take_calls_to_files_for_computation_however_much_is_replayed(
    tmp_path, short_beginning, marks
):
    def program(rank):
        files = Call("MPI_File_write_all", "local").after(1.0).lasting(2.0)
        return [files, *marks, *[files, sendrecv(1 - rank, 8, 1 - rank).after(1.0).lasting(1.0)] * 200]

    path = write(tmp_path / "t.lwt", [program(0), program(1)])
    part, whole = build_profile(path), build_profile(path, whole=True)
    assert part.sampled_share < whole.sampled_share == 1
    assert whole.pop.communication_efficiency == pytest.approx(4 / 5, rel=0.01)
    assert part.pop.communication_efficiency == pytest.approx(whole.pop.communication_efficiency)


def test_the_verb_says_once_why_figures_are_absent(tmp_path, printed, json_of):
    path = str(write(tmp_path / "t.lwt", without_receives()))
    shown = " ".join(printed("profile", path).split())
    assert "Group of network dependence: not known (this trace lacks messages)" in shown
    assert shown.count("! network dependence, serialisation and transfer are not known, because") == 1
    assert "serialisation not known" in shown and "transfer not known" in shown
    assert "None" not in printed("profile", path, "--full")
    said = json_of("profile", path)
    assert (said["group"], said["pop"]["serialisation_efficiency"], said["pop"]["transfer_efficiency"]) == (
        None,
        None,
        None,
    )
    assert STOPS in said["not_replayed"]
