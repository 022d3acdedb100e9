"""Point-to-point calls as they stand in the parts of `programs/point_to_point.c`."""

from part_reader import ANY, NOBODY


def _by_tag(part, name, tag):
    found = [event.fields for event in part.named(name) if event.fields["tag"] == tag]
    assert len(found) == 1, f"{name} with tag {tag}: {found}"
    return found[0]


def test_every_call_is_recorded_as_the_program_made_it(bench, yielding):
    run = bench.record(bench.compile("point_to_point.c"), yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    assert [(part.rank, part.size, part.flags & 15) for part in run.parts] == [(r, 4, 3) for r in range(4)]
    for part in run.parts:
        _check_names(part)
        _check_wildcards(part)
        _check_persistent(part)
        _check_requests(part)
        _check_exchanges(part)
        _check_probes(part)
    _check_modes(run.parts[0], run.parts[1])
    _check_messages_match(run.parts)


def _check_names(part):
    assert part.events[0].name == "MPI_Init"
    assert part.events[-1].name == "MPI_Finalize"
    assert part.named("MPI_Pcontrol")[0].fields == {"level": 2}
    # The library's own calls and those of yielding are not recorded.
    assert not {event.name for event in part.events} & {"MPI_Ibarrier", "MPI_Pack", "MPI_Imrecv_c"}
    assert len(part.named("MPI_Barrier")) == 13
    assert part.named("MPI_Comm_rank")[0].kind == "local"


def _check_modes(sender, receiver):
    for tag, name in ((1, "MPI_Send"), (2, "MPI_Bsend"), (3, "MPI_Ssend"), (4, "MPI_Rsend")):
        assert _by_tag(sender, name, tag) == {"comm": 0, "peer": 1, "tag": tag, "bytes": 4}
    assert _by_tag(receiver, "MPI_Recv", 2) == {"comm": 0, "peer": 0, "tag": 2, "bytes": 32}
    assert _by_tag(receiver, "MPI_Irecv", 4)["bytes"] == 4


def _check_wildcards(part):
    wild = [event.fields for event in part.named("MPI_Recv") if event.fields["peer"] == ANY]
    if part.rank == 0:
        assert sorted(fields["actual"] for fields in wild) == [(1, 11), (2, 12), (3, 13)]
        assert all(fields["tag"] == ANY for fields in wild)
    else:
        assert wild == []


def _check_exchanges(part):
    after, before = (part.rank + 1) % 4, (part.rank + 3) % 4
    around, nobody, _ = (event.fields for event in part.named("MPI_Sendrecv"))
    assert around["send"] == {"peer": after, "tag": 20, "bytes": 4}
    assert around["receive"] == {"peer": before, "tag": 20, "bytes": 4}
    assert nobody["send"]["peer"] == nobody["receive"]["peer"] == NOBODY
    replaced, *columns = (event.fields for event in part.named("MPI_Sendrecv_replace"))
    assert (replaced["receive"]["peer"], replaced["actual"]) == (ANY, (before, 21))
    # Four rows of one column, then of two: the datatype's size is without gaps, and not that of its predecessor.
    assert [fields["send"]["bytes"] for fields in columns] == [32, 64]


def _check_persistent(part):
    before = (part.rank + 3) % 4
    assert part.named("MPI_Recv_init")[0].fields == {"comm": 0, "peer": ANY, "tag": 60, "bytes": 4}
    assert part.named("MPI_Send_init")[0].kind == "send_init"
    assert [event.fields["references"] for event in part.of_kind("start")] == [[2, 1]] * 3 + [
        [2],
        [1],
        [1],
        [1],
    ]
    # The last wait of the program on inactive requests completes none of them.
    listed = [event for event in part.named("MPI_Waitall") if (1, None) in event.fields["completed"]]
    persistent = [event.fields for event in listed if (2, (before, 60)) in event.fields["completed"]]
    assert len(persistent) == 3
    idle = [event.fields for event in part.named("MPI_Waitall") if event.fields["listed"] == 0]
    assert idle == [{"mode": "waitall", "listed": 0, "completed": []}]
    # Three persistent ones, and the send that was freed before it was complete.
    assert [event.fields["reference"] for event in part.named("MPI_Request_free")] == [2, 1, 1, 1]
    assert [event.fields["reference"] for event in part.named("MPI_Cancel")] == [1]
    waits = [event.fields["completed"] for event in part.named("MPI_Wait")]
    assert waits.count([(1, (ANY, ANY))]) == 1, "the cancelled receive"
    assert waits.count([(1, (NOBODY, ANY))]) == 1, "the receive from nobody"


def _check_probes(part):
    before = (part.rank + 3) % 4
    assert part.named("MPI_Probe")[0].fields == {
        "comm": 0, "peer": before, "tag": 70, "found": 1, "actual": (before, 70),
    }  # fmt: skip
    probes = [event.fields for event in part.named("MPI_Iprobe")]
    assert probes[-1]["actual"] == (before, 71)
    assert all(fields["found"] == 0 for fields in probes[:-1])
    matched, from_nobody = (event.fields for event in part.named("MPI_Mrecv"))
    assert matched == {"comm": 0, "peer": before, "tag": 72, "bytes": 4}
    assert from_nobody["peer"] == NOBODY
    assert part.named("MPI_Imrecv")[0].fields == {"comm": 0, "peer": before, "tag": 73, "bytes": 4}


def _check_requests(part):
    """Every request that was made is completed or freed exactly once, and wildcard receives have their source."""
    persistent, live, wild, made = set(), set(), set(), 0
    for event in part.events:
        if event.kind in ("isend", "irecv"):
            live.add(made)
            if event.kind == "irecv" and ANY in (event.fields["peer"], event.fields["tag"]):
                wild.add(made)
            made += 1
        elif event.kind in ("send_init", "recv_init"):
            persistent.add(made)
            if event.kind == "recv_init" and ANY in (event.fields["peer"], event.fields["tag"]):
                wild.add(made)
            made += 1
        elif event.kind == "start":
            started = {made - reference for reference in event.fields["references"]}
            assert started <= persistent
            live |= started
        elif event.kind == "complete":
            for reference, actual in event.fields["completed"]:
                live.remove(made - reference)
                assert (actual is not None) == ((made - reference) in wild)
        elif event.kind == "request_free":
            live.discard(made - event.fields["reference"])
    assert live == set()


def _check_messages_match(parts):
    """Compare the messages sent with those received, for each pair of ranks and tag.

    Those of persistent requests are checked above.
    """
    persistent = (60, 65)
    sent, received = {}, {}
    for part in parts:
        pending = {}
        made = 0
        for event in part.events:
            fields = event.fields
            if event.kind in ("send", "isend") and fields["peer"] != NOBODY:
                key = (part.rank, fields["peer"], fields["tag"])
                sent[key] = sent.get(key, 0) + 1
            if event.kind == "recv" and fields["peer"] != NOBODY and fields["tag"] not in persistent:
                peer, tag = fields.get("actual", (fields["peer"], fields["tag"]))
                received[peer, part.rank, tag] = received.get((peer, part.rank, tag), 0) + 1
            if event.kind == "irecv":
                pending[made] = (fields["peer"], fields["tag"])
            if event.kind == "complete":
                for reference, actual in fields["completed"]:
                    peer, tag = actual or pending.pop(made - reference, (NOBODY, 0))
                    if peer not in (NOBODY, ANY) and tag not in persistent:
                        received[peer, part.rank, tag] = received.get((peer, part.rank, tag), 0) + 1
            made += event.kind in ("isend", "irecv", "send_init", "recv_init")
    assert sent == received
