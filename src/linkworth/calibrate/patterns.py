"""Micro-benchmarks as traces: the ranks' calls in a latency or bandwidth test, for the replay."""

from pathlib import Path

from linkworth.bench.replayed import exchanges
from linkworth.bench.replayed.calls import Rank, writer
from linkworth.bench.replayed.exchanges import Exchange
from linkworth.bench.replayed.sampled import PINGPONG_WARM_UP, ROUNDS, WARM_UP

WINDOW = 64
"""Messages under way at once in the bandwidth tests (osu_bw's default)."""


def pingpong(path: Path, size: int) -> float:
    """Write a ping-pong of two ranks; return the number of successive messages in its timed part."""
    _write(path, 2, exchanges.in_turn(), size, warm_up=PINGPONG_WARM_UP)
    return 2.0 * ROUNDS


def windows(path: Path, size: int, pairs: int = 1) -> float:
    """Write osu_bw, or osu_mbw_mr of several pairs (ranks i and pairs + i); return the messages of its timed part."""
    _write(path, 2 * pairs, exchanges.windows(WINDOW, pairs), size)
    return float(ROUNDS * WINDOW * pairs)


def both_ways(path: Path, size: int) -> float:
    """Write osu_bibw of two ranks; return the messages of its timed part, in both directions together."""
    _write(path, 2, exchanges.windows_both_ways(WINDOW), size)
    return 2.0 * ROUNDS * WINDOW


def incast(path: Path, size: int, senders: int) -> float:
    """Write repeated bursts of `senders` ranks to rank 0; return the bursts of its timed part."""
    _write(path, senders + 1, exchanges.incast(senders), size)
    return float(ROUNDS)


def _write(path: Path, ranks: int, exchange: Exchange, size: int, warm_up: int = WARM_UP) -> None:
    trace = writer(path, ranks)
    for number in range(ranks):
        rank = Rank(trace, number)
        exchange(rank, size, warm_up)
        timed = number == 0
        if timed:
            rank.mark(1)
        exchange(rank, size, ROUNDS)
        if timed:
            rank.mark(0)
    trace.close()
