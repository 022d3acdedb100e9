"""Late senders, late receivers and late members, against cases worked out by hand and a plain matching of the same calls."""

import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st
from synthetic import Call, collective, irecv, isend, recv, send, sendrecv, waitall

from linkworth.profile import build_profile
from linkworth.profile.scan import scan
from linkworth.trace.read import Allowance, open_trace


def waits_of(tmp_path, *programs):
    # Without MPI_Init all ranks start at time 0.
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, init=False, end=False)
    found = build_profile(open_trace(path, Allowance())).waits
    assert found.unmatched == 0
    return found


def figures(found):
    return tuple(
        (kind.calls, pytest.approx(kind.seconds))
        for kind in (found.late_sender, found.late_receiver, found.collective)
    )


NONE = (0, 0.0)


def test_a_receive_waits_until_its_message_is_sent(tmp_path):
    found = waits_of(tmp_path, [send(1, 8).after(3.0).lasting(0.5)], [recv(0, 8).after(1.0).lasting(2.25)])
    assert figures(found) == ((1, 2.0), NONE, NONE)
    assert found.rank_waiting_seconds == pytest.approx([0.0, 2.0])
    assert found.rank_caused_seconds == pytest.approx([2.0, 0.0])
    assert [(call.name, call.seconds) for call in found.calls] == [("MPI_Recv", pytest.approx(2.0))]
    assert found.share == pytest.approx(2.0 / (3.5 + 3.25))


def test_messages_on_communicators_made_in_another_order_meet_by_their_parents(tmp_path):
    sender, receiver = synthetic.duplicates_in_another_order()
    found = waits_of(
        tmp_path,
        [*sender, send(1, 8, comm=4).after(3.0), send(1, 8, comm=5)],
        [*receiver, recv(0, 8, comm=5).lasting(3.0), recv(0, 8, comm=4).after(9.0)],
    )
    assert figures(found)[0] == (1, 3.0)


def test_a_send_waits_for_its_receive_and_a_wait_for_its_latest(tmp_path):
    found = waits_of(
        tmp_path, [send(1, 1 << 20).after(1.0).lasting(2.5)], [recv(0, 1 << 20).after(3.0).lasting(0.5)]
    )
    assert figures(found) == (NONE, (1, 2.0), NONE)
    assert found.rank_caused_seconds == pytest.approx([0.0, 2.0])
    found = waits_of(
        tmp_path,
        [irecv(1, 8), irecv(2, 8), waitall(1, 2).after(1.0).lasting(5.0)],
        [send(0, 8).after(2.0)],
        [send(0, 8).after(4.0)],
    )
    assert figures(found) == ((1, 3.0), NONE, NONE)
    assert found.rank_caused_seconds == pytest.approx([0.0, 0.0, 3.0])


@pytest.mark.parametrize(("name", "waited"), [("MPI_Send", NONE), ("MPI_Ssend", (1, 5.0 - 0.9))])
def test_of_sends_of_a_size_that_mostly_do_not_wait_only_synchronous_ones_do(tmp_path, name, waited):
    # Nine are gone before their receive is there, so the tenth took long for another reason unless it had to wait.
    early = [send(1, 64).lasting(0.1) for _ in range(9)]
    found = waits_of(
        tmp_path,
        [*early, send(1, 64, name=name).lasting(9.0)],
        [recv(0, 64).after(5.0 if number == 0 else 0.0) for number in range(10)],
    )
    assert figures(found) == (NONE, waited, NONE)


def test_a_wait_whose_latest_receiver_does_not_count_waits_for_the_one_before(tmp_path):
    # Sends of 8 bytes do not wait, those of 1 MiB do.
    early = [send(1, 8, tag=9) for _ in range(3)]
    found = waits_of(
        tmp_path,
        [*early, isend(1, 1 << 20), isend(1, 8), irecv(1, 8), waitall(3, 2, 1).lasting(7.0)],
        [
            *(isend(0, 8).after(2.0), irecv(0, 1 << 20).after(1.0), irecv(0, 8).after(1.0), waitall(3, 2, 1)),
            *(recv(0, 8, tag=9) for _ in range(3)),
        ],
    )
    assert figures(found) == (NONE, (1, 3.0), NONE)
    found = waits_of(
        tmp_path,
        [*early, isend(1, 8), irecv(1, 8), waitall(2, 1).lasting(5.0)],
        [
            isend(0, 8).after(3.0),
            irecv(0, 8).after(1.0),
            waitall(2, 1),
            *(recv(0, 8, tag=9) for _ in range(3)),
        ],
    )
    assert figures(found) == ((1, 3.0), NONE, NONE)
    assert found.rank_caused_seconds == pytest.approx([0.0, 3.0])


