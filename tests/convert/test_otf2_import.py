"""Traces of OTF2 archives that other tools wrote, and archives that cannot be read."""

import re
from pathlib import Path

import pytest
from otf2_archives import by_bindings, by_eztrace, events
from synthetic import PROC_NULL, collective, send, write_trace

from linkworth.convert import convert

pytestmark = pytest.mark.requires("otf2")


@pytest.fixture
def archive(tmp_path):
    calls = [send(1, 10), collective("MPI_Barrier")]
    trace = write_trace(tmp_path / "good.lwt", [calls * 100, [collective("MPI_Barrier")] * 100])
    return Path(convert(trace, "otf2").path)


def test_the_name_of_the_folder_or_of_the_anchor_will_do(archive, tmp_path):
    by_folder = convert(archive, None, tmp_path / "folder.lwt")
    by_anchor = convert(archive / "traces.otf2", None, tmp_path / "anchor.lwt")
    assert by_folder.records == by_anchor.records == 304
    assert Path(by_folder.path).read_bytes() == Path(by_anchor.path).read_bytes()


def test_damaged_archives_are_one_sentence(archive, tmp_path, refused):
    output = tmp_path / "never.lwt"
    cut = archive / "traces" / "0.evt"
    whole = cut.read_bytes()
    cut.write_bytes(whole[:1000] + bytes(100) + whole[1100:])
    said = refused("convert", archive, "-o", output)
    assert "the events of rank 0 cannot be read to their end: " in said
    cut.unlink()
    refused("convert", archive, "-o", output)
    (archive / "traces.def").write_bytes(b"no definitions\x02\x01")
    said = refused("convert", archive, "-o", output)
    assert "it is no OTF2 archive that can be read, or it is damaged: OTF2 says: " in said
    (archive / "traces.otf2").write_bytes(b"no anchor")
    refused("convert", archive, "-o", output)
    assert not output.exists()


def test_more_properties_than_the_anchor_file_can_contain(archive, tmp_path, refused):
    anchor = archive / "traces.otf2"
    whole = anchor.read_bytes()
    name = whole.index(b"LINKWORTH::METADATA")
    anchor.write_bytes(whole[: name - 4] + (1 << 22).to_bytes(4, "little") + whole[name:])
    said = refused("convert", archive, "-o", tmp_path / "never.lwt")
    assert "it claims more properties than its bytes can contain" in said


def test_fewer_events_than_the_archive_says_are_told(archive, tmp_path, refused):
    ranks = archive / "traces"
    for kind in ("evt", "def"):
        (ranks / f"0.{kind}").write_bytes((ranks / f"1.{kind}").read_bytes())
    said = refused("convert", archive, "-o", tmp_path / "never.lwt")
    assert re.search(
        r"the events of rank 0 cannot be read to their end: location 0 should have \d+ events, "
        r"and OTF2 finds \d+; its file is damaged",
        said,
    )


