"""SimGrid's time-independent traces become traces: what each action becomes, and that traces come back from them."""

import json
from pathlib import Path

import message_traces
import pytest
import smpi
from hypothesis import given
from hypothesis import strategies as st
from run_program import output_of
from synthetic import Call, collective, irecv, isend, recv, send, write_trace

from linkworth import _engine
from linkworth.convert import convert, ti
from linkworth.errors import UsageError
from linkworth.model.conversion import ConversionOptions

ALL_TIMES = ("gap_seconds", "cpu_seconds", "duration_seconds")


def imported(folder, *ranks, **options):
    """Return the summary and each rank's events, without MPI_Init and MPI_Finalize."""
    folder.mkdir(exist_ok=True)
    for rank, actions in enumerate(ranks):
        lines = ["init", *actions, "finalize"]
        (folder / f"{rank}.txt").write_text("".join(f"{rank} {line}\n" for line in lines), encoding="ascii")
    (folder / "list").write_text("".join(f"{rank}.txt\n" for rank in range(len(ranks))), encoding="ascii")
    summary = convert(folder / "list", output=folder / "t.lwt", options=ConversionOptions(**options))
    trace = _engine.Trace(str(folder / "t.lwt"))
    events = [list(trace.iterate(rank)) for rank in range(len(ranks))]
    assert summary.records == trace.events == sum(map(len, events))
    assert (summary.source, summary.target, summary.ranks) == ("ti", "lwt", len(ranks))
    metadata = json.loads(trace.metadata_json)
    assert metadata["source"] == "converted" and not metadata["timed"]
    assert all(
        event["duration_seconds"] == 0 and event["cpu_seconds"] < 0 for rank in events for event in rank
    )
    assert all((rank[0]["name"], rank[-1]["name"]) == ("MPI_Init", "MPI_Finalize") for rank in events)
    return summary, [rank[1:-1] for rank in events]


def told(events, *fields):
    return [(event["name"], *(event["fields"][field] for field in fields)) for event in events]


def test_computation_is_flops_at_the_rate_and_comes_before_the_next_call(tmp_path):
    actions = ["compute 2e6", "sleep 0.5", "compute 500", "barrier", "barrier", "compute 1e9"]
    _, [events] = imported(tmp_path, actions, flops_per_second=1e6)
    assert [event["gap_seconds"] for event in events] == [pytest.approx(2.5005, abs=1e-9), 0]
    last = list(_engine.Trace(str(tmp_path / "t.lwt")).iterate(0))[-1]
    assert (last["name"], last["gap_seconds"]) == ("MPI_Finalize", pytest.approx(1000))


def test_computation_after_the_last_action_is_kept(tmp_path):
    path = tmp_path / "open.txt"
    path.write_text("0 init\n0 compute 2e9\n", encoding="ascii")
    events = list(_engine.Trace(convert(path).path).iterate(0))
    assert [(event["name"], event["gap_seconds"]) for event in events] == [
        ("MPI_Init", 0),
        ("MPI_Finalize", 2),
    ]


def test_messages_with_tags_sizes_and_datatypes(tmp_path):
    zero = ["send 1 7 100", "send 1 7 100 0", "isend 1 3 1e3 1", "wait 0 1 3"]
    one = ["recv 0 7 100", "recv 0 7 -1", "irecv 0 3 4000", "waitall"]
    _, [first, second] = imported(tmp_path, zero, one)
    assert told(first[:3], "peer", "tag", "bytes") == [
        ("MPI_Send", 1, 7, 100),
        ("MPI_Send", 1, 7, 800),
        ("MPI_Isend", 1, 3, 4000),
    ]
    # If only the sender knows the size, the receive accepts any.
    assert told(second[:3], "peer", "tag", "bytes") == [
        ("MPI_Recv", 0, 7, 100),
        ("MPI_Recv", 0, 7, 2**31 - 1),
        ("MPI_Irecv", 0, 3, 4000),
    ]