def test_a_rank_does_not_wait_for_itself(tmp_path):
    for ended in ([send(0, 8).after(0.1).lasting(0.7)], [isend(0, 8).after(0.1), waitall(1).lasting(0.7)]):
        assert figures(waits_of(tmp_path, [*ended, recv(0, 8)])) == (NONE, NONE, NONE)


def test_what_was_posted_in_time_does_not_wait(tmp_path):
    found = waits_of(tmp_path, [irecv(1, 8), waitall(1).after(5.0).lasting(0.5)], [send(0, 8).after(2.0)])
    assert figures(found) == (NONE, NONE, NONE)
    tags = range(3000)
    found = waits_of(
        tmp_path, [isend(1, 8, tag) for tag in tags], [recv(0, 8, tag).lasting(1.0) for tag in reversed(tags)]
    )
    assert figures(found) == (NONE, NONE, NONE)


def test_a_probe_waits_for_the_message_that_it_found(tmp_path):
    probe = Call("MPI_Probe", "probe", peer=synthetic.ANY, tag=-1, found=True, actual_peer=1, actual_tag=5)
    programs = [
        [probe.after(1.0).lasting(3.0), recv(1, 8, tag=6), recv(1, 8, tag=5), recv(1, 8, tag=5)],
        [send(0, 8, tag=6), send(0, 8, tag=5).after(3.5), send(0, 8, tag=5)],
    ]
    found = waits_of(tmp_path, *programs)
    assert figures(found) == ((1, 2.5), NONE, NONE)
    assert [call.name for call in found.calls] == ["MPI_Probe"]


def test_a_probe_waits_no_longer_than_it_lasts(tmp_path):
    # The clocks of the two nodes differ by two seconds.
    probe = Call("MPI_Probe", "probe", peer=1, tag=0, found=True, actual_peer=1, actual_tag=0)
    found = waits_of(tmp_path, [probe.lasting(1.0), recv(1, 8).after(4.0)], [send(0, 8).after(3.0)])
    assert figures(found) == ((1, 1.0), NONE, NONE)


@pytest.mark.parametrize(
    "taken",
    [
        [irecv(1, 8), waitall(1)],
        [irecv(synthetic.ANY, 8, tag=-1), Call("MPI_Wait", "complete", mode=0, listed=1, completions=[(1, True, 1, 0)])],
        [sendrecv(synthetic.PROC_NULL, 8, 1)],
    ],
)  # fmt: skip
def test_a_probe_does_not_wait_for_what_comes_after_its_message(tmp_path, taken):
    probe = Call("MPI_Iprobe", "probe", peer=1, tag=0, found=True, actual_peer=1, actual_tag=0)
    found = waits_of(
        tmp_path, [probe.after(1.0), *taken, recv(1, 8).after(9.0)], [send(0, 8), send(0, 8).after(8.0)]
    )
    assert figures(found) == (NONE, NONE, NONE)


@pytest.mark.parametrize(("between", "computed", "waited"), [(5e-6, 1.0, 1.0), (0.25, 1.25, 0.25)])
def test_a_loop_of_polls_waits_for_its_message(tmp_path, between, computed, waited):
    def poll(*completions):
        return Call("MPI_Test", "complete", mode=0, listed=1, completions=completions)

    polls = [
        poll().after(1.0).lasting(0.5),
        poll().after(between),
        poll((1, False, 0, 0)).after(5e-6).lasting(2.0),
    ]
    path = synthetic.write_trace(
        tmp_path / "t.lwt", [[irecv(1, 8), *polls], [send(0, 8).after(2.0)]], init=False, end=False
    )
    found = build_profile(open_trace(path, Allowance()))
    assert found.rank_compute_seconds[0] == pytest.approx(computed, abs=1e-8)
    assert found.rank_communication_seconds[0] == pytest.approx(3.5 + between - computed, abs=1e-4)
    assert found.waits.late_sender.seconds == pytest.approx(waited, abs=1e-4)


