"""Perfetto traces, read with Perfetto's own schema."""

from pathlib import Path

import message_traces
import synthetic
from perfetto_reader import pb2, read
from synthetic import send, write_trace

from linkworth import _engine
from linkworth.convert import convert


def test_every_call_is_a_slice_with_its_arguments(trace):
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


def test_flows_join_the_send_and_the_call_that_ends_the_receive(tmp_path):
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


def test_flows_tell_communicators_made_in_another_order_apart_by_their_parents(tmp_path):
    sender, receiver = synthetic.duplicates_in_another_order()
    sender += [synthetic.send(1, 8, comm=4), synthetic.send(1, 8, comm=5)]
    receiver += [synthetic.recv(0, 8, comm=5), synthetic.recv(0, 8, comm=4)]
    path = synthetic.write_trace(tmp_path / "t.lwt", [sender, receiver])
    _, slices = read(Path(convert(path, "perfetto").entry))
    sends = [flow for each in slices for flow in each.flows]
    receives = [flow for each in slices for flow in each.ended_flows]
    assert sends == receives and len(sends) == 2


def test_ranks_stand_in_their_order_below_their_hosts(tmp_path):
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


def test_the_ranks_of_a_skeleton_ran_on_no_host(tmp_path):
    path = tmp_path / "t.lwt"
    _engine.record_skeleton("ep", ["S"], 2, [1e-9, 1e-9], str(path), '{"workload": "npb:ep.S"}')
    tracks, _ = read(Path(convert(path, "perfetto").entry))
    assert [(each.name, each.parent_uuid) for each in tracks.values()] == [("rank 0", 0), ("rank 1", 0)]
