"""Trace files taken apart and put together with right checksums (docs/reference/trace-format.md)."""

import struct
from typing import Any, NamedTuple

from linkworth import _engine

_HEADER = struct.Struct("<8sIIQQIIQQ8x")
_BLOCK = struct.Struct("<4sIIIIIIIQQd8x")
_INDEX = struct.Struct("<QIIQII")
_TRAILER = struct.Struct("<QQII8s")
MAGIC = b"LWTRACE1"


class Parts(NamedTuple):
    """Parts of a trace file that have a checksum, without it."""

    metadata: bytes
    names: bytes
    ranks: int
    blocks: list[tuple[dict[str, Any], bytes]]
    """Fields of the header and stored bytes."""


_BLOCK_FIELDS = (
    "magic", "rank", "sequence", "codec", "stored", "raw", "events", "crc", "base", "next_request", "tick",
)  # fmt: skip


def taken_apart(content: bytes, metadata: bytes, names: bytes) -> Parts:
    """Return the parts of a whole trace file, with the metadata and names that a reader found in it."""
    _, _, _, metadata_bytes, names_bytes, ranks, *_ = _HEADER.unpack_from(content)
    at = _HEADER.size + metadata_bytes + names_bytes
    blocks = []
    while content[at : at + 4] == b"LWBK":
        fields = dict(zip(_BLOCK_FIELDS, _BLOCK.unpack_from(content, at), strict=True))
        at += _BLOCK.size
        blocks.append((fields, content[at : at + fields["stored"]]))
        at += fields["stored"]
    return Parts(metadata, names, ranks, blocks)


def put_together(parts: Parts) -> bytes:
    """Return the trace file of these parts, all checksums right."""
    values = [MAGIC, 7, 0, len(parts.metadata), len(parts.names), parts.ranks, 0, 0, 0]
    values[6] = _engine.crc32c(_HEADER.pack(*values) + parts.metadata + parts.names)
    content = bytearray(_HEADER.pack(*values) + parts.metadata + parts.names)
    index = b""
    for fields, stored in parts.blocks:
        header = {**fields, "stored": len(stored), "crc": 0}
        header["crc"] = _engine.crc32c(_BLOCK.pack(*header.values()) + stored)
        index += _INDEX.pack(
            len(content), header["rank"], header["sequence"], header["base"], header["events"], header["raw"]
        )
        content += _BLOCK.pack(*header.values()) + stored
    trailer = _TRAILER.pack(len(content), len(parts.blocks), _engine.crc32c(index), 0, MAGIC)
    return bytes(content) + index + trailer
