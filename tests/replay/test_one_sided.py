"""One-sided communication: times worked out by hand from the rules in docs/reference/replay.md."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from synthetic import Call, fabric, irecv, isend, pcontrol, waitall, way, write_trace
from synthetic_calls import (
    ACCUMULATE,
    COMPLETE,
    FENCE,
    FETCH,
    FLUSH,
    FLUSH_LOCAL,
    LOCK_ALL,
    POST,
    START,
    SYNC,
    TEST,
    UNLOCK,
    UNLOCK_ALL,
    WAIT,
    access,
    get,
    lock,
    put,
    sync,
    win_free,
    win_new,
)

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import replay_in_detail

US = 1e-6
Predict = Callable[..., Prediction]

# L = 10 us, 1 ns a byte, o = 2 us at both ends, eager up to 4 KiB; inside a node L = 1 us, 0.1 ns a byte.
ON = fabric(
    way(latency=10 * US, bandwidth=1e9, overhead=2 * US, eager=4096),
    way(latency=1 * US, bandwidth=1e10, overhead=2 * US, eager=4096),
)
BARE = fabric(way(latency=10 * US, bandwidth=1e9, eager=4096))
ALL = sync(LOCK_ALL)
DONE = sync(UNLOCK_ALL)


def timed(*ranks: Sequence[Call]) -> list[list[Call]]:
    """Only what follows the making of the window counts; it takes a power of two ranks equally long."""
    return [[win_new(), pcontrol(1), *calls, pcontrol(0)] for calls in ranks]


def test_a_put_and_its_acknowledgement(predict: Predict) -> None:
    # o_s + L + n/B + L = 2 + 10 + 1 + 10
    got = predict(timed([ALL, put(1, 1000), DONE], []), ON)
    assert got.seconds == pytest.approx(23 * US)
    assert got.overhead_seconds == pytest.approx(2 * US)
    assert got.latency_seconds == pytest.approx(20 * US)
    assert got.bandwidth_seconds == pytest.approx(1 * US)
    assert got.internode_bytes == 8 * 2 + 1000


def test_each_kind_of_access_has_its_messages(predict: Predict) -> None:
    assert predict(timed([ALL, put(1, 8000), DONE], []), ON).seconds == pytest.approx(30 * US)
    got = predict(timed([ALL, access(ACCUMULATE, 1, 1000), DONE], []), ON)
    assert got.seconds == pytest.approx(23 * US)
    # o_s(0) + L + [o_r(0) + o_s(0)] + L + n/B + o_r(n) = 2 + 10 + 4 + 10 + 1 + 2
    assert predict(timed([ALL, get(1, 1000), DONE], []), ON).seconds == pytest.approx(29 * US)
    # o_s + L + 1 us + [o_r(0) + o_s(0)] + L + 2 us + o_r
    call = access(FETCH, 1, 1000, 2000)
    assert predict(timed([ALL, call, DONE], []), ON).seconds == pytest.approx(31 * US)


def test_accesses_take_memory_or_the_targets_calls(predict: Predict) -> None:
    # o_s + 0.1 us + L + L = 2 + 0.1 + 1 + 1
    got = predict(timed([ALL, put(1, 1000), DONE], []), ON, nodes=[0, 0])
    assert got.seconds == pytest.approx(4.1 * US)
    assert got.internode_bytes == 0
    got = predict(timed([ALL, put(1, 1000), get(1, 1000), DONE], [pcontrol(1).after(90 * US)]), ON)
    assert got.seconds == pytest.approx(90 * US)
    assert got.compute_seconds == pytest.approx(90 * US)
    # The get is at the target at 12 us, which sees it at 100 us: then [o_r + o_s] + L + 1 us + o_r.
    ranks = timed([ALL, get(1, 1000), DONE], [pcontrol(1).after(100 * US)])
    calls = ReplaySettings(progress="calls")
    assert predict(ranks, ON, settings=calls).seconds == pytest.approx(117 * US)
    assert predict(ranks, ON).seconds == pytest.approx(100 * US)


def test_a_local_flush_waits_for_the_memory_at_the_origin_only(predict: Predict) -> None:
    # An eager put has left it when it returns, a long one when its bytes are out: 2 + 8 us.
    short = [ALL, put(1, 1000), sync(FLUSH_LOCAL, 1), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(short, []), ON).seconds == pytest.approx(52 * US)
    long = [ALL, put(1, 8000), sync(FLUSH_LOCAL, 1), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(long, []), ON).seconds == pytest.approx(60 * US)
    whole = [ALL, put(1, 8000), sync(FLUSH, 1), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(whole, []), ON).seconds == pytest.approx(80 * US)


def test_flushes_wait_for_their_data_and_target_alone(predict: Predict) -> None:
    calls = [ALL, get(1, 1000), sync(FLUSH_LOCAL, 1), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(calls, []), ON).seconds == pytest.approx(79 * US)
    # The put to rank 1 inside the node is complete at 4.1 us; the one to rank 2 is not waited for.
    calls = [ALL, put(1, 1000), put(2, 4000), sync(FLUSH, 1), pcontrol(0)]
    ranks = [[win_new(), pcontrol(1), *calls], *([win_new(), pcontrol(1), pcontrol(0)] for _ in range(3))]
    assert predict(ranks, ON, nodes=[0, 0, 1, 1]).seconds == pytest.approx(4.1 * US)
    # At the edge of a domain, a flush of nobody waits for nothing.
    calls = [ALL, put(1, 8000), sync(FLUSH, -2), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(calls, []), ON).seconds == pytest.approx(52 * US)


def test_requests_of_accesses_are_waited_for_like_others(predict: Predict) -> None:
    # The reply is there at 27 us, under 100 us of computation; then o_r. A put's request is done with its data gone.
    calls = [ALL, get(1, 1000, request=True), waitall(1).after(100 * US), DONE]
    assert predict(timed(calls, []), ON).seconds == pytest.approx(104 * US)
    calls = [ALL, put(1, 8000, request=True), waitall(1), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(calls, []), ON).seconds == pytest.approx(60 * US)
    calls = [ALL, put(1, 1000, request=True), waitall(1), pcontrol(1).after(50 * US), DONE]
    assert predict(timed(calls, []), ON).seconds == pytest.approx(52 * US)


def test_a_fence_completes_all_and_is_a_barrier(predict: Predict) -> None:
    # The put is known complete at 23 us; then the barrier: o_s + L + o_r.
    ranks = timed([put(1, 1000), sync(FENCE)], [sync(FENCE)])
    assert predict(ranks, ON).seconds == pytest.approx(37 * US)
    # o_s + L + o_r each
    ranks = timed([sync(FENCE), sync(FENCE)], [sync(FENCE), sync(FENCE)])
    assert predict(ranks, ON).seconds == pytest.approx(28 * US)


def test_epochs_of_groups_follow_post_start_complete_and_wait(predict: Predict) -> None:
    # Post: 2, L, o_r: start ends at 14. Put: 2 + 10 + 1 + 10: 37. Complete: 2, L, o_r: 51.
    origin = [sync(START, group=[1]), put(1, 1000), sync(COMPLETE)]
    target = [sync(POST, group=[0]), sync(WAIT)]
    assert predict(timed(origin, target), ON).seconds == pytest.approx(51 * US)
    late = [sync(POST, group=[0]).after(100 * US), sync(WAIT)]
    assert predict(timed(origin, late), ON).seconds == pytest.approx(151 * US)
    origin = [sync(START, group=[1]), put(1, 1000), sync(COMPLETE)]
    polls = [sync(POST, group=[0]), sync(TEST), sync(TEST), sync(TEST, flag=True)]
    assert predict(timed(origin, polls), ON).seconds == pytest.approx(51 * US)
    many = [polls[0], *(sync(TEST).after(1 * US) for _ in range(1000)), polls[-1]]
    assert predict(timed(origin, many), ON).seconds == pytest.approx(51 * US)
    # Both posts are there at 10 us; puts of 1 us each leave one after the other: 12 + 10 + 10; complete: + 10.
    origin = [sync(START, group=[1, 2]), put(1, 1000), put(2, 1000), sync(COMPLETE)]
    target = [sync(POST, group=[0]), sync(WAIT)]
    assert predict(timed(origin, target, target, []), BARE).seconds == pytest.approx(42 * US)


def test_locks_are_shared_exclusive_and_in_order(predict: Predict) -> None:
    # Both ask at 0. The first: 10 asked, 20 granted, put 41, release at 51. The second: 61 granted, put 82.
    user = [lock(2, exclusive=True), put(2, 1000), sync(UNLOCK, 2)]
    assert predict(timed(user, user, [], []), BARE).seconds == pytest.approx(82 * US)
    # Granted at 20; the second put waits 1 us for the first at the target's link.
    user = [lock(2), put(2, 1000), sync(UNLOCK, 2)]
    assert predict(timed(user, user, [], []), BARE).seconds == pytest.approx(42 * US)
    alone = ReplaySettings(contention=False)
    assert predict(timed(user, user, [], []), BARE, settings=alone).seconds == pytest.approx(41 * US)
    # o_s + L + [o_r + o_s] + L + o_r, and o_s for the release
    assert predict(timed([lock(1), sync(UNLOCK, 1)], []), ON).seconds == pytest.approx(30 * US)
    # Exclusive until 30 (20 + L); the shared one that asked at 5 + 10 has it then: 40. The exclusive one that asked
    # at 7 + 10 waits for its release, 50: granted 60.
    first = [lock(3, exclusive=True), sync(UNLOCK, 3)]
    second = [lock(3).after(5 * US), sync(UNLOCK, 3)]
    third = [lock(3, exclusive=True).after(7 * US), sync(UNLOCK, 3)]
    assert predict(timed(first, second, third, []), BARE).seconds == pytest.approx(60 * US)


def test_lock_all_costs_no_message_but_keeps_exclusive_locks_out(predict: Predict) -> None:
    holder = [ALL, sync(UNLOCK_ALL).after(100 * US)]
    other = [lock(0, exclusive=True).after(1 * US), sync(UNLOCK, 0)]
    assert predict(timed(holder, other), BARE).seconds == pytest.approx(110 * US)
    # The other way round: granted at 20, held until 20 + 100 + 10.
    holder = [lock(1, exclusive=True), sync(UNLOCK, 1).after(100 * US)]
    other = [sync(LOCK_ALL).after(30 * US), sync(UNLOCK_ALL)]
    assert predict(timed(holder, other), BARE).seconds == pytest.approx(130 * US)


def test_what_moves_nothing_costs_nothing(predict: Predict) -> None:
    assert predict(timed([ALL, sync(SYNC), DONE], []), ON).seconds == 0
    calls = [ALL, put(-2, 1000), get(-2, 8, request=True), waitall(1), DONE]
    assert predict(timed(calls, []), ON).seconds == 0


def test_windows_are_made_by_all_and_do_not_mix(predict: Predict) -> None:
    # An all-reduce of 8 bytes, then a barrier: 2 x (o_s + L + o_r) and 8 ns.
    got = predict([[win_new(), win_free()]] * 2, ON)
    assert got.seconds == pytest.approx(28 * US + 8e-9)
    # Rank 1 fences its windows the other way round, which only one barrier for both would let pass.
    first = [win_new(0), win_new(1), pcontrol(1), sync(FENCE, window=0), pcontrol(0)]
    second = [win_new(0), win_new(1), pcontrol(1), sync(FENCE, window=1), pcontrol(0)]
    with pytest.raises(UsageError, match="rank 0 stops in MPI_Win_sync"):
        predict([first, second], ON)


def test_messages_and_accesses_share_the_network(predict: Predict) -> None:
    # 1 MB each out of the same NIC, whoever asks for it.
    size = 1_000_000
    sender = [ALL, put(1, size), isend(1, size), waitall(1), DONE]
    receiver = [irecv(0, size), waitall(1)]
    got = predict(timed(sender, receiver), fabric(way(bandwidth=1e9)))
    assert got.seconds == pytest.approx(2e-3)


def test_a_window_that_was_never_made_is_refused_or_passed(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.lwt", [[put(0, 8).lasting(3 * US), sync(FENCE).lasting(4 * US)]])
    layout = Layout(nodes=1, node_of_rank=[0])
    with pytest.raises(UsageError, match="rank 0 uses a window in MPI_put whose creation is missing"):
        replay_in_detail(_engine.Trace(str(path)), ON, layout)
    passed = replay_in_detail(_engine.Trace(str(path)), ON, layout, tolerate_cut=True)
    assert passed.prediction.seconds == pytest.approx(7 * US)
    assert passed.result.unmodelled == {"MPI_put": 1, "MPI_Win_sync": 1}