def test_waits_end_the_oldest_request_of_their_name(tmp_path):
    zero = [
        "isend 1 0 1", "isend 1 0 1", "irecv 1 5 1", "wait 0 1 0", "test 1 0 5", "isend 1 0 1", "waitall", "wait 0 1 0",
        "waitall",
    ]  # fmt: skip
    one = ["irecv 0 0 1"] * 3 + ["isend 0 5 1", "waitall"]
    summary, [first, second] = imported(tmp_path, zero, one)
    completes = [event for event in first if event["call_class"] == "complete"]
    numbers = [
        (
            event["name"],
            [event["next_request"] - reference for reference, *_ in event["fields"]["completions"]],
        )
        for event in completes
    ]
    assert numbers == [("MPI_Wait", [0]), ("MPI_Test", []), ("MPI_Waitall", [1, 2, 3])]
    assert len(second) == 5
    assert "left out, because no message had begun: 2 waits" in summary.remarks


def test_every_collective_has_the_sizes_that_a_trace_says(tmp_path):
    both = ["barrier", "bcast 10", "bcast 10 1 1", "reduce 20 0 1", "reduce 5 100 1 0", "allreduce 30 50 5", "scan 40 0",
            "exscan 50 0", "allgather 60 61", "allgather 6 6 0 1", "alltoall 70 71", "allgatherv 30 30 60",
            "allgatherv 3 3 6 1", "allgatherv 3 3 6 1 0 3", "reducescatter 30 60 7", "reducescatter 3 6 7 0"]  # fmt: skip
    zero = ["gather 11 12 0", "gather 2 3 0 0 1", "scatter 13 14 0", "gatherv 3 3 4 0", "gatherv 3 3 4 0 1 1", "scatterv 5 6 5 0",
            "alltoallv 3 1 2 7 3 4", "alltoallv 3 1 2 7 3 4 1 1"]  # fmt: skip
    one = ["gather 11 12 0", "gather 2 3 0 0 1", "scatter 13 14 0", "gatherv 4 3 4 0", "gatherv 4 3 4 0 1 1", "scatterv 5 6 6 0",
           "alltoallv 7 3 4 3 1 2", "alltoallv 7 3 4 3 1 2 1 1"]  # fmt: skip
    _, [first, second] = imported(tmp_path, both + zero, both + one, flops_per_second=1)
    fields = ("peer", "bytes", "recv_bytes", "element_bytes", "send_counts", "recv_counts")
    assert told(first, *fields) == [
        ("MPI_Barrier", -1, 0, 0, 1, [], []),
        ("MPI_Bcast", 0, 10, 10, 1, [], []),
        ("MPI_Bcast", 1, 40, 40, 1, [], []),
        ("MPI_Reduce", 1, 20, 20, 1, [], []),
        ("MPI_Reduce", 1, 40, 40, 8, [], []),
        ("MPI_Allreduce", -1, 120, 120, 4, [], []),
        ("MPI_Scan", -1, 40, 40, 1, [], []),
        ("MPI_Exscan", -1, 50, 50, 1, [], []),
        ("MPI_Allgather", -1, 60, 61, 1, [], []),
        ("MPI_Allgather", -1, 48, 24, 1, [], []),
        ("MPI_Alltoall", -1, 70, 71, 1, [], []),
        ("MPI_Allgatherv", -1, 30, 90, 1, [], [30, 60]),
        ("MPI_Allgatherv", -1, 12, 36, 1, [], [12, 24]),
        ("MPI_Allgatherv", -1, 12, 36, 1, [], [12, 24]),
        ("MPI_Reduce_scatter", -1, 90, 30, 1, [], [30, 60]),
        ("MPI_Reduce_scatter", -1, 72, 24, 8, [], [24, 48]),
        ("MPI_Gather", 0, 11, 12, 1, [], []),
        ("MPI_Gather", 0, 16, 12, 1, [], []),
        ("MPI_Scatter", 0, 13, 14, 1, [], []),
        ("MPI_Gatherv", 0, 3, 7, 1, [], [3, 4]),
        ("MPI_Gatherv", 0, 12, 28, 1, [], [12, 16]),
        ("MPI_Scatterv", 0, 11, 5, 1, [5, 6], []),
        ("MPI_Alltoallv", -1, 3, 7, 1, [1, 2], [3, 4]),
        ("MPI_Alltoallv", -1, 12, 28, 1, [4, 8], [12, 16]),
    ]
    assert told(second[16:22], *fields[:3]) == [
        ("MPI_Gather", 0, 11, 0),
        ("MPI_Gather", 0, 16, 0),
        ("MPI_Scatter", 0, 0, 14),
        ("MPI_Gatherv", 0, 4, 0),
        ("MPI_Gatherv", 0, 16, 0),
        ("MPI_Scatterv", 0, 0, 6),
    ]
    # The arithmetic of a reduction comes after it: 100 flops, 50, 7, 7.
    assert [event["gap_seconds"] for event in first if event["gap_seconds"]] == [100, 50, 7, 7]


