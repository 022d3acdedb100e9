"""From parts to a trace: clocks, states, and everything that a killed program leaves."""

import pytest
from part_files import (
    ABORTED,
    COUNTER,
    DISK_FULL,
    FINALISED,
    INITIALISED,
    NAMES,
    PartFile,
    call,
    payload,
    records,
    send_fields,
    shape,
    varint,
)

from linkworth import _engine
from linkworth.cli.main import main
from linkworth.errors import IncompleteError, UsageError
from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge
from linkworth.trace.read import Allowance, open_trace

SECOND = 2_000_000_000  # ticks
START = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
LATEST = (1000 + SECOND, 6_000_000_000, 1_700_000_001_000_000_000)
METADATA = TraceMetadata(workload="prog", command=["./prog"], verified=True)


def part(rank, size, **fields):
    defaults = {"pid": 100 + rank, "start": START, "latest": LATEST, "blocks": [(START[0], 0, records())]}
    return PartFile(rank=rank, size=size, **{**defaults, **fields})


def merged(folder, *parts):
    for each in parts:
        each.write(folder)
    summary = merge(folder, folder / "out.lwt", METADATA)
    return summary, open_trace(folder / "out.lwt", Allowance())


def test_a_complete_run(tmp_path):
    summary, trace = merged(
        tmp_path, part(0, 2), part(1, 2, cpu_ns=250_000_000, helpers_ms=125, first_core=0, processor="P 1")
    )
    assert (summary.state, summary.ranks, summary.events, summary.damage) == ("complete", 2, 6, [])
    assert summary.bytes == (tmp_path / "out.lwt").stat().st_size
    assert summary.verified is True
    assert trace.metadata.mpi.library == "Test MPI 1.0"
    assert trace.metadata.created
    ranks = trace.metadata.ranks
    assert [rank.state for rank in ranks] == ["complete", "complete"]
    assert ranks[1].cpu_seconds == 0.25
    assert [rank.helpers_seconds for rank in ranks] == [0, 0.125]
    assert [rank.first_core for rank in ranks] == [None, 0]
    assert [rank.processor for rank in ranks] == ["", "P 1"]
    assert ranks[0].elapsed_seconds == pytest.approx(1.0)
    events = list(trace.engine.iterate(1))
    assert [event["name"] for event in events] == ["MPI_Init", "MPI_Send", "MPI_Finalize"]
    # Half a nanosecond a tick, from the two synchronisations.
    assert events[1]["gap_seconds"] == pytest.approx(1e-6)
    assert events[1]["cpu_seconds"] == pytest.approx(900e-9)
    assert events[1]["duration_seconds"] == pytest.approx(50e-9)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".lwt", ".part", ".part"]


def test_a_rank_without_a_tick_length_takes_the_headers_or_its_neighbours(tmp_path):
    alone = part(0, 1, latest=START, ticks_per_second=1e9, flags=INITIALISED | COUNTER)
    _, trace = merged(tmp_path, alone)
    assert list(trace.engine.iterate(0))[1]["gap_seconds"] == pytest.approx(2e-6)
    _, trace = merged(tmp_path, part(0, 2), part(1, 2, latest=START, flags=INITIALISED | COUNTER))
    assert list(trace.engine.iterate(1))[1]["gap_seconds"] == pytest.approx(1e-6)


def test_the_origin_is_the_earliest_start_and_hosts_meet_by_the_real_time_clock(tmp_path):
    # node2's monotonic clock is elsewhere; its first process starts 0.25 s of real time later, its second 0.5 s after that,
    # whatever its stepped real-time clock says then.
    far = (0, 77_000_000_000, START[2] + 250_000_000)
    late = (0, 77_500_000_000, START[2] - 3_600_000_000_000)
    ends = [(SECOND, clock[1] + 1_000_000_000, 0) for clock in (far, late)]
    summary, trace = merged(
        tmp_path,
        part(0, 3),
        part(1, 3, host="node2", start=far, latest=ends[0], blocks=[(0, 0, records())]),
        part(2, 3, host="node2", start=late, latest=ends[1], blocks=[(0, 0, records())]),
    )
    assert summary.state == "complete"
    assert [rank.start_seconds for rank in trace.metadata.ranks] == pytest.approx([0.0, 0.25, 0.75])


