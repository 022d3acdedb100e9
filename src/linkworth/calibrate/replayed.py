"""What the replay predicts for a micro-benchmark on a fabric."""

import tempfile
from functools import cache
from pathlib import Path

from linkworth import _engine
from linkworth.calibrate import patterns
from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.replay.run import replay

TESTS = ("latency", "pingpong", "bandwidth", "bibandwidth", "multipair")
"""Tests whose results can be predicted."""


def message_seconds(
    fabric: Fabric, test: str, size: int, *, pairs: int = 1, inside_a_node: bool = False
) -> float:
    """Return the predicted time of a message.

    One after the other in `latency` and `pingpong`; else the reciprocal of the rate of all messages together.

    In `multipair` all senders are on one node and all receivers on another, or all on one node.
    """
    trace, messages = _trace(test, size, pairs)
    ranks = 2 * pairs
    layout = (
        Layout(nodes=1, node_of_rank=[0] * ranks)
        if inside_a_node
        else Layout(nodes=2, node_of_rank=[rank // pairs for rank in range(ranks)])
    )
    return replay(trace, fabric, layout).seconds / messages


def result(
    fabric: Fabric, test: str, sizes: list[int], *, pairs: int = 1, inside_a_node: bool = False
) -> BenchResult:
    """Return the result that the replay predicts for a test, as `linkworth bench` would have measured it."""
    rows = []
    for size in sizes:
        seconds = message_seconds(fabric, test, size, pairs=pairs, inside_a_node=inside_a_node)
        in_turn = test in {"latency", "pingpong"}
        rows.append(
            BenchRow(
                bytes=size,
                latency_seconds=seconds if in_turn else None,
                bandwidth_bytes_per_second=size / seconds if seconds > 0 else None,
                label=str(pairs) if test == "multipair" else "",
            )
        )
    return BenchResult(
        test=test,
        rows=rows,
        ranks=2 * pairs,
        nodes=1 if inside_a_node else 2,
        tool="linkworth replay",
        where=fabric.name,
    )


@cache
def _trace(test: str, size: int, pairs: int) -> tuple[_engine.Trace, float]:
    with tempfile.TemporaryDirectory(prefix="linkworth-calibrate-") as folder:
        path = Path(folder) / "benchmark.lwt"
        if test in {"latency", "pingpong"}:
            messages = patterns.pingpong(path, size)
        elif test == "bandwidth":
            messages = patterns.windows(path, size)
        elif test == "bibandwidth":
            messages = patterns.both_ways(path, size)
        elif test == "multipair":
            messages = patterns.windows(path, size, pairs)
        else:
            raise UsageError(f"{test}: no test that the replay can predict; it knows {', '.join(TESTS)}")
        # The engine maps the file, so it may go when the folder does.
        return _engine.Trace(str(path)), messages