def test_old_spellings_doubles_and_one_file_for_all_ranks(tmp_path):
    path = tmp_path / "all.txt"
    path.write_text(
        "# recorded in 2014\np0 init 1\np1 init 1\n\np0 Isend 1 0 4\np1\tIrecv 0 0 4\np0 waitAll\np1 waitAll\n"
        "p0 allReduce 2 0\np1 allReduce 2 0\np0 comm_size 2\np0 location a.c 7\np0 finalize\np1 finalize\n",
        encoding="ascii",
    )
    summary = convert(path)
    assert summary.path == str(tmp_path / "all.lwt")
    assert summary.unknown == {"comm_size": 1, "location": 1}
    trace = _engine.Trace(summary.path)
    assert [(event["name"], event["fields"].get("bytes")) for event in trace.iterate(0)] == [
        ("MPI_Init", None),
        ("MPI_Isend", 32),
        ("MPI_Waitall", None),
        ("MPI_Allreduce", 16),
        ("MPI_Finalize", None),
    ]


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("sendx 1 0 1", "sendx is no action that SMPI replays"),
        ("send 1 100", "send needs the partner's rank, a tag and a size, and there are only 2 arguments"),
        ("send 2 0 100", "the partner is 2, and there are 2 ranks"),
        ("recv -555 0 100", "the partner is -555: a receive from any source"),
        ("recv 1 -444 100", "the tag is -444: a receive with any tag"),
        ("send 1 0 -3", "-3 is negative"),
        ("send 1 0 1e300", "1e300 is too much for one message"),
        ("send 1 0 abc", "abc is no number"),
        ("send 1.5 0 1", "1.5 is no partner"),
        ("send 1 0 8 99", "99 is the number of no datatype"),
        ("compute nan", "nan is no number"),
        ("alltoallv 3 1 2 7 3", "alltoallv needs two sizes, each with one for each rank after it"),
        ("bcast 8 5", "the root is 5, and there are 2 ranks"),
    ],
)
def test_a_bad_action_is_named_with_its_file_and_line(tmp_path, action, sentence):
    with pytest.raises(UsageError, match=r"0\.txt, line 3: ") as error:
        imported(tmp_path, ["barrier", action], ["barrier"])
    assert sentence in str(error.value)
    assert not (tmp_path / "t.lwt").exists()


