"""The same parts as `part_reader` reads, merged into a trace and read back by the engine."""

from pathlib import Path

from part_reader import MODES, OPERATIONS, SYNCHRONISATIONS, Event, Part

from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge
from linkworth.trace.read import open_trace


# By class: what the engine calls the fields of the parts.
def _same(*names: str, **others: str) -> dict[str, str]:
    return {name: name for name in names} | others


_FIELDS = {
    "win_new": _same("comm", "bytes", new_window="new"),
    "win_free": _same("window"),
    "rma": _same("operation", "window", peer="target", bytes="to", recv_bytes="from"),
    "win_sync": _same("window", sync="kind", peer="target", found="flag", members="ranks"),
    "psend_init": _same("comm", "peer", "tag", "bytes", "partitions"),
    "pready": _same(references="reference", first_partition="first", last_partition="last"),
    "pready_list": _same(references="reference", partition_list="partitions"),
    "parrived": _same(references="reference", first_partition="partition", found="arrived"),
    "comm_new": _same("members", comm="parent", new_comm="new"),
    "collective": _same(
        "comm",
        peer="root",
        bytes="sent",
        recv_bytes="received",
        send_counts="sent_list",
        recv_counts="received_list",
    ),
}
_FIELDS |= {"irma": _FIELDS["rma"], "precv_init": _FIELDS["psend_init"], "icomm_new": _FIELDS["comm_new"]}
_FIELDS |= {"icollective": _FIELDS["collective"], "collective_init": _FIELDS["collective"]}
_NUMBERS = {"operation": OPERATIONS, "kind": SYNCHRONISATIONS, "mode": MODES}


def _seen(event: dict) -> tuple[str, str, dict]:
    kind, fields = event["call_class"], event["fields"]
    return event["name"], kind, {theirs: fields[ours] for ours, theirs in _FIELDS.get(kind, {}).items()}


def _written(event: Event) -> tuple[str, str, dict]:
    fields = {}
    for name in _FIELDS.get(event.kind, {}).values():
        value = event.fields[name]
        if name in _NUMBERS:
            value = _NUMBERS[name].index(value)
        fields[name] = [value] if name == "reference" else value
    return event.name, event.kind, fields


def check(parts: list[Part], output: Path) -> None:
    """Assert that the engine reads from the merged trace what stands in the parts."""
    merge(parts[0].path.parent, output, TraceMetadata(workload="test"))
    trace = open_trace(output)
    assert trace.damage == []
    for part in parts:
        events = list(trace.engine.iterate(part.rank))
        assert [_seen(event) for event in events] == [_written(event) for event in part.events]
        shapes = [event["fields"] for event in events]
        topologies = [
            (shape["sources"], shape["destinations"]) for shape in shapes if shape.get("has_topology")
        ]
        assert topologies == [
            (event.fields["sources"], event.fields["destinations"])
            for event in part.events
            if "sources" in event.fields
        ]