def test_a_killed_rank_keeps_what_it_wrote_and_is_called_cut(tmp_path):
    torn = records(sends=3, finalize=False) + b"\0" + varint(70_000) + b"\x05"
    killed = part(1, 2, flags=INITIALISED | COUNTER, open_last=True, blocks=[(START[0], 0, torn)])
    summary, trace = merged(tmp_path, part(0, 2), killed)
    assert summary.state == "1 of 2 ranks did not reach MPI_Finalize"
    assert len(list(trace.engine.iterate(1))) == 4
    assert trace.metadata.ranks[1].state == "cut"
    assert any("cut after 4 calls" in sentence for sentence in summary.damage)
    assert any("a record that was being written" in sentence for sentence in summary.damage)
    assert trace.damage[1:] == summary.damage


def test_aborted_and_full_disk_are_told_apart(tmp_path):
    summary, trace = merged(
        tmp_path,
        part(0, 2, flags=INITIALISED | ABORTED | COUNTER),
        part(1, 2, flags=INITIALISED | FINALISED | DISK_FULL | COUNTER, dropped=17),
    )
    assert [rank.state for rank in trace.metadata.ranks] == ["aborted", "disk full"]
    assert trace.metadata.ranks[1].dropped_events == 17
    assert any("17 calls are missing" in sentence for sentence in summary.damage)
    assert summary.state == "1 of 2 ranks called MPI_Abort; 1 of 2 ranks had no more space to record in"


def test_missing_ranks_are_named_and_empty(tmp_path):
    summary, trace = merged(tmp_path, part(0, 8), part(4, 8))
    assert trace.engine.ranks == 8
    assert list(trace.engine.iterate(3)) == []
    assert (
        "ranks 1 to 3, 5 to 7 of 8 left no part that can be used: the trace holds no events of them"
        in summary.damage
    )


def test_parts_that_cannot_be_used_are_named_and_the_rest_is_kept(tmp_path):
    (tmp_path / "node1.7.part").write_bytes(b"LWPART1\0 torn")
    (tmp_path / "node1.8.part").write_bytes(b"")
    before_init = PartFile(rank=-1, size=0, flags=COUNTER, pid=9)
    summary, trace = merged(tmp_path, part(0, 1), before_init)
    assert trace.engine.events == 3
    assert any(
        "node1.7.part" in sentence and "the rank that wrote it is lost" in sentence
        for sentence in summary.damage
    )
    assert any("node1.8.part is empty" in sentence for sentence in summary.damage)
    assert any("process 9 on node1 did not come out of MPI_Init" in sentence for sentence in summary.damage)


def test_a_second_program_in_the_run_is_left_out_and_named(tmp_path):
    later = (START[0], START[1] + 10**9, START[2] + 10**9)
    again = part(0, 2, pid=200, start=later, latest=(LATEST[0], LATEST[1] + 10**9, 0))
    other = part(3, 4, pid=201, start=later, latest=(LATEST[0], LATEST[1] + 10**9, 0))
    summary, trace = merged(tmp_path, part(0, 2), part(1, 2), again, other)
    assert trace.engine.events == 6
    assert any("process 200 on node1) was recorded a second time" in sentence for sentence in summary.damage)
    assert any("another run of 4 ranks" in sentence for sentence in summary.damage)
    assert main(["trace", "--merge", str(tmp_path), "-o", str(tmp_path / "again.lwt")]) == 4


def test_names_of_ranks_are_put_together_and_unmodelled_calls_counted(tmp_path):
    other = ["MPI_New", *reversed(NAMES)]
    _, trace = merged(tmp_path, part(0, 2), part(1, 2, names=other, blocks=[(START[0], 0, records(other))]))
    assert [event["name"] for event in trace.engine.iterate(1)] == ["MPI_Init", "MPI_Send", "MPI_Finalize"]
    assert trace.engine.names == ["MPI_Init", "MPI_Send", "MPI_Finalize"]
    put = shape(payload(NAMES, "MPI_Put", 0)) + shape(payload(NAMES, "MPI_Comm_rank", 0))
    body = put + call(0, 1, 1) * 5 + call(1, 1, 1) * 9
    summary, _ = merged(tmp_path, part(0, 1, blocks=[(START[0], 0, body)]))
    assert summary.unmodelled == {"MPI_Put": 5}


