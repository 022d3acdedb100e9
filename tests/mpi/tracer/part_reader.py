"""A reader of parts in plain Python, written from docs/reference/trace-format.md and from nothing else.

It is the tests' own: independent of the native reader, so that a mistake common to writer and reader shows.
"""

import struct
from dataclasses import dataclass, field
from pathlib import Path

CLASSES = [
    "local", "send", "isend", "recv", "irecv", "sendrecv", "send_init", "recv_init", "start", "complete",
    "request_free", "probe", "collective", "icollective", "collective_init", "comm_new", "icomm_new", "comm_free",
    "init", "finalize", "abort", "pcontrol", "request_cancel", "win_new", "win_free", "rma", "irma", "win_sync",
    "psend_init", "precv_init", "pready", "pready_list", "parrived",
]  # fmt: skip
MODES = ["wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome"]
OPERATIONS = ["put", "get", "accumulate", "fetch"]
SYNCHRONISATIONS = [
    "fence", "post", "start", "complete", "wait", "test", "lock", "lock_all", "unlock", "unlock_all",
]  # fmt: skip
SYNCHRONISATIONS += ["flush", "flush_all", "flush_local", "flush_local_all", "sync"]
HEADER = struct.Struct("<8sIIiiIIII6QQQiid8x128s512s256s")
BLOCK = struct.Struct("<4sIQQQQIII12x")
ANY, NOBODY = -1, -2


class Cursor:
    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def svarint(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)


@dataclass
class Event:
    name: str
    kind: str
    fields: dict
    gap: int  # ticks
    cpu: int | None  # nanoseconds
    duration: int  # ticks
    thread: int = 0
    finish: int = 0  # ticks
    site: str = ""


