"""Replay predictions for a micro-benchmark on a fabric."""

from functools import cache, partial
from typing import NamedTuple

from linkworth import _engine
from linkworth.bench.replayed import exchanges
from linkworth.bench.replayed.calls import Rank, writer
from linkworth.bench.replayed.exchanges import Exchange
from linkworth.bench.replayed.sampled import PINGPONG_WARM_UP, ROUNDS, WARM_UP
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.replay.run import replay
from linkworth.writing.folders import temporary_folder

WINDOW = 64
"""Messages under way at once in the bandwidth tests (osu_bw's default)."""


def message_seconds(
    fabric: Fabric, test: str, size: int, *, pairs: int = 1, inside_a_node: bool = False
) -> float:
    """Return the predicted time of a message.

    `latency` gives the time of successive messages, others the reciprocal of the rate of all messages.

    In `multipair` all senders are on one node and all receivers on another, or all are on one node. In `incast` the
    time is that of a burst of `pairs` senders, each on a node of its own.
    """
    trace, messages = _trace(test, size, pairs)
    return replay(trace, fabric, _layout(test, pairs, inside_a_node)).seconds / messages


def _layout(test: str, pairs: int, inside_a_node: bool) -> Layout:
    ranks = _ranks(test, pairs)
    if inside_a_node:
        return Layout(nodes=1, node_of_rank=[0] * ranks)
    if test == "incast":
        return Layout(nodes=ranks, node_of_rank=list(range(ranks)))
    return Layout(nodes=2, node_of_rank=[rank // pairs for rank in range(ranks)])


def _ranks(test: str, pairs: int) -> int:
    return pairs + 1 if test == "incast" else 2 * pairs


class _Written(NamedTuple):
    """Calls of the ranks of a test. The first rank times them."""

    exchange: Exchange
    messages: float
    """Messages that the reported time of an exchange is divided by."""
    warm_up: int = WARM_UP


def _written(test: str, pairs: int) -> _Written:
    if test == "latency":
        return _Written(exchanges.in_turn, 2.0, PINGPONG_WARM_UP)
    if test in {"bandwidth", "multipair"}:
        return _Written(partial(exchanges.windows, messages=WINDOW, pairs=pairs), float(WINDOW * pairs))
    if test == "bibandwidth":
        return _Written(partial(exchanges.windows_both_ways, messages=WINDOW), 2.0 * WINDOW)
    return _Written(partial(exchanges.incast, senders=pairs), 1.0)


@cache
def _trace(test: str, size: int, pairs: int) -> tuple[_engine.Trace, float]:
    """Return the trace of a test, and the number of messages in its timed part."""
    written, ranks = _written(test, pairs), _ranks(test, pairs)
    with temporary_folder() as folder:
        path = folder / "benchmark.lwt"
        trace = writer(path, ranks)
        for number in range(ranks):
            rank = Rank(trace, number)
            written.exchange(rank, size, written.warm_up)
            if number == 0:
                rank.mark(1)
            written.exchange(rank, size, ROUNDS)
            if number == 0:
                rank.mark(0)
        trace.close()
        # The engine maps the file, so it may disappear with the folder.
        return _engine.Trace(str(path)), ROUNDS * written.messages
