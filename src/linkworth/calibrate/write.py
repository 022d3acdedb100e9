"""Writes a fabric to a file that every verb accepts with `--on`."""

import json
import math
from pathlib import Path

from linkworth.errors import UsageError
from linkworth.model import fabric as model
from linkworth.writing.files import is_stream, write_output

_FABRIC_FIELDS = (
    "rails",
    "rail_efficiency",
    "stripe_min_bytes",
    "stripe_rest_bytes",
    "stripe_step",
    "aggregation",
    "chunk_bytes",
    "progress",
    "unexpected_copy_bytes_per_second",
    "combine_bytes_per_second",
    "intranode_total_bytes_per_second",
    "worst_miss",
)


def write(fabric: model.Fabric, path: Path) -> None:
    """Write a fabric file. Raises UsageError for a name that `--on` cannot resolve, and as `write_output` does."""
    if path.suffix != ".toml" and not is_stream(path):
        raise UsageError(f"{path}: the name of a fabric file must end in .toml, so that --on recognises it")
    write_output(path, text(fabric))


def text(fabric: model.Fabric) -> str:
    """Return the fabric's TOML."""
    blocks = [
        [
            f"name = {_value(fabric.name)}",
            f"title = {_value(fabric.title)}",
            *(f"{field} = {_value(getattr(fabric, field))}" for field in _FABRIC_FIELDS),
        ],
        ["[link]", *_fields(fabric.link)],
        ["[intranode]", *_fields(fabric.intranode)],
    ]
    if fabric.topology != model.Topology():
        blocks.append(
            [
                "[topology]",
                f"hop_latency_seconds = {_value(fabric.topology.hop_latency_seconds)}",
                f"routing = {_value(fabric.topology.routing)}",
            ]
        )
        blocks += [["[[topology.levels]]", *_fields(level)] for level in fabric.topology.levels]
    if fabric.tcp != model.Tcp():
        blocks.append(["[tcp]", *_fields(fabric.tcp)])
    blocks.append(["[spread]", *_fields(fabric.spread)])
    blocks += [["[[sources]]", *_fields(source)] for source in fabric.sources]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _fields(
    struct: model.Path | model.SwitchLevel | model.Tcp | model.Spread | model.SourceNote,
) -> list[str]:
    return [f"{field} = {_value(getattr(struct, field))}" for field in struct.__struct_fields__]


def _value(value: object) -> str:
    if isinstance(value, str):
        # Every JSON string is a TOML basic string.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return ("inf" if value > 0 else "-inf") if math.isinf(value) else repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    assert isinstance(value, int)
    return str(value)
