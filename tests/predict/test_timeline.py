"""The timeline of a replay: every call, message and busy link in Chrome's trace event format."""

import gzip
import json

import pytest
from synthetic import fabric, recv, send, way, write_trace

from linkworth.errors import UsageError
from linkworth.model.fabric import SwitchLevel, Topology
from linkworth.predict import predict, request
from linkworth.predict.extras import Extras
from linkworth.predict.timeline import Timeline, parse_window
from linkworth.replay.layout import Arrangement

US = 1e-6
MS = 1e-3
MB = 1_000_000
GBYTE = fabric(way(latency=10 * US, bandwidth=1e9))


@pytest.fixture
def trace(tmp_path):
    return write_trace(
        tmp_path / "two.lwt",
        [[send(1, MB).after(1 * MS), send(1, 8).after(1 * MS)], [recv(0, MB), recv(0, 8)]],
    )


def events(path):
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return json.loads(text)["traceEvents"]


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_calls_messages_and_loads_are_where_they_happened(trace, tmp_path, name):
    path = tmp_path / name
    predict(trace, [GBYTE], Arrangement(nodes=2), extras=Extras(timeline=Timeline(path, parse_window(":"))))
    found = events(path)
    calls = {
        (each["tid"], each["name"], round(each["ts"], 3)): round(each["dur"], 3)
        for each in found
        if each["ph"] == "X"
    }
    assert calls[0, "MPI_Send", 1000.0] == 0.0
    assert calls[1, "MPI_Recv", 0.0] == 2010.0
    assert calls[1, "MPI_Recv", 2010.0] == 0.008
    sent = [each for each in found if each["ph"] == "s"]
    received = [each for each in found if each["ph"] == "f"]
    assert [(each["ts"], each["args"]["bytes"]) for each in sent] == [
        (pytest.approx(1000), MB),
        (pytest.approx(2000), 8),
    ]
    assert [each["ts"] for each in received] == pytest.approx([2010, 2010.008])
    assert {each["id"] for each in sent} == {each["id"] for each in received}
    busy = [each for each in found if each["ph"] == "C" and each["name"] == "NIC out 0"]
    assert {each["pid"] for each in busy} == {0}
    assert max(each["args"]["busy %"] for each in busy) == 100.0


def test_a_window_keeps_what_begins_in_it(trace, tmp_path):
    path = tmp_path / "part.json"
    predict(
        trace, [GBYTE], Arrangement(nodes=2), extras=Extras(timeline=Timeline(path, parse_window("0.0015:")))
    )
    assert [each["ts"] for each in events(path) if each["ph"] == "s"] == pytest.approx([2000])


def test_a_window_after_the_end_is_named(trace, tmp_path):
    def warned(window):
        timeline = Timeline(tmp_path / "t.json", parse_window(window))
        return predict(trace, [GBYTE], Arrangement(nodes=2), extras=Extras(timeline=timeline)).warnings

    (warning,) = warned("1:2")
    assert warning.startswith("no call begins in the part")
    assert warned("0.0015:") == []


def test_links_between_switches_are_shown(trace, tmp_path):
    level = SwitchLevel(nodes_per_group=1, uplinks=1, bandwidth_bytes_per_second=1e9)
    on = fabric(way(bandwidth=1e9), topology=Topology(levels=[level]))
    path = tmp_path / "tree.json"
    predict(trace, [on], Arrangement(nodes=2), extras=Extras(timeline=Timeline(path, parse_window(":"))))
    names = {each["name"] for each in events(path) if each["ph"] == "C"}
    assert {"uplink 0 of group 0, level 0", "downlink 0 of group 1, level 0"} <= names


def test_faults(trace, tmp_path):
    for text, fault in (
        ("1", "write FROM:TO"),
        ("2:1", "write FROM:TO"),
        ("x:3", "'x' is not a number"),
        ("-1:2", "-1 is out of range"),
        ("0:nan", "nan is out of range"),
    ):
        with pytest.raises(UsageError, match=fault):
            parse_window(text)
    with pytest.raises(UsageError, match="give one fabric"):
        request.timeline(tmp_path / "t.json", None, [GBYTE, GBYTE])
    with pytest.raises(UsageError, match="give `timeline` FILE"):
        request.timeline(None, "0:1", [GBYTE])
    with pytest.raises(UsageError, match="cannot write"):
        predict(
            trace,
            [GBYTE],
            Arrangement(nodes=2),
            extras=Extras(timeline=Timeline(tmp_path / "no" / "t.json", parse_window(":"))),
        )
