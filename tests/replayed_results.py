"""Results of `linkworth bench` as the replay of a fabric predicts them, which a calibration must fit."""

import msgspec

from linkworth.calibrate.replayed import message_seconds
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.model.fabric import Fabric


def predicted(
    fabric: Fabric, test: str, sizes: list[int], *, pairs: int = 1, inside_a_node: bool = False
) -> BenchResult:
    rows = []
    for size in sizes:
        seconds = message_seconds(fabric, test, size, pairs=pairs, inside_a_node=inside_a_node)
        at_once = pairs if test == "incast" else 1
        rows.append(
            BenchRow(
                bytes=size,
                latency_seconds=seconds if test in {"latency", "incast"} else None,
                bandwidth_bytes_per_second=at_once * size / seconds if seconds > 0 else None,
                label=str(pairs) if test in {"multipair", "incast"} else "",
            )
        )
    ranks = pairs + 1 if test == "incast" else 2 * pairs
    nodes = 1 if inside_a_node else ranks if test == "incast" else 2
    return BenchResult(
        test=test, rows=rows, ranks=ranks, nodes=nodes, tool="linkworth replay", where=fabric.name
    )


def slowed(result: BenchResult, *factors: float) -> BenchResult:
    """Return a result each of whose rows takes a multiple of its time."""
    rows = [
        msgspec.structs.replace(row, latency_seconds=row.latency_seconds * factor)
        for row, factor in zip(result.rows, factors, strict=True)
    ]
    return msgspec.structs.replace(result, rows=rows)
