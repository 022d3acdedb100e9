"""Request for a calibration."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.units import parse_size

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_RAILS = re.compile(r"(?P<rails>[0-9]{1,2})=(?P<file>.+)")


class CalibrationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Files of results, and additional knowledge of the network."""

    files: list[Path]
    """Results between two nodes over one NIC; results of one node are taken for the way inside it."""
    intranode: list[Path] = msgspec.field(default_factory=list)
    """Results of ranks on one node."""
    rails: list[tuple[int, Path]] = msgspec.field(default_factory=list)
    """Results over several NICs a node: their number, and the file."""
    port_buffer: int | None = None
    """Bytes of buffer at the switch's port to one node, if incast results lack it."""
    base: str | None = None
    """Fabric for parameters that the results do not cover; None: the catalog's nearest."""
    name: str | None = None
    """Name of the fabric; None: the output's name, or that of the first file."""


def fabric_name(asked: str | None, output: Path | None, first: Path) -> str:
    """Return the fabric's name: as asked, or from a file's name. Raises UsageError for an invalid one."""
    if asked is not None:
        if not _NAME.fullmatch(asked):
            raise UsageError(
                f"`name` {asked}: a fabric's name has small letters, digits, dots, dashes and underscores, and begins with a "
                "letter or digit"
            )
        return asked
    made = re.sub(r"[^a-z0-9._-]+", "-", (output or first).stem.lower()).strip("-._")
    return made or "measured"


def rails_of(texts: Sequence[str]) -> list[tuple[int, Path]]:
    """Return (NICs, file) pairs of `K=FILE` options. Raises UsageError."""
    pairs = []
    for text in texts:
        found = _RAILS.fullmatch(text)
        if found is None or not 2 <= int(found["rails"]) <= 64:
            raise UsageError(
                f"`rails` {text}: give the number of NICs, 2 to 64, and the file: `rails` 2=two-nics.json"
            )
        pairs.append((int(found["rails"]), Path(found["file"])))
    return pairs


def port_buffer_of(text: str) -> int:
    """Return the bytes of `--port-buffer`. Raises UsageError."""
    size = parse_size(text, "`port_buffer`")
    if size < 1:
        raise UsageError(f"`port_buffer` {text}: give bytes, such as 512K")
    return size
