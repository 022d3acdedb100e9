"""What is written comes back: random events through the writer and the cursor."""

import itertools
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from linkworth import _engine

times = st.integers(0, 10**12).map(lambda nanoseconds: nanoseconds * 1e-9)
rank = st.integers(0, 2**31 - 1)
size = st.integers(0, 2**62)
references = st.lists(st.integers(1, 2**40), max_size=4)
sizes = st.lists(size, max_size=6)

partition = st.integers(0, 2**32 - 1)
one_reference = st.tuples(st.integers(1, 9)).map(list)

RMA = {
    "operation": st.integers(0, 3),
    "window": rank,
    "peer": rank | st.just(-2),
    "bytes": size,
    "recv_bytes": size,
}
POINT = {
    "comm": rank,
    "peer": rank | st.just(-2),
    "tag": rank,
    "bytes": size,
}
FIELDS = {
    "local": {},
    "send": POINT,
    "isend": POINT,
    "irecv": {**POINT, "peer": rank | st.just(-1), "tag": rank | st.just(-1)},
    "recv": {
        **POINT,
        "peer": st.just(-1),
        "actual_peer": rank,
        "actual_tag": rank,
    },
    "sendrecv": {
        **POINT,
        "recv_peer": rank,
        "recv_tag": st.just(-1),
        "recv_bytes": size,
        "actual_peer": rank,
        "actual_tag": rank,
    },
    "start": {"references": references},
    "request_free": {"references": st.tuples(st.integers(1, 9)).map(list)},
    "complete": {
        "mode": st.integers(0, 7),
        "listed": st.integers(0, 2**32 - 1),
        "completions": st.lists(
            st.tuples(st.integers(1, 999), st.just(True), rank, rank)
            | st.tuples(st.integers(1, 999), st.just(False), st.just(0), st.just(0)),
            max_size=4,
        ),
    },
    "collective": {
        "comm": rank,
        "peer": rank | st.just(-1),
        "bytes": size,
        "recv_bytes": size,
        "element_bytes": st.integers(0, 2**32 - 1),
        "send_counts": sizes,
        "recv_counts": sizes,
    },
    "comm_new": {
        "comm": rank,
        "new_comm": st.integers(-1, 2**31 - 2),
        "inter": st.just(True),
        "members": st.lists(rank, max_size=5),
        "remote_members": st.lists(rank, max_size=5),
        "has_topology": st.just(True),
        "sources": st.lists(rank | st.just(-2), max_size=5),
        "destinations": st.lists(rank | st.just(-2), max_size=5),
    },
    "win_new": {"comm": rank, "new_window": st.integers(-1, 2**31 - 2), "bytes": size},
    "win_free": {"window": rank},
    "rma": RMA,
    "irma": RMA,
    "win_sync": {
        "sync": st.integers(0, 14),
        "window": rank,
        "peer": rank | st.just(-1),
        "found": st.booleans(),
        "members": st.lists(rank, max_size=5),
    },
    "psend_init": {**POINT, "partitions": partition},
    "precv_init": {**POINT, "partitions": partition},
    "pready": {"references": one_reference, "first_partition": partition, "last_partition": partition},
    "pready_list": {"references": one_reference, "partition_list": st.lists(partition, max_size=5)},
    "parrived": {"references": one_reference, "first_partition": partition, "found": st.booleans()},
    "isendrecv": {**POINT, "recv_peer": rank | st.just(-1), "recv_tag": rank, "recv_bytes": size},
    "pcontrol": {"code": st.integers(-(2**31), 2**31 - 1)},
}

event = st.sampled_from(sorted(FIELDS)).flatmap(
    lambda call_class: st.tuples(
        st.sampled_from(["MPI_A", "MPI_B", "MPI_Ibcast_c"]),
        st.just(call_class),
        st.fixed_dictionaries(FIELDS[call_class]),
        times,
        times | st.just(-1.0),
        times,
    )
)


@settings(max_examples=150, deadline=None)
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