@pytest.mark.parametrize("file", ["traces/0.evt", "traces/0.def", "traces.def"])
def test_a_cut_file_is_told_whatever_stands_in_memory_behind_it(archive, tmp_path, refused, file):
    output = tmp_path / "never.lwt"
    cut = archive / file
    whole = cut.read_bytes()
    of = (
        "the events of rank 0 cannot be read to their end: its file"
        if "/" in file
        else "its file of definitions"
    )
    for left in {0, 1, len(whole) // 2, len(whole) - 2, len(whole) - 1}:
        cut.write_bytes(whole[:left])
        said = refused("convert", archive, "-o", output)
        assert f"{of} was cut" in said
    assert not output.exists()


def test_what_is_no_archive_is_one_sentence(archive, tmp_path, refused):
    assert "missing.otf2 does not exist" in refused("convert", tmp_path / "missing.otf2")
    (archive / "second.otf2").write_bytes(b"")
    assert "has several OTF2 archives (second.otf2, traces.otf2)" in refused(
        "convert", archive, "-o", tmp_path / "never.lwt"
    )
    assert "convert it to one first, without --to" in refused(
        "convert", archive, "--to", "otf2", "-o", tmp_path / "twice"
    )


def test_without_otf2_it_says_what_to_install(archive, tmp_path, refused, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = refused("convert", tmp_path / "good.lwt", "--to", "otf2", "-o", tmp_path / "never", code=3)
    assert "OTF2 is not installed here" in said and "apt-get install libotf2-trace-dev" in said
    refused("convert", archive, "-o", tmp_path / "never.lwt", code=3)
    assert not (tmp_path / "never").exists()


RECORDED_BY_EZTRACE = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, other;
    char out[64], in[64];
    MPI_Request receive, send;
    MPI_Status status;
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &twin);
    other = 1 - rank;
    for (int turn = 0; turn < 5; ++turn) {
        MPI_Irecv(in, 64, MPI_CHAR, other, 7, MPI_COMM_WORLD, &receive);
        MPI_Isend(out, 48, MPI_CHAR, other, 7, MPI_COMM_WORLD, &send);
        MPI_Wait(&receive, &status);
        MPI_Wait(&send, &status);
    }
    if (rank == 0) MPI_Send(out, 16, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in, 16, MPI_CHAR, 0, 9, MPI_COMM_WORLD, &status);
    MPI_Allreduce(out, in, 8, MPI_CHAR, MPI_MAX, twin);
    MPI_Bcast(out, 32, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.requires("eztrace")
@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_an_archive_of_eztrace(kind, tmp_path):
    archive = by_eztrace(RECORDED_BY_EZTRACE, kind, tmp_path)
    summary = convert(archive, None, tmp_path / "pair.lwt")
    assert summary.ranks == 2
    zero, one = (events(Path(summary.path), rank) for rank in (0, 1))
    sends = [event for event in zero if event["call_class"] in ("isend", "send")]
    assert [(event["name"], event["fields"]["peer"], event["fields"]["tag"], event["fields"]["bytes"]) for event in sends] == [
        *[("MPI_Isend", 1, 7, 48)] * 5,
        ("MPI_Send", 1, 9, 16),
    ]  # fmt: skip
    received = [event["fields"] for event in one if event["call_class"] == "recv"]
    assert [(fields["peer"], fields["tag"], fields["bytes"]) for fields in received] == [(0, 9, 16)]
    collectives = [event for event in one if event["call_class"] == "collective"]
    assert [(event["name"], event["fields"]["peer"], event["fields"]["bytes"]) for event in collectives] == [
        ("MPI_Allreduce", -1, 8),
        ("MPI_Bcast", 1, 32),
    ]
    assert sum(event["call_class"] == "irecv" for event in one) == 5
    # EZTrace 2.0 writes the start of a non-blocking receive and never its end.
    assert summary.remarks == [
        "10 non-blocking receives or collectives have no end in the archive; their requests receive nothing, and a replay stops "
        "if a sender waits for them"
    ]


WRITTEN_BY_BINDINGS = """
main = d.region("main")
isend = d.region("MPI_ISEND", paradigm=Paradigm.MPI)
wait = d.region("mpi_wait_", paradigm=Paradigm.MPI)
recv = d.region("MPI_Recv()", paradigm=Paradigm.MPI)
phase = d.parameter("phase", ParameterType.INT64)
places = [d.location("thread", group=d.location_group(f"rank {r}", system_tree_parent=node)) for r in (0, 1)]
d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, places)
world = d.comm("MPI_COMM_WORLD", d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0, 1]))
zero, one = (trace.event_writer_from_location(place) for place in places)
zero.enter(1000, main)
zero.parameter_int(1100, phase, 5)
zero.enter(1500, isend)
zero.mpi_isend(1501, 1, world, 4, 77, 123456789)
zero.leave(1510, isend)
zero.enter(2000, wait)
zero.mpi_isend_complete(2100, 123456789)
zero.leave(2110, wait)
zero.leave(3000, main)
one.enter(1000, main)
one.enter(1400, recv)
one.mpi_recv(1600, 0, world, 4, 77)
one.leave(1610, recv)
one.leave(3000, main)
"""


@pytest.mark.requires("python-otf2")
def test_names_clock_and_requests_of_another_writer(tmp_path):
    by_bindings(WRITTEN_BY_BINDINGS, tmp_path / "other", resolution=10**6)
    summary = convert(tmp_path / "other", None, tmp_path / "other.lwt")
    assert summary.unknown == {"ParameterInt": 1}
    zero, one = (events(Path(summary.path), rank, times=True) for rank in (0, 1))
    assert [event["name"] for event in (*zero, *one)] == ["MPI_Isend", "MPI_Wait", "MPI_Recv"]
    assert zero[0]["fields"] == {"comm": 0, "peer": 1, "tag": 4, "bytes": 77}
    assert zero[1]["fields"]["completions"] == [(1, False, 0, 0)]
    # Microseconds: from main's start to the call, inside the call, and from there to the next.
    assert [(event["gap_seconds"], event["duration_seconds"]) for event in zero] == [
        (pytest.approx(500e-6), pytest.approx(10e-6)),
        (pytest.approx(490e-6), pytest.approx(110e-6)),
    ]
    assert (one[0]["fields"]["peer"], one[0]["fields"]["bytes"]) == (0, 77)


LIKE_SCORE_P = """
trace.creator = "Score-P 8.0"
names = ["MPI_Init", "MPI_Irecv", "MPI_Wait", "MPI_Allreduce", "MPI_Gather", "MPI_Scatter", "MPI_Scan", "MPI_Ibcast"]
region = {name: d.region(name, paradigm=Paradigm.MPI) for name in names}
places = [d.location("thread", group=d.location_group(f"rank {r}", system_tree_parent=node)) for r in (0, 1)]
d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, places)
everyone = d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0, 1])
world = d.comm("MPI_COMM_WORLD", everyone)
first, second = d.comm("first", everyone, world), d.comm("second", everyone, world)
for rank, place in enumerate(places):
    w = trace.event_writer_from_location(place)
    now = [1000]
    def call(name, *records):
        w.enter(now[0], region[name])
        for kind, *values in records:
            getattr(w, kind)(now[0] + 10, *values)
        w.leave(now[0] + 20, region[name])
        now[0] += 100
    def collective(name, comm, operation, root, sent, received):
        call(name, ("mpi_collective_begin",), ("mpi_collective_end", operation, comm, root, sent, received))
    call("MPI_Init")
    none = CollectiveRoot.NONE if hasattr(CollectiveRoot, "NONE") else 2**32 - 1
    # Rank 1 uses the second of two equal communicators before the first.
    for comm in ((first, second) if rank == 0 else (second, first)):
        collective("MPI_Allreduce", comm, CollectiveOp.ALLREDUCE, none, 16, 16)
    collective("MPI_Gather", world, CollectiveOp.GATHER, 0, 6, 12 if rank == 0 else 0)
    # With MPI_IN_PLACE.
    collective("MPI_Scatter", world, CollectiveOp.SCATTER, 1, 8 * rank, 8 - 8 * rank)
    collective("MPI_Scan", world, CollectiveOp.SCAN, none, 8 - 8 * rank, 8 * rank)
    call("MPI_Irecv", ("mpi_irecv_request", 5))
    call("MPI_Irecv", ("mpi_irecv_request", 6))
    call("MPI_Wait", ("mpi_irecv", 1 - rank, world, 3, 40, 6))
    call("MPI_Wait", ("mpi_irecv", 1 - rank, first, 2, 30, 5))
    call("MPI_Ibcast", ("non_blocking_collective_request", 7))
    call("MPI_Wait", ("non_blocking_collective_complete", CollectiveOp.BCAST, world, 1, 32 * rank, 16, 7))
"""


@pytest.mark.requires("python-otf2")
def test_totals_and_communicators_as_score_p_writes_them(tmp_path):
    by_bindings(LIKE_SCORE_P, tmp_path / "scorep")
    summary = convert(tmp_path / "scorep", None, tmp_path / "scorep.lwt")
    # The totals of two ranks fit an MPI_Allreduce of 8 bytes, and one of 16 with MPI_IN_PLACE.
    (remark,) = summary.remarks
    assert remark.startswith("4 collectives may have used MPI_IN_PLACE") and summary.unknown == {}
    for rank in (0, 1):
        calls = events(Path(summary.path), rank)
        assert [call["name"] for call in calls[:3]] == ["MPI_Init", "MPI_Comm_create", "MPI_Comm_create"]
        fields = [call["fields"] for call in calls[3:]]
        # The same number on both ranks is the same communicator.
        assert [of["comm"] for of in fields[:2]] == ([2, 3] if rank == 0 else [3, 2])
        assert [(of["bytes"], of["recv_bytes"]) for of in fields[:5]] == [
            (8, 8),
            (8, 8),
            (6, 6 if rank == 0 else 0),
            (8 * rank, 8),
            (8, 8),
        ]
        # Eight bytes are a double.
        assert [of["element_bytes"] for of in fields[:5]] == [8, 8, 1, 1, 8]
        peer = 1 - rank
        assert fields[5] == {"comm": 2, "peer": peer, "tag": 2, "bytes": 30}
        assert fields[6] == {"comm": 0, "peer": peer, "tag": 3, "bytes": 40}
        assert [of["completions"] for of in fields[7:9]] == [[(1, False, 0, 0)], [(2, False, 0, 0)]]
        assert (calls[-2]["name"], fields[9]["peer"], fields[9]["bytes"]) == ("MPI_Ibcast", 1, 16)


OF_TWO_RANKS = """
names = ["MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Isend", "MPI_Irecv", "MPI_Recv_init", "MPI_Start", "MPI_Probe", "MPI_Wait",
         "MPI_Bcast", "MPI_Cancel"]
region = {name: d.region(name, paradigm=Paradigm.MPI) for name in names}
places = [d.location("thread", group=d.location_group(f"rank {r}", system_tree_parent=node)) for r in (0, 1)]
d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, places)
world = d.comm("MPI_COMM_WORLD", d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0, 1]))
def write(rank, *calls, start=1000):
    w = trace.event_writer_from_location(places[rank])
    for number, (name, *record) in enumerate(calls):
        now = start + 100 * number
        w.enter(now, region[name])
        if record:
            getattr(w, record[0])(now + 10, *record[1:])
        w.leave(now + 20, region[name])
"""

NULL_LIKE_SCORE_P = """
trace.creator = "Score-P 8.0"
write(0, ("MPI_Send",), ("MPI_Sendrecv",), ("MPI_Isend",), ("MPI_Irecv",), ("MPI_Isend", "mpi_isend", 1, world, 3, 8, 4),
      ("MPI_Wait", "mpi_isend_complete", 4))
write(1, ("MPI_Recv",), ("MPI_Recv_init",), ("MPI_Start", "mpi_irecv_request", 5), ("MPI_Probe",),
      ("MPI_Wait", "mpi_irecv", 0, world, 3, 8, 5), ("MPI_Irecv", "mpi_irecv_request", 6),
      ("MPI_Cancel", "mpi_request_cancelled", 6))
"""


@pytest.mark.requires("python-otf2")
def test_what_score_p_writes_no_record_of(tmp_path):
    by_bindings(OF_TWO_RANKS + NULL_LIKE_SCORE_P, tmp_path / "null")
    summary = convert(tmp_path / "null", None, tmp_path / "null.lwt")
    assert summary.remarks == []
    zero, one = (events(Path(summary.path), rank) for rank in (0, 1))
    assert [(call["call_class"], call["fields"].get("peer")) for call in zero] == [
        ("send", PROC_NULL),
        ("sendrecv", PROC_NULL),
        ("isend", PROC_NULL),
        ("irecv", PROC_NULL),
        ("isend", 1),
        ("complete", None),
    ]
    assert [(call["call_class"], call["fields"].get("peer")) for call in one] == [
        ("recv", PROC_NULL),
        ("recv_init", PROC_NULL),
        ("irecv", 0),
        ("probe", PROC_NULL),
        ("complete", None),
        ("irecv", PROC_NULL),  # taken back
        ("local", None),
    ]
    assert one[3]["fields"]["found"] == 0


# EZTrace writes MPI_PROC_NULL as a number, no start of some receives, and ends others by the record of a send.
NULL_LIKE_EZTRACE = """
null = 2**32 - 1
write(0, ("MPI_Send", "mpi_send", null, world, 3, 8), ("MPI_Irecv", "mpi_irecv_request", 5),
      ("MPI_Wait", "mpi_isend_complete", 5), ("MPI_Wait", "mpi_irecv", 1, world, 3, 8, 6))
write(1, ("MPI_Recv", "mpi_recv", null, world, null, 0), ("MPI_Send", "mpi_send", 0, world, 3, 8))
"""


@pytest.mark.requires("python-otf2")
def test_odd_records_as_eztrace_writes_them(tmp_path):
    by_bindings(OF_TWO_RANKS + NULL_LIKE_EZTRACE, tmp_path / "odd")
    summary = convert(tmp_path / "odd", None, tmp_path / "odd.lwt")
    zero, one = (events(Path(summary.path), rank) for rank in (0, 1))
    assert [(call["name"], call["fields"].get("peer")) for call in zero] == [
        ("MPI_Send", PROC_NULL),
        ("MPI_Irecv", PROC_NULL),
        ("MPI_Wait", None),
        ("MPI_Irecv", 1),
        ("MPI_Wait", None),
    ]
    assert (zero[3]["fields"]["bytes"], zero[4]["fields"]["completions"]) == (8, [(1, False, 0, 0)])
    assert [call["fields"]["peer"] for call in one] == [PROC_NULL, 0]


@pytest.mark.requires("python-otf2")
@pytest.mark.parametrize(
    ("calls", "sentence"),
    [
        ('("MPI_Send", "mpi_send", 7, world, 3, 8)', "rank 0 names rank 7 of a communicator of 2"),
        (
            '("MPI_Bcast", "mpi_collective_end", CollectiveOp.BCAST, world, 9, 8, 8)',
            "rank 0 names rank 9 of a communicator of 2",
        ),
        ('("MPI_Probe",), start=2**63', "an event comes more than 9000000000 seconds after the start"),
    ],
)
def test_records_that_cannot_be_are_one_sentence(tmp_path, refused, calls, sentence):
    by_bindings(OF_TWO_RANKS + f'write(1, ("MPI_Probe",))\nwrite(0, {calls})', tmp_path / "bad")
    said = refused("convert", tmp_path / "bad", "-o", tmp_path / "never.lwt")
    assert f"{sentence}; the archive is damaged" in said


OF_THREADS = """
send = d.region("MPI_Send", paradigm=Paradigm.MPI)
process = d.location_group("rank 0", system_tree_parent=node)
last, idle, first, master = (d.location(name, group=process) for name in ("last", "idle", "first", "master"))
d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, [master])
world = d.comm("MPI_COMM_WORLD", d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0]))
def call(place, tag, enter, leave):
    writer = trace.event_writer_from_location(place)
    writer.enter(enter, send)
    writer.mpi_send(enter, 0, world, tag, 8)
    writer.leave(leave, send)
trace.event_writer_from_location(idle)
call(first, 1, 1000, 1900)
call(master, 0, 1100, 1500)
call(last, 2, 1600, 2000)
call(master, 3, 2050, 2060)
"""


@pytest.mark.requires("python-otf2")
def test_threads_of_another_writer_have_numbers_by_their_first_calls(tmp_path):
    by_bindings(OF_THREADS, tmp_path / "threads")
    summary = convert(tmp_path / "threads", None, tmp_path / "threads.lwt")
    calls = events(Path(summary.path), 0, times=True)
    # The location that stands for the rank is thread 0; calls come as they end.
    assert [(call["thread"], call["fields"]["tag"]) for call in calls] == [(0, 0), (1, 1), (2, 2), (0, 3)]
    spent = [
        [round(call[time] * 1e9) for time in ("gap_seconds", "overlap_seconds", "duration_seconds")]
        for call in calls
    ]
    assert spent == [[100, 0, 400], [0, 500, 400], [0, 300, 100], [50, 0, 10]]


HYBRID_LIKE_SCORE_P = """
trace.creator = "Score-P 8.0"
send = d.region("MPI_Send", paradigm=Paradigm.MPI)
parallel = d.region("!$omp parallel @app.f90:7", paradigm=Paradigm.OPENMP)
process = d.location_group("rank 0", system_tree_parent=node)
master, second = (d.location(name, group=process) for name in ("Master thread", "OMP thread 1"))
# The locations of OpenMP come first, and are more than those of MPI.
d.group("", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, GroupFlag.NONE, [second, master])
d.group("", GroupType.COMM_LOCATIONS, Paradigm.PTHREAD, GroupFlag.NONE, [second])
team = d.comm("", d.group("", GroupType.COMM_GROUP, Paradigm.OPENMP, GroupFlag.NONE, [0, 1]))
d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, [master])
world = d.comm("MPI_COMM_WORLD", d.group("", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, [0]))
zero, one = (trace.event_writer_from_location(place) for place in (master, second))
def call(writer, tag, enter, leave):
    writer.enter(enter, send)
    writer.mpi_send(enter, 0, world, tag, 8)
    writer.leave(leave, send)
zero.thread_fork(1000, Paradigm.OPENMP, 2)
for writer, tag in ((zero, 4), (one, 5)):
    writer.thread_team_begin(1010, team)
    writer.enter(1020, parallel)
    call(writer, tag, 1100 + 50 * tag, 1120 + 50 * tag)
    writer.leave(1800, parallel)
    writer.thread_team_end(1810, team)
zero.thread_join(1900, Paradigm.OPENMP)
zero.thread_create(1910, team, 1)
one.thread_begin(1915, team, 1)
call(one, 6, 1920, 1930)
one.thread_end(1940, team, 1)
zero.thread_wait(1950, team, 1)
call(zero, 7, 2000, 2010)
"""


@pytest.mark.requires("python-otf2")
def test_records_of_teams_of_threads_do_no_harm(tmp_path):
    by_bindings(HYBRID_LIKE_SCORE_P, tmp_path / "hybrid")
    summary = convert(tmp_path / "hybrid", None, tmp_path / "hybrid.lwt")
    assert summary.ranks == 1
    assert summary.unknown == {
        **{f"Thread{kind}": 1 for kind in ("Fork", "Join", "Create", "Begin", "End", "Wait")},
        "ThreadTeamBegin": 2,
        "ThreadTeamEnd": 2,
    }
    calls = events(Path(summary.path), 0, times=True)
    assert [(call["name"], call["thread"], call["fields"]["tag"], call["fields"]["peer"]) for call in calls] == [
        ("MPI_Send", 0, 4, 0),
        ("MPI_Send", 1, 5, 0),
        ("MPI_Send", 1, 6, 0),
        ("MPI_Send", 0, 7, 0),
    ]  # fmt: skip
    spent = [round(call["duration_seconds"] * 1e9) for call in calls]
    assert spent == [20, 20, 10, 10]
