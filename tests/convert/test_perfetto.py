"""Perfetto traces, read with Perfetto's own schema."""

from pathlib import Path
from typing import Any, NamedTuple

import message_traces
import pytest
from synthetic import send, write_trace

from linkworth import _engine
from linkworth.convert import convert

pb2 = pytest.importorskip(
    "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed"
)


class Slice(NamedTuple):
    track: str
    name: str
    category: str
    start_ns: int
    end_ns: int
    arguments: dict[str, int]
    flows: list[int]
    ended_flows: list[int]


def read(path: Path) -> tuple[dict[int, Any], list[Slice]]:
    """Follow the rules of the schema: interned names, defaults and the delta clock of each sequence."""
    trace = pb2.Trace.FromString(path.read_bytes())
    tracks: dict[int, Any] = {}
    state: dict[int, dict[str, Any]] = {}
    slices: list[Slice] = []
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id != 0
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            continue
        mine = state.setdefault(packet.trusted_packet_sequence_id, {"open": None})
        if packet.sequence_flags & pb2.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
            mine["defaults"] = packet.trace_packet_defaults
            mine["names"] = {each.iid: each.name for each in packet.interned_data.event_names}
            mine["categories"] = {each.iid: each.name for each in packet.interned_data.event_categories}
            mine["arguments"] = {each.iid: each.name for each in packet.interned_data.debug_annotation_names}
            clocks = {each.clock_id: each for each in packet.clock_snapshot.clocks}
            assert clocks[pb2.BUILTIN_CLOCK_BOOTTIME].timestamp == 0
            clock = clocks[mine["defaults"].timestamp_clock_id]
            assert clock.is_incremental and clock.timestamp == 0
            mine["now"] = 0
            continue
        assert packet.sequence_flags & pb2.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        mine["now"] += packet.timestamp
        event = packet.track_event
        if event.type == pb2.TrackEvent.TYPE_SLICE_BEGIN:
            assert mine["open"] is None
            mine["open"] = (event, mine["now"])
            continue
        assert event.type == pb2.TrackEvent.TYPE_SLICE_END
        begun, start = mine["open"]
        mine["open"] = None
        slices.append(
            Slice(
                tracks[mine["defaults"].track_event_defaults.track_uuid].name,
                mine["names"][begun.name_iid],
                mine["categories"][begun.category_iids[0]],
                start,
                mine["now"],
                {mine["arguments"][each.name_iid]: each.int_value for each in begun.debug_annotations},
                list(begun.flow_ids),
                list(begun.terminating_flow_ids),
            )
        )
    return tracks, slices


def test_every_call_is_a_slice_with_its_arguments(trace: Path) -> None:
    summary = convert(trace, "perfetto")
    assert summary.bytes == Path(summary.entry).stat().st_size
    _, slices = read(Path(summary.entry))
    ranks = message_traces.calls(trace)
    assert summary.records == len(slices) == sum(map(len, ranks))
    for number, expected in enumerate(ranks):
        mine = [each for each in slices if each.track == f"rank {number}"]
        origin = mine[0].start_ns
        for found, call in zip(mine, expected, strict=True):
            assert (found.name, found.category) == (call.name, call.call_class)
            assert abs(found.start_ns - origin - call.start_ns) <= 1
            assert abs(found.end_ns - origin - call.end_ns) <= 1
            assert found.arguments.get("cpu_before_ns") == call.cpu_ns
            for name in ("comm", "peer", "tag", "bytes", "recv_bytes", "listed", "partitions"):
                if name in call.fields and not (name == "peer" and "root" in found.arguments):
                    if name == "peer" and call.call_class == "collective":
                        assert call.fields[name] == -1
                    else:
                        assert found.arguments[name] == call.fields[name]


def test_flows_join_the_send_and_the_call_that_ends_the_receive(tmp_path: Path) -> None:
    trace, expected = message_traces.every_message(tmp_path / "t.lwt")
    _, slices = read(Path(convert(trace, "perfetto").entry))
    begun = {flow: each for each in slices for flow in each.flows}
    ended = {flow: each for each in slices for flow in each.ended_flows}
    assert sum(len(each.flows) for each in slices) == len(begun)
    init_ns = 1_500_000_000
    found = [
        (
            int(begun[flow].track[5:]),
            int(ended[flow].track[5:]),
            begun[flow].start_ns - init_ns,
            ended[flow].end_ns - init_ns,
        )
        for flow in begun.keys() & ended.keys()
    ]
    assert sorted(found) == sorted(
        (each.source, each.destination, each.start_ns, each.end_ns) for each in expected
    )


def test_ranks_stand_in_their_order_below_their_hosts(tmp_path: Path) -> None:
    hosts = [{"rank": rank, "host": f"node{rank // 2}"} for rank in range(4)]
    trace = write_trace(tmp_path / "t.lwt", [[send(0, 1)]] * 4, ranks=hosts)
    tracks, _ = read(Path(convert(trace, "perfetto").entry))
    by_name = {each.name: each for each in tracks.values()}
    assert by_name.keys() == {"node0", "node1", "rank 0", "rank 1", "rank 2", "rank 3"}
    for rank in range(4):
        track = by_name[f"rank {rank}"]
        assert tracks[track.parent_uuid].name == f"node{rank // 2}"
        assert track.sibling_order_rank == rank
    assert by_name["node0"].child_ordering == pb2.TrackDescriptor.EXPLICIT


def test_the_ranks_of_a_skeleton_ran_on_no_host(tmp_path: Path) -> None:
    path = tmp_path / "t.lwt"
    _engine.record_skeleton("ep", ["S"], 2, [1e-9, 1e-9], str(path), '{"workload": "npb:ep.S"}')
    tracks, _ = read(Path(convert(path, "perfetto").entry))
    assert [(each.name, each.parent_uuid) for each in tracks.values()] == [("rank 0", 0), ("rank 1", 0)]