def test_bad_files_are_one_sentence(tmp_path, refused):
    (tmp_path / "0.txt").write_text("0 init\n0 finalize\n", encoding="ascii")
    (tmp_path / "list").write_text("0.txt\ngone.txt\n", encoding="ascii")
    (tmp_path / "swapped").write_text("0.txt\n0.txt\n", encoding="ascii")
    (tmp_path / "cut").write_text("0 init\n1 init\n0 finalize\n1 compute 5\n", encoding="ascii")
    (tmp_path / "long").write_text("0 init\n0 compute 1e50\n0 finalize\n", encoding="ascii")
    (tmp_path / "note").write_text("dear diary\n", encoding="ascii")
    (tmp_path / "after").write_text("0 init\n0 finalize\n0 barrier\n", encoding="ascii")
    (tmp_path / "other").write_text("0 bcast 8\n1 barrier\n", encoding="ascii")
    (tmp_path / "roots").write_text("0 bcast 8\n1 bcast 8 1\n", encoding="ascii")
    (tmp_path / "gap").write_text("0 init\n2 init\n", encoding="ascii")
    for name, sentence in [
        ("list", "gone.txt cannot be read: No such file or directory"),
        ("swapped", "0.txt, line 1: an action of rank 0 in the file of rank 1"),
        ("note", "note"),
        ("gap", "gap has actions of rank 2 and none of rank 1: copy or write them again"),
        ("cut", "the actions of rank 1 were cut: they lack the finalize that other ranks have"),
        ("long", "long, line 2: a time in a trace is 0 to 1e9 seconds, not 1e+41"),
        ("after", "after, line 3: an action after the rank's finalize"),
        ("other", "other: the collectives of rank 1 or their roots are not those of rank 0"),
        ("roots", "roots: the collectives of rank 1 or their roots are not those of rank 0"),
    ]:
        said = refused("convert", tmp_path / name, "-o", tmp_path / "t.lwt")
        assert sentence in said and said.count(str(tmp_path / name)) == 1
    assert not (tmp_path / "t.lwt").exists()


@given(st.binary(max_size=300))
def test_no_bytes_can_break_the_reader(tmp_path_factory, noise):
    folder = tmp_path_factory.mktemp("noise")
    (folder / "t.txt").write_bytes(b"0 init\n" + noise)
    try:
        summary = convert(folder / "t.txt")
    except UsageError:
        assert [path.name for path in folder.iterdir()] == ["t.txt"]
    else:
        assert _engine.Trace(summary.path).events >= 1


RANKS = 4
TIMES = st.integers(0, 10**9)


@st.composite
def programs(draw):
    """Draw calls that time-independent traces have, in the same order on all ranks, so that they match."""
    ranks: list[list[Call]] = [[] for _ in range(RANKS)]
    for _ in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["send", "isend", "irecv", "allreduce", "bcast", "alltoallv", "gatherv"]))
        gap = draw(TIMES) * 1e-9
        size = draw(st.integers(1, 10**6))
        tag = draw(st.integers(0, 99))
        a, b = draw(st.permutations(range(RANKS)))[:2]
        if kind == "send":
            ranks[a].append(send(b, size, tag=tag).after(gap))
            ranks[b].append(recv(a, size + 1, tag=tag))
        elif kind in ("isend", "irecv"):
            # Only some of the requests are waited for together, so each has a tag of its own.
            tags = list(range(100 + tag, 100 + tag + draw(st.integers(1, 3))))
            ranks[a] += [isend(b, size, tag=each).after(gap) for each in tags]
            ranks[b] += [irecv(a, size, tag=each).after(gap) for each in tags]
            for rank in (a, b):
                if len(tags) == 1:
                    ranks[rank].append(message_traces.wait((1, False, 0, 0)))
                else:
                    order = [(each, False, 0, 0) for each in range(len(tags), 0, -1)]
                    ranks[rank].append(
                        Call("MPI_Waitall", "complete", mode=1, listed=len(order), completions=order).after(
                            gap
                        )
                    )
        else:
            root = a
            for rank in range(RANKS):
                sizes = [size + each for each in range(RANKS)]
                ranks[rank].append(
                    {
                        "allreduce": collective("MPI_Allreduce", size),
                        "bcast": collective("MPI_Bcast", size, root=root),
                        "alltoallv": collective(
                            "MPI_Alltoallv",
                            sum(sizes),
                            RANKS * (size + rank),
                            send_counts=sizes,
                            recv_counts=[size + rank] * RANKS,
                        ),
                        "gatherv": collective(
                            "MPI_Gatherv",
                            sizes[rank],
                            sum(sizes) if rank == root else 0,
                            root=root,
                            recv_counts=sizes if rank == root else [],
                        ),
                    }[kind].after(gap)
                )
    return ranks


