"""Round trips of random events through the writer and the cursor."""

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_calls import event

from linkworth import _engine


@given(st.lists(st.lists(event, max_size=12), min_size=1, max_size=3))
def test_events_come_back_as_they_were_written(ranks):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "t.lwt")
        writer = _engine.TraceWriter(path, len(ranks), "{}")
        for number, events in enumerate(ranks):
            for name, call_class, fields, gap, cpu, duration in events:
                writer.event(number, name, call_class, fields, gap, cpu, duration)
        writer.close()
        trace = _engine.Trace(path)
        assert trace.events == sum(map(len, ranks))
        for number, events in enumerate(ranks):
            read = list(trace.iterate(number))
            assert len(read) == len(events)
            for back, (name, call_class, fields, gap, cpu, duration) in zip(read, events, strict=True):
                assert (back["name"], back["call_class"]) == (name, call_class)
                assert {key: back["fields"][key] for key in fields} == fields
                assert abs(back["gap_seconds"] - gap) < 1e-9
                assert abs(back["cpu_seconds"] - cpu) < 1e-9
                assert abs(back["duration_seconds"] - duration) < 1e-9


def test_events_of_several_blocks_come_back_with_what_is_longer_than_a_block(tmp_path):
    path = str(tmp_path / "t.lwt")
    writer = _engine.TraceWriter(path, 2, "{}")
    many = [
        ("MPI_Send", "send", {"peer": number % 7, "tag": number, "bytes": number**3})
        for number in range(20_000)
    ]
    lists = {"send_counts": [1 << 20] * 50_000, "recv_counts": list(range(50_000))}
    late = [("MPI_Alltoallv", "collective", lists), ("MPI_Comm_rank", "local", {})]
    written = [*many, *late, *many[:10]]
    for each in written:  # ranks take turns, so that their blocks mix in the file
        for number in range(2):
            writer.event(number, *each)
    writer.close()
    trace = _engine.Trace(path)
    assert trace.damage == [] and trace.file_bytes > 4 * 65536
    for number in range(2):
        for back, (name, call_class, fields) in zip(trace.iterate(number), written, strict=True):
            assert (back["name"], back["call_class"]) == (name, call_class)
            assert {key: back["fields"][key] for key in fields} == fields


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ((2, "MPI_X", "local"), "there is no rank 2"),
        ((0, "MPI_X", "local", {}, -1.0), "a time in a trace is 0 to 1e9 seconds"),
        ((0, "MPI_X", "send", {"comm": -5}), "a field that the trace format cannot hold"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, event, sentence):
    with pytest.raises(_engine.TraceError, match=sentence):
        _engine.TraceWriter(str(tmp_path / "t.lwt"), 2, "{}").event(*event)
    with pytest.raises(_engine.TraceError, match="a trace has 1 to 16777216 ranks, not 0"):
        _engine.TraceWriter(str(tmp_path / "t.lwt"), 0, "{}")


def test_requests_are_numbered_as_they_are_made(tmp_path):
    path = str(tmp_path / "t.lwt")
    writer = _engine.TraceWriter(path, 1, "{}")
    makers = {"isend", "irecv", "send_init", "recv_init", "icollective", "collective_init", "icomm_new"}
    makers |= {"irma", "psend_init", "precv_init", "isendrecv"}
    classes = [*sorted(makers), "send", "recv", "start", "complete", "comm_new", "local", "rma", "pready"]
    for call_class in classes:
        writer.event(0, "MPI_X", call_class, {})
    writer.close()
    numbers = [event["next_request"] for event in _engine.Trace(path).iterate(0)]
    made = itertools.accumulate((call_class in makers for call_class in classes), initial=0)
    assert numbers == list(made)[:-1]


def test_an_unfinished_trace_leaves_no_file(tmp_path):
    writer = _engine.TraceWriter(str(tmp_path / "t.lwt"), 1, "{}")
    writer.event(0, "MPI_X", "local")
    del writer
    assert list(tmp_path.iterdir()) == []
