"""Reads Perfetto traces by Perfetto's own schema; who imports it is skipped where that is not installed."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

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
