"""A reader of parts in plain Python, written from docs/reference/trace-format.md and from nothing else.

It is the tests' own: independent of the native reader, so that a mistake common to writer and reader shows.
"""

import struct
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

CLASSES = [
    "local", "send", "isend", "recv", "irecv", "sendrecv", "send_init", "recv_init", "start", "complete",
    "request_free", "probe", "collective", "icollective", "collective_init", "comm_new", "icomm_new", "comm_free",
    "init", "finalize", "abort", "pcontrol", "request_cancel", "win_new", "win_free", "rma", "irma", "win_sync",
    "psend_init", "precv_init", "pready", "pready_list", "parrived", "isendrecv",
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


def _list(read):
    return lambda cursor: [read(cursor) for _ in range(cursor.varint())]


def _members(cursor: Cursor) -> list[int]:
    return list(accumulate(cursor.svarint() for _ in range(cursor.varint())))


def _completion(cursor: Cursor) -> tuple[int, tuple[int, int] | None]:
    value = cursor.varint()
    return value >> 1, (cursor.svarint(), cursor.svarint()) if value & 1 else None


def _or_none(cursor: Cursor) -> int:
    return cursor.varint() - 1


COUNT, NUMBER, BYTE = Cursor.varint, Cursor.svarint, Cursor.byte
COUNTS, NUMBERS = _list(COUNT), _list(NUMBER)
MESSAGE = {"peer": NUMBER, "tag": NUMBER, "bytes": COUNT}
REQUEST = {"reference": COUNT}
CALL = {"comm": COUNT, **MESSAGE}
EXCHANGE = {"comm": COUNT, "send": MESSAGE, "receive": MESSAGE}
PARTITIONED = {**CALL, "partitions": COUNT}
ACCESS = {
    "operation": lambda cursor: OPERATIONS[cursor.byte()],
    "window": COUNT,
    "target": NUMBER,
    "to": COUNT,
    "from": COUNT,
}
COLLECTIVE = {
    "comm": COUNT, "root": NUMBER, "sent": COUNT, "received": COUNT, "element": COUNT, "sent_list": COUNTS,
    "received_list": COUNTS,
}  # fmt: skip
NEW_COMM = {"parent": COUNT, "new": _or_none, "inter": BYTE, "members": _members}
FIELDS = {
    **dict.fromkeys(["send", "isend", "recv", "irecv", "send_init", "recv_init"], CALL),
    **dict.fromkeys(["psend_init", "precv_init"], PARTITIONED),
    **dict.fromkeys(["request_free", "request_cancel"], REQUEST),
    **dict.fromkeys(["collective", "icollective", "collective_init"], COLLECTIVE),
    **dict.fromkeys(["comm_new", "icomm_new"], NEW_COMM),
    **dict.fromkeys(["rma", "irma"], ACCESS),
    **dict.fromkeys(["sendrecv", "isendrecv"], EXCHANGE),
    "start": {"references": COUNTS},
    "complete": {"mode": lambda cursor: MODES[cursor.byte()], "listed": COUNT, "completed": _list(_completion)},
    "probe": {"comm": COUNT, "peer": NUMBER, "tag": NUMBER, "found": BYTE},
    "comm_free": {"comm": COUNT},
    "init": {"level": COUNT},
    "abort": {"code": NUMBER},
    "pcontrol": {"level": NUMBER},
    "pready": {**REQUEST, "first": COUNT, "last": COUNT},
    "pready_list": {**REQUEST, "partitions": COUNTS},
    "parrived": {**REQUEST, "partition": COUNT, "arrived": BYTE},
    "win_new": {"comm": COUNT, "new": _or_none, "bytes": COUNT},
    "win_free": {"window": COUNT},
    "win_sync": {
        "kind": lambda cursor: SYNCHRONISATIONS[cursor.byte()], "window": COUNT, "target": NUMBER, "flag": BYTE,
        "ranks": NUMBERS,
    },
}  # fmt: skip
"""Readers of the fields of a payload, by class. `_fields` adds those that depend on others."""


def _read(fields: dict, cursor: Cursor) -> dict:
    return {
        name: _read(how, cursor) if isinstance(how, dict) else how(cursor) for name, how in fields.items()
    }


def _fields(kind: str, cursor: Cursor, end: int) -> dict:
    fields = _read(FIELDS.get(kind, {}), cursor)
    received = {"recv": fields, "sendrecv": fields.get("receive", {})}.get(kind, {})
    if fields.get("found") or ANY in (received.get("peer"), received.get("tag")):
        fields["actual"] = (cursor.svarint(), cursor.svarint())
    if fields.get("inter"):
        fields["remote"] = _members(cursor)
    if kind in ("comm_new", "icomm_new") and cursor.position < end:
        fields |= _read({"sources": NUMBERS, "destinations": NUMBERS}, cursor)
    return fields


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