def test_several_blocks_and_one_longer_than_a_block(tmp_path):
    long = shape(payload(NAMES, "MPI_Isend", 12, bytes(5) + varint(40_000) + b"\x90\x4e" * 40_000 + b"\0"))
    blocks = [(START[0], 0, records(finalize=False)), (9000, 3, long + call(0, 5, 5)), (9100, 7, records())]
    _, trace = merged(tmp_path, part(0, 1, blocks=blocks))
    events = list(trace.engine.iterate(0))
    assert len(events) == 6
    assert events[2]["fields"]["send_counts"] == [10_000] * 40_000
    assert [event["next_request"] for event in events] == [0, 0, 3, 7, 7, 7]


def test_a_part_cut_at_any_byte_gives_a_trace_or_a_sentence(tmp_path):
    content = part(0, 1, blocks=[(START[0], 0, records(sends=3))]).encode()
    path = tmp_path / "node1.1.part"
    for end in [*range(0, 1200, 37), *range(65536, 65536 + 130)]:
        path.write_bytes(content[:end])
        try:
            summary = merge(tmp_path, tmp_path / "o.lwt", METADATA)
        except UsageError as refused:
            assert end < 65536
            assert "no rank was recorded" in str(refused)
        else:
            assert summary.events <= 5
            assert open_trace(tmp_path / "o.lwt", Allowance()).engine.events == summary.events


def test_without_parts_or_a_place_to_write_nothing_is_merged(tmp_path):
    with pytest.raises(UsageError, match="no rank was recorded"):
        merge(tmp_path, tmp_path / "o.lwt", METADATA)
    part(0, 1).write(tmp_path)
    with pytest.raises(IncompleteError, match="kept in"):
        merge(tmp_path, tmp_path / "missing" / "o.lwt", METADATA)
    assert list(tmp_path.glob("*.part"))


def test_part_info_knows_what_its_header_says(tmp_path):
    info = _engine.part_info(str(part(1, 2).write(tmp_path)))
    assert (info["size"], info["state"]) == (2, "complete")


def test_a_table_of_names_with_much_room_left_is_read_to_its_last_name(tmp_path):
    names = [*NAMES, "MPI_Send@/bin/program+0x10", *[""] * 5000]
    assert _engine.part_info(str(part(0, 1, names=names).write(tmp_path)))["call_sites"] == [
        "/bin/program+0x10"
    ]


def test_the_events_of_threads_come_in_the_order_of_their_ends(tmp_path):
    first = shape(payload(NAMES, "MPI_Init", 18, varint(3))) + call(0, 500, 1000)  # ends at 2500
    first += shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, 8))) + call(1, 100, 200)  # 2600 to 2800
    wait = varint(0) + varint(1) + varint(1) + varint(2 * 1)  # the latest request: the other thread's
    first += shape(payload(NAMES, "MPI_Wait", 9, wait)) + call(2, 300, 100)  # 3100 to 3200
    second = shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, 16))) + call(0, 0, 400)  # 2550 to 2950
    second += call(0, 350, 10, cpu=7000)  # 3300 to 3310, CPU time of a gap that is cut to 100
    blocks = [(START[0], 0, first), (2550, 1, second)]
    summary, trace = merged(tmp_path, part(0, 1, blocks=blocks, threads=[0, 1]))
    assert summary.events == 5
    events = list(trace.engine.iterate(0))
    ticks = [
        tuple(round(event[f"{name}_seconds"] * SECOND) for name in ("gap", "duration", "overlap"))
        for event in events
    ]
    assert [event["thread"] for event in events] == [0, 0, 1, 0, 1]
    assert ticks == [(500, 1000, 0), (100, 200, 0), (0, 150, 250), (150, 100, 0), (100, 10, 0)]
    assert [event["next_request"] for event in events] == [0, 0, 1, 2, 2]
    assert events[4]["cpu_seconds"] == pytest.approx(7e-6 * 100 / 350, rel=1e-3)


def test_space_that_no_thread_used_is_passed_over(tmp_path):
    file = part(0, 1, blocks=[(START[0], 0, records()), (START[0] + 5000, 0, b""), (START[0] + 9000, 0, b"")])
    data = file.encode()
    hole = data[:65536] + b"\0" * 65536 + data[65536:]
    (tmp_path / "node1.100.part").write_bytes(hole)
    summary = merge(tmp_path, tmp_path / "out.lwt", METADATA)
    assert (summary.events, summary.damage) == (3, [])
