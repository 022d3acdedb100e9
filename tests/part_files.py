"""Parts of a trace (docs/reference/trace-format.md, "A part") written in plain Python, as the tracer would leave them."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

BLOCK_BYTES = 65536
INITIALISED, FINALISED, DISK_FULL, ABORTED, COUNTER = 1, 2, 4, 8, 16
NAMES = [
    "MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Wait", "MPI_Finalize", "MPI_Put", "MPI_Comm_rank",
    "MPI_Irecv", "MPI_Probe", "MPI_Comm_dup", "MPI_Comm_free", "MPI_Barrier", "MPI_Psend_init", "MPI_Precv_init",
    "MPI_Start", "MPI_Pready",
]  # fmt: skip


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def svarint(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def shape(payload: bytes) -> bytes:
    return varint(1) + varint(len(payload)) + payload


def call(number: int, gap: int, duration: int, cpu: int | None = None) -> bytes:
    head = 8 + 2 * number + (cpu is not None)
    return varint(head) + varint(gap) + (varint(cpu) if cpu is not None else b"") + varint(duration)


def payload(names: list[str], name: str, call_class: int, fields: bytes = b"") -> bytes:
    return varint(names.index(name)) + bytes([call_class]) + fields


def send_fields(peer: int, size: int, tag: int = 0, comm: int = 0) -> bytes:
    return varint(comm) + svarint(peer) + svarint(tag) + varint(size)


def records(names: list[str] = NAMES, *, sends: int = 1, to: int = 0, finalize: bool = True) -> bytes:
    """Return the records of a rank that sends 1000 bytes so often."""
    out = shape(payload(names, "MPI_Init", 18, varint(0))) + call(0, 500, 1000)
    out += shape(payload(names, "MPI_Send", 1, send_fields(to, 1000)))
    out += call(1, 2000, 100, cpu=900) * sends
    if finalize:
        out += shape(payload(names, "MPI_Finalize", 19)) + call(2, 7, 8)
    return out


@dataclass
class PartFile:
    """A part with its blocks; `open_last` leaves the last block as a killed process does."""

    rank: int = 0
    size: int = 1
    flags: int = INITIALISED | FINALISED | COUNTER
    host: str = "node1"
    processor: str = ""
    pid: int = 100
    start: tuple[int, int, int] = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
    latest: tuple[int, int, int] | None = None
    cpu_ns: int = 0
    dropped: int = 0
    cores: int = 2
    first_core: int | None = None
    helpers_ms: int = 0
    ticks_per_second: float = 0.0
    names: list[str] = field(default_factory=lambda: list(NAMES))
    blocks: list[tuple[int, int, bytes]] = field(default_factory=list)
    """(base ticks, next request, records)"""
    threads: list[int] = field(default_factory=list)
    """Thread of each block; beyond the list's end: 0."""
    open_last: bool = False
    tail: bytes = b""

    def encode(self) -> bytes:
        table = b"".join(name.encode() + b"\0" for name in self.names)
        header = bytearray(1024)
        struct.pack_into("<8sIIiiIIII", header, 0, b"LWPART1\0", 3, self.flags, self.rank, self.size,
                         BLOCK_BYTES, BLOCK_BYTES, 1024, len(table))  # fmt: skip
        struct.pack_into("<QQQQQQ", header, 40, *self.start, *(self.latest or self.start))
        struct.pack_into(
            "<QQiid", header, 88, self.cpu_ns, self.dropped, self.pid, self.cores, self.ticks_per_second
        )
        first_core = 0 if self.first_core is None else self.first_core + 1
        struct.pack_into("<iI", header, 120, first_core, self.helpers_ms)
        header[128 : 128 + len(self.host)] = self.host.encode()
        header[768:780] = b"Test MPI 1.0"
        header[960 : 960 + len(self.processor)] = self.processor.encode()
        out = bytes(header) + table
        out += b"\0" * (BLOCK_BYTES - len(out))
        for number, (base, request, records) in enumerate(self.blocks):
            is_open = self.open_last and number == len(self.blocks) - 1
            units = -(-(64 + len(records)) // BLOCK_BYTES)
            block = b"LWBK" + struct.pack("<IQQQQII", 0 if is_open else len(records), base, request,
                                          0, base, 0, units if units > 1 else 0)  # fmt: skip
            block += struct.pack("<I", self.threads[number] if number < len(self.threads) else 0)
            block += b"\0" * (64 - len(block)) + records
            out += block + b"\0" * (units * BLOCK_BYTES - len(block))
        return out + self.tail

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.host}.{self.pid}.part"
        path.write_bytes(self.encode())
        return path