@given(programs())
def test_what_such_a_trace_can_say_comes_back(tmp_path_factory, ranks):
    folder = tmp_path_factory.mktemp("round")
    trace = write_trace(folder / "a.lwt", ranks)
    written = convert(trace, "ti")
    back = convert(Path(written.path), output=folder / "b.lwt").path
    before, after = _engine.Trace(str(trace)), _engine.Trace(back)
    for rank in range(RANKS):
        for one, other in zip(before.iterate(rank), after.iterate(rank), strict=True):
            assert {name: one[name] for name in one if name not in ALL_TIMES} == {
                name: other[name] for name in other if name not in ALL_TIMES
            }
            # The start of the process is no computation, and 12 digits of flops are kept.
            if one["name"] != "MPI_Init":
                assert other["gap_seconds"] == pytest.approx(one["gap_seconds"], rel=1e-11, abs=1.5e-9)


@pytest.mark.requires("smpirun")
def test_what_smpi_has_traced_can_be_read(tmp_path):
    (tmp_path / "platform.xml").write_text(smpi.PLATFORM, encoding="utf-8")
    (tmp_path / "hosts").write_text("a\na\nb\nb\n", encoding="utf-8")
    output_of(["smpicc", message_traces.HALO, "-o", "halo"], cwd=tmp_path)
    command = "smpirun -np 4 -platform platform.xml -hostfile hosts -trace-ti -trace-file app.txt ./halo"
    output_of(command.split(), cwd=tmp_path, timeout=300)
    summary = convert(tmp_path / "app.txt")
    trace = _engine.Trace(summary.path)
    ring = ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"]
    for rank in range(4):
        events = list(trace.iterate(rank))
        assert [event["name"] for event in events] == ["MPI_Init", *ring * 20, "MPI_Finalize"]
        assert told(events[1:3], "bytes") == [("MPI_Irecv", 8), ("MPI_Isend", 8)]
        assert [event["fields"]["peer"] for event in events[1:3]] == [(rank + 1) % 4, (rank - 1) % 4]
        assert events[4]["fields"]["bytes"] == 8


def test_the_verb_says_what_it_read(tmp_path, json_of, refused):
    (tmp_path / "t.txt").write_text("0 init\n0 compute 5e9\n0 finalize\n", encoding="ascii")
    output = str(tmp_path / "o.lwt")
    document = json_of("convert", tmp_path / "t.txt", "-o", output, "--flops-per-second", "5e9")
    assert (document["source"], document["target"], document["entry"], document["records"]) == (
        "ti",
        "lwt",
        output,
        2,
    )
    assert list(_engine.Trace(output).iterate(0))[1]["gap_seconds"] == 1
    assert "convert it to one first, without --to" in refused("convert", tmp_path / "t.txt", "--to", "paje")


def test_messages_without_their_other_end_are_told(tmp_path):
    (tmp_path / "all.txt").write_text(
        "0 send 1 0 8\n0 send 1 1 8\n1 recv 0 0 8\n0 send 0 0 8\n", encoding="ascii"
    )
    # From rank 0 to rank 1, and from rank 0 to itself.
    assert convert(tmp_path / "all.txt").unmatched == 2


def test_comments_in_a_list_of_files(tmp_path):
    (tmp_path / "0.txt").write_text("  # of rank 0\n0 init\n0 finalize\n", encoding="ascii")
    (tmp_path / "list").write_text("# recorded in 2014\n0.txt\n", encoding="ascii")
    assert convert(tmp_path / "list").records == convert(tmp_path / "0.txt").records == 2


def test_a_file_of_other_bytes_is_no_list_of_files(tmp_path):
    (tmp_path / "other").write_bytes(b"LWTRACE1\x04\0\0\0")
    assert not ti.recognises(tmp_path / "other")