@dataclass
class Part:
    path: Path
    flags: int
    rank: int
    size: int
    start: tuple[int, int, int]  # ticks, monotonic, realtime
    latest: tuple[int, int, int]
    cpu: int
    dropped: int
    pid: int
    cores: int
    ticks_per_second: float
    host: str
    program: str
    library: str
    names: list[str]
    events: list[Event] = field(default_factory=list)
    blocks: int = 0
    event_bytes: int = 0

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    def of_kind(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    @property
    def rate(self) -> float:
        """Ticks per second."""
        if self.ticks_per_second:
            return self.ticks_per_second
        return (self.latest[0] - self.start[0]) * 1e9 / (self.latest[1] - self.start[1])


def _message(cursor: Cursor) -> dict:
    return {"peer": cursor.svarint(), "tag": cursor.svarint(), "bytes": cursor.varint()}


def _actual(cursor: Cursor) -> tuple[int, int]:
    return cursor.svarint(), cursor.svarint()


def _members(cursor: Cursor) -> list[int]:
    members, last = [], 0
    for _ in range(cursor.varint()):
        last += cursor.svarint()
        members.append(last)
    return members


def _one_sided(kind: str, cursor: Cursor) -> dict:
    if kind == "win_new":
        return {"comm": cursor.varint(), "new": cursor.varint() - 1, "bytes": cursor.varint()}
    if kind == "win_free":
        return {"window": cursor.varint()}
    if kind in ("rma", "irma"):
        return {
            "operation": OPERATIONS[cursor.byte()],
            "window": cursor.varint(),
            "target": cursor.svarint(),
            "to": cursor.varint(),
            "from": cursor.varint(),
        }
    return {
        "kind": SYNCHRONISATIONS[cursor.byte()],
        "window": cursor.varint(),
        "target": cursor.svarint(),
        "flag": cursor.byte(),
        "ranks": [cursor.svarint() for _ in range(cursor.varint())],
    }


def _partitioned(kind: str, cursor: Cursor) -> dict:
    if kind in ("psend_init", "precv_init"):
        return {"comm": cursor.varint(), **_message(cursor), "partitions": cursor.varint()}
    fields = {"reference": cursor.varint()}
    if kind == "pready":
        return fields | {"first": cursor.varint(), "last": cursor.varint()}
    if kind == "pready_list":
        return fields | {"partitions": [cursor.varint() for _ in range(cursor.varint())]}
    return fields | {"partition": cursor.varint(), "arrived": cursor.byte()}


def _fields(kind: str, cursor: Cursor, end: int) -> dict:
    if kind in ("win_new", "win_free", "rma", "irma", "win_sync"):
        return _one_sided(kind, cursor)
    if kind in ("psend_init", "precv_init", "pready", "pready_list", "parrived"):
        return _partitioned(kind, cursor)
    if kind in ("send", "isend", "recv", "irecv", "send_init", "recv_init"):
        fields = {"comm": cursor.varint(), **_message(cursor)}
        if kind == "recv" and ANY in (fields["peer"], fields["tag"]):
            fields["actual"] = _actual(cursor)
        return fields
    if kind == "sendrecv":
        fields = {"comm": cursor.varint(), "send": _message(cursor), "receive": _message(cursor)}
        if ANY in (fields["receive"]["peer"], fields["receive"]["tag"]):
            fields["actual"] = _actual(cursor)
        return fields
    if kind == "start":
        return {"references": [cursor.varint() for _ in range(cursor.varint())]}
    if kind == "complete":
        fields = {"mode": MODES[cursor.byte()], "listed": cursor.varint(), "completed": []}
        for _ in range(cursor.varint()):
            value = cursor.varint()
            fields["completed"].append((value >> 1, _actual(cursor) if value & 1 else None))
        return fields
    if kind in ("request_free", "request_cancel"):
        return {"reference": cursor.varint()}
    if kind == "probe":
        fields = {
            "comm": cursor.varint(),
            "peer": cursor.svarint(),
            "tag": cursor.svarint(),
            "found": cursor.byte(),
        }
        if fields["found"]:
            fields["actual"] = _actual(cursor)
        return fields
    if kind in ("collective", "icollective", "collective_init"):
        fields = {
            "comm": cursor.varint(),
            "root": cursor.svarint(),
            "sent": cursor.varint(),
            "received": cursor.varint(),
            "element": cursor.varint(),
        }
        for name in ("sent_list", "received_list"):
            fields[name] = [cursor.varint() for _ in range(cursor.varint())]
        return fields
    if kind in ("comm_new", "icomm_new"):
        fields = {"parent": cursor.varint(), "new": cursor.varint() - 1, "inter": cursor.byte()}
        fields["members"] = _members(cursor)
        if fields["inter"]:
            fields["remote"] = _members(cursor)
        if cursor.position < end:
            fields["sources"] = [cursor.svarint() for _ in range(cursor.varint())]
            fields["destinations"] = [cursor.svarint() for _ in range(cursor.varint())]
        return fields
    if kind == "comm_free":
        return {"comm": cursor.varint()}
    if kind == "init":
        return {"level": cursor.varint()}
    if kind == "abort":
        return {"code": cursor.svarint()}
    if kind == "pcontrol":
        return {"level": cursor.svarint()}
    return {}


MAKES_REQUEST = ("isend", "irecv", "send_init", "recv_init", "icollective", "collective_init", "icomm_new")
MAKES_REQUEST += ("irma", "psend_init", "precv_init")


def _read_block(part: Part, data: bytes, offset: int, ends: dict[int, int], requests: int) -> tuple[int, int]:
    """Answers the block's end and the number of the next request; `ends`: of each thread's last event, in ticks."""
    _, stated_bytes, base, next_request, _, _, stated_events, units, thread = BLOCK.unpack_from(data, offset)
    last = ends.get(thread, base)
    # A later thread may have the number of one that ended; it begins with a block of its own.
    assert base >= last if thread else base == last, "a block's base is the end of the last event before it"
    assert next_request == requests or len(ends) > 1 or thread, "a block knows the number of the next request"
    cursor = Cursor(data, offset + BLOCK.size)
    limit = offset + max(units, 1) * 65536
    shapes: list[tuple[str, str, str, dict]] = []
    first = len(part.events)
    now = base
    while cursor.position < limit:
        start = cursor.position
        head = cursor.varint()
        if head == 0:
            cursor.position = start
            break
        if head == 1:
            length = cursor.varint()
            payload = Cursor(data, cursor.position)
            cursor.position += length
            name, _, site = part.names[payload.varint()].partition("@")
            kind = CLASSES[payload.byte()]
            shapes.append((name, site, kind, _fields(kind, payload, cursor.position)))
            assert payload.position == cursor.position, f"the payload of {name} has bytes left over"
            continue
        assert head >= 8
        name, site, kind, fields = shapes[(head - 8) // 2]
        gap = cursor.varint()
        cpu = cursor.varint() if head % 2 else None
        event = Event(name, kind, fields, gap, cpu, cursor.varint(), thread, site=site)
        now += event.gap + event.duration
        event.finish = now
        requests += kind in MAKES_REQUEST
        part.events.append(event)
    part.event_bytes += cursor.position - offset - BLOCK.size
    if stated_bytes:
        assert cursor.position - offset - BLOCK.size == stated_bytes
        assert len(part.events) - first == stated_events
    ends[thread] = now
    return limit, requests


def read_part(path: Path) -> Part:
    data = path.read_bytes()
    (magic, version, flags, rank, size, block_bytes, first_block, names_offset, names_bytes, *rest) = (
        HEADER.unpack_from(data)
    )
    assert magic == b"LWPART1\0"
    assert (version, block_bytes) == (3, 65536)
    start, latest = tuple(rest[0:3]), tuple(rest[3:6])
    cpu, dropped, pid, cores, rate, host, program, library = rest[6:]
    names = data[names_offset : names_offset + names_bytes].rstrip(b"\0").decode().split("\0")
    texts = (text.split(b"\0")[0].decode() for text in (host, program, library))
    part = Part(path, flags, rank, size, start, latest, cpu, dropped, pid, cores, rate, *texts, names)
    offset, ends, requests = first_block, {0: start[0]}, 0
    while offset + BLOCK.size <= len(data):
        if data[offset : offset + 4] == b"LWBK":
            offset, requests = _read_block(part, data, offset, ends, requests)
            part.blocks += 1
        else:
            assert not any(data[offset : offset + block_bytes]), "what is no block is unused"
            offset += block_bytes
    return part


def read_parts(folder: Path) -> list[Part]:
    """Parts of a run by rank."""
    return sorted((read_part(path) for path in folder.glob("*.part")), key=lambda part: part.rank)
