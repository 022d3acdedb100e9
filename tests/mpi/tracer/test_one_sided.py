"""Windows and what is done through them, as they stand in the parts of `programs/one_sided.c`."""

import through_engine
from part_reader import ANY, NOBODY


def test_every_one_sided_call_is_recorded_as_the_program_made_it(bench, yielding):
    run = bench.record(bench.compile("one_sided.c"), yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    through_engine.check(run.parts, bench.folder / "trace.lwt")
    assert len(run.parts) == 4
    for part in run.parts:
        # The program's communicator counts the ranks from behind.
        after = (4 - part.rank) % 4
        _check_windows(part)
        _check_fenced(part, after)
        _check_groups(part, after)
        _check_locked(part, after)
        _check_nothing_is_left_over(part)


def _fields(part, name):
    return [event.fields for event in part.named(name)]


def _transfer(operation, window, target, sent, received):
    return {"operation": operation, "window": window, "target": target, "to": sent, "from": received}


def _sync(kind, window, target=ANY, flag=0, ranks=()):
    return {"kind": kind, "window": window, "target": target, "flag": flag, "ranks": list(ranks)}


def _check_windows(part):
    made = [(event.name, event.fields) for event in part.of_kind("win_new")]
    assert made == [
        ("MPI_Win_create", {"comm": 2, "new": 0, "bytes": 64}),
        ("MPI_Win_allocate", {"comm": 2, "new": 1, "bytes": 16}),
        ("MPI_Win_allocate", {"comm": 2, "new": 2, "bytes": 32}),
        ("MPI_Win_allocate_shared", {"comm": 2, "new": 3, "bytes": 8}),
        ("MPI_Win_create_dynamic", {"comm": 2, "new": 4, "bytes": 0}),
    ]
    assert [event.fields["window"] for event in part.of_kind("win_free")] == [0, 1, 2, 3, 4]
    assert [event.kind for event in part.named("MPI_Win_attach")] == ["local"]


def _check_fenced(part, after):
    assert _fields(part, "MPI_Win_fence") == [_sync("fence", 0)] * 4 + [_sync("fence", 4), _sync("fence", 3)]
    first, to_nobody, in_epoch = _fields(part, "MPI_Put")
    assert first == _transfer("put", 0, after, 16, 0)
    assert to_nobody == _transfer("put", 0, NOBODY, 16, 0)
    assert in_epoch == _transfer("put", 1, after, 4, 0)
    assert _fields(part, "MPI_Get") == [_transfer("get", 0, after, 0, 8), _transfer("get", 2, after, 0, 8)]
    assert _fields(part, "MPI_Accumulate") == [_transfer("accumulate", 0, after, 8, 0)]


def _check_groups(part, after):
    before = (after + 2) % 4
    assert _fields(part, "MPI_Win_post") == [_sync("post", 1, ranks=[before])] * 2
    assert _fields(part, "MPI_Win_start") == [_sync("start", 1, ranks=[after])] * 2
    assert _fields(part, "MPI_Win_complete") == [_sync("complete", 1)] * 2
    assert _fields(part, "MPI_Win_wait") == [_sync("wait", 1)]
    *not_yet, ended = _fields(part, "MPI_Win_test")
    assert ended == _sync("test", 1, flag=1)
    assert all(fields == _sync("test", 1) for fields in not_yet)


def _check_locked(part, after):
    own = (after + 3) % 4
    assert _fields(part, "MPI_Win_lock") == [_sync("lock", 2, own, flag=1), _sync("lock", 2, after)]
    assert _fields(part, "MPI_Win_unlock") == [_sync("unlock", 2, own), _sync("unlock", 2, after)]
    for name in ("lock_all", "unlock_all", "flush_all", "flush_local_all", "sync"):
        assert _fields(part, f"MPI_Win_{name}") == [_sync(name, 2)]
    assert _fields(part, "MPI_Win_flush") == [_sync("flush", 2, 0)]
    assert _fields(part, "MPI_Win_flush_local") == [_sync("flush_local", 2, 0)]
    # Nothing goes to the target for MPI_NO_OP.
    assert _fields(part, "MPI_Fetch_and_op") == [
        _transfer("fetch", 2, 0, 4, 4),
        _transfer("fetch", 2, 0, 0, 4),
    ]
    assert _fields(part, "MPI_Compare_and_swap") == [_transfer("fetch", 2, after, 8, 4)]
    assert _fields(part, "MPI_Get_accumulate") == [
        _transfer("fetch", 2, after, 8, 8),
        _transfer("fetch", 2, after, 0, 8),
    ]
    requested = [(event.name, event.fields) for event in part.of_kind("irma")]
    assert requested == [
        ("MPI_Rput", _transfer("put", 2, after, 8, 0)),
        ("MPI_Rget", _transfer("get", 2, after, 0, 4)),
        ("MPI_Raccumulate", _transfer("accumulate", 2, after, 4, 0)),
        ("MPI_Rget_accumulate", _transfer("fetch", 2, after, 4, 4)),
    ]
    (waited,) = _fields(part, "MPI_Waitall")
    assert waited["completed"] == [(4, None), (3, None), (2, None), (1, None)]


def _check_nothing_is_left_over(part):
    names = ("MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_R", "MPI_Fetch", "MPI_Compare")
    local = [event.name for event in part.of_kind("local")]
    assert not [name for name in local if name.startswith(names)]