def test_wildcards_wait_for_whom_they_matched(tmp_path):
    wait = Call(
        "MPI_Wait", "complete", mode=0, listed=1, completions=[(1, True, 2, 7)]
    )  # a receive from rank 2 with tag 7
    found = waits_of(
        tmp_path,
        [irecv(synthetic.ANY, 8, tag=-1), wait.lasting(4.0), recv(synthetic.ANY, 8, tag=-1, actual=(1, 5)).lasting(3.0)],
        [send(0, 8, tag=5).after(6.0)],
        [send(0, 8, tag=7).after(3.0)],
    )  # fmt: skip
    assert figures(found) == ((2, 3.0 + 2.0), NONE, NONE)
    assert found.rank_caused_seconds == pytest.approx([0.0, 2.0, 3.0])


@pytest.mark.parametrize("late", [0, 1])
def test_both_halves_of_a_sendrecv_count_once(tmp_path, late):
    # Both come at one time from the partner, whose message is what the call waits for, whichever rank is read first.
    programs = [sendrecv(1, 8, 1), sendrecv(0, 8, 0)]
    programs[late] = programs[late].after(3.0).lasting(1.0)
    programs[1 - late] = programs[1 - late].after(1.0).lasting(3.0)
    found = waits_of(tmp_path, *([call] for call in programs))
    assert figures(found) == ((1, 2.0), NONE, NONE)


def test_persistent_requests_are_posted_when_they_start(tmp_path):
    start = Call("MPI_Start", "start", references=[1])
    found = waits_of(
        tmp_path,
        [
            Call("MPI_Recv_init", "recv_init", comm=0, peer=1, tag=0, bytes=8),
            start, waitall(1).lasting(2.0), start, waitall(1).lasting(2.0),
        ],
        [send(0, 8).after(1.0), send(0, 8).after(2.0)],
    )  # fmt: skip
    assert figures(found) == ((2, 1.0 + 1.0), NONE, NONE)


def test_receives_behind_cancelled_ones_keep_their_order(tmp_path):
    found = waits_of(
        tmp_path,
        [
            irecv(1, 8), irecv(1, 8), irecv(1, 8), Call("MPI_Cancel", "request_cancel", references=[2]),
            irecv(1, 8), Call("MPI_Cancel", "request_cancel", references=[1]), irecv(1, 8),
            waitall(5).lasting(1.5), waitall(3).lasting(1.0), waitall(1).lasting(1.0), waitall(4, 2),
        ],
        [send(0, 8).after(1.0), send(0, 8).after(1.0), send(0, 8).after(1.0)],
    )  # fmt: skip
    assert figures(found) == ((3, 1.0 + 0.5 + 0.5), NONE, NONE)
    # Also if the sender's calls are read before the receiver's.
    found = waits_of(
        tmp_path,
        [send(1, 8).after(1.0)],
        [
            irecv(0, 8),
            Call("MPI_Cancel", "request_cancel", references=[1]),
            waitall(1),
            recv(0, 8).lasting(1.5),
        ],
    )
    assert figures(found) == ((1, 1.0), NONE, NONE)
    assert found.unmatched == 0


@pytest.mark.parametrize(
    ("name", "root", "waiting", "caused"),
    [
        # Ranks come after 1, 4 and 2 seconds and leave at 5.
        ("MPI_Barrier", -1, [3.0, 0.0, 2.0], [0.0, 5.0, 0.0]),
        ("MPI_Allreduce", -1, [3.0, 0.0, 2.0], [0.0, 5.0, 0.0]),
        ("MPI_Bcast", 2, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ("MPI_Reduce", 0, [3.0, 0.0, 0.0], [0.0, 3.0, 0.0]),
        ("MPI_Scan", -1, [0.0, 0.0, 2.0], [0.0, 2.0, 0.0]),
    ],
)
def test_collectives_wait_for_those_that_they_need(tmp_path, name, root, waiting, caused):
    programs = [
        [collective(name, 8, root=root).after(start).lasting(5.0 - start)] for start in (1.0, 4.0, 2.0)
    ]
    found = waits_of(tmp_path, *programs)
    assert found.rank_waiting_seconds == pytest.approx(waiting)
    assert found.rank_caused_seconds == pytest.approx(caused)
    assert found.collective.seconds == pytest.approx(sum(waiting)) == pytest.approx(found.seconds)


def test_what_has_no_partner_is_counted(tmp_path):
    path = synthetic.write_trace(tmp_path / "t.lwt", [[send(1, 8), send(1, 8)], [recv(0, 8)]])
    path_of_collective = synthetic.write_trace(
        tmp_path / "c.lwt", [[collective("MPI_Barrier")], []], end=False
    )
    assert of_trace_tolerant(path).waits.unmatched == 1
    assert of_trace_tolerant(path_of_collective).waits.unmatched == 1


def scanned(tmp_path, *programs):
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, init=False, end=False)
    return scan(open_trace(path, Allowance())).waits


def test_each_collective_that_a_member_lacks_is_counted(tmp_path):
    assert scanned(tmp_path, [collective("MPI_Barrier")] * 10, [collective("MPI_Barrier")] * 5).unmatched == 5


@pytest.mark.parametrize("receiver", [0, 2])
def test_a_wait_for_a_message_that_is_not_there_still_waits_for_the_others(tmp_path, receiver):
    # The rank whose message is missing is read before the receiver or after it.
    silent = 2 - receiver
    programs = [[], [send(receiver, 8).after(3.0)], []]
    programs[receiver] = [irecv(1, 8), irecv(silent, 8), waitall(1, 2).lasting(5.0)]
    found = scanned(tmp_path, *programs)
    assert found.unmatched == 1
    assert found.ranks[receiver].late_sender.seconds == pytest.approx(3.0)


@pytest.mark.parametrize(
    "without_end",
    [
        [isend(1, 1 << 20, tag=5), Call("MPI_Request_free", "request_free", references=[1])],
        [
            Call(
                "MPI_Isendrecv", "isendrecv", comm=0, peer=1, tag=5, bytes=1 << 20,
                recv_peer=synthetic.PROC_NULL, recv_tag=0, recv_bytes=0,
            ),
            waitall(1),
        ],
    ],
)  # fmt: skip
def test_sends_whose_end_is_not_known_do_not_decide_whether_others_wait(tmp_path, without_end):
    found = waits_of(
        tmp_path,
        [send(1, 1 << 20).lasting(5.0), *without_end],
        [recv(0, 1 << 20).after(4.0), recv(0, 1 << 20, tag=5).after(9.0)],
    )
    assert figures(found) == (NONE, (1, 4.0), NONE)


def of_trace_tolerant(path):
    """Cut the index off, so that the replay takes what is missing for a loss."""
    path.write_bytes(path.read_bytes()[:-40])
    return build_profile(open_trace(path, Allowance()))


times = st.integers(0, 50)
messages = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), times, times, times, times).filter(
        lambda message: message[0] != message[1]
    ),
    max_size=40,
)


@given(messages)
def test_late_senders_are_those_of_a_plain_matching(tmp_path_factory, drawn):
    """Each drawn message is sent and received by blocking calls; the k-th of a pair and tag meets the k-th."""
    programs = [[] for _ in range(4)]
    clock = [0.0] * 4
    sent, received = {}, {}
    for source, target, tag, gap, lasts, gap_there, lasts_there in drawn:
        clock[source] += gap
        sent.setdefault((source, target, tag), []).append(clock[source])
        programs[source].append(send(target, 8, tag=tag, name="MPI_Bsend").after(gap).lasting(lasts))
        clock[source] += lasts
        clock[target] += gap_there
        received.setdefault((source, target, tag), []).append((clock[target], lasts_there))
        programs[target].append(recv(source, 8, tag=tag).after(gap_there).lasting(lasts_there))
        clock[target] += lasts_there
    expected = [
        min(start, posted + lasts) - posted
        for pair, starts in sent.items()
        for start, (posted, lasts) in zip(starts, received[pair], strict=True)
        if start > posted and lasts > 0
    ]
    found = waits_of(tmp_path_factory.mktemp("waits"), *programs)
    assert found.late_sender.calls == len(expected)
    assert found.late_sender.seconds == pytest.approx(sum(expected))
    assert (
        sum(found.rank_caused_seconds)
        == pytest.approx(found.seconds)
        == pytest.approx(sum(found.rank_waiting_seconds))
    )
