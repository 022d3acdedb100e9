"""Switch ports of bounded buffer under bursts of several senders to one receiver. Times worked out by hand."""

import math
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import Call, fabric, recv, send, way, write_trace

from linkworth import _engine
from linkworth.model.fabric import Fabric, Tcp
from linkworth.model.prediction import Layout
from linkworth.replay.run import replay

US = 1e-6
LATENCY = 10 * US
GB = 1e9
"""Bytes per second at which a byte takes a nanosecond."""
EAGER = 1 << 40
SEGMENT = 1448
TIMEOUT = 0.2


def on(**tcp: float) -> Fabric:
    """No headers, and segments of 1448 bytes, as a link without MTU has them."""
    return fabric(way(latency=LATENCY, bandwidth=GB, eager=EAGER), tcp=Tcp(**tcp))  # type: ignore[arg-type]


def incast(senders: int, size: int, bursts: int = 1, gap: float = 0.0) -> list[list[Call]]:
    """All send to rank 0 at once; between bursts they compute for `gap`."""
    calls = [[send(0, size).after(gap) for _ in range(bursts)] for _ in range(senders)]
    return [[recv(source, size) for _ in range(bursts) for source in range(1, senders + 1)], *calls]


@pytest.fixture
def seconds(tmp_path: Path) -> Callable[[list[list[Call]], Fabric], float]:
    """Predict hand-made ranks, one node a rank."""
    return lambda ranks, where: predicted(tmp_path / "incast.lwt", ranks, where)


def predicted(path: Path, ranks: list[list[Call]], where: Fabric) -> float:
    trace = _engine.Trace(str(write_trace(path, ranks)))
    return replay(trace, where, Layout(nodes=len(ranks), node_of_rank=list(range(len(ranks))))).seconds


def waiting(timeouts: float) -> float:
    """A round trip, and the timeout as often as one or several happen."""
    return 2 * LATENCY + TIMEOUT * (1 - math.exp(-timeouts))


def test_a_loss_takes_a_round_trip_where_no_timer_runs_out(seconds) -> None:
    # Eight times 64 kB at one port: when the eighth begins to arrive, 448 kB are queued. The link carries all of it without a
    # pause, only what is lost comes a round trip later.
    ranks = incast(8, 64_000)
    assert seconds(ranks, on(port_buffer_bytes=450_000, timeout_share=1.0)) == pytest.approx(
        LATENCY + 512 * US
    )
    lossy = on(port_buffer_bytes=400_000, timeout_share=0.0)
    assert seconds(ranks, lossy) == pytest.approx(LATENCY + 512 * US + 2 * LATENCY)


def test_few_segments_wait_for_their_timer_and_more_do_less_often(seconds) -> None:
    # Six segments at a port of three: one connection loses twice what the port holds, and has three segments under way. So it
    # has 0.5 x 1 x 2 timeouts.
    size = 6 * SEGMENT
    where = on(port_buffer_bytes=3.0 * SEGMENT, timeout_share=0.5)
    assert seconds(incast(2, size), where) == pytest.approx(LATENCY + 2 * size / GB + waiting(1.0))
    # A port of twelve segments: the second sender's 24 fill it twice; with twelve segments, four times three, its timer is the
    # 64th part as likely to run out. The third sender's losses add to the same burst: two connections lose four times the
    # buffer with six segments each, which is the 8th part.
    size = 24 * SEGMENT
    where = on(port_buffer_bytes=12.0 * SEGMENT, timeout_share=0.5)
    assert seconds(incast(2, size), where) == pytest.approx(LATENCY + 2 * size / GB + waiting(0.5 * 2 / 64))
    assert seconds(incast(3, size), where) == pytest.approx(
        LATENCY + 3 * size / GB + waiting(0.5 * 2 * 4 / 8)
    )


def test_a_new_burst_begins_anew_and_waits_for_the_fabrics_timer(seconds) -> None:
    # The second burst comes half a second after the first one left: its losses are not counted on those of the first.
    size = 6 * SEGMENT
    where = on(port_buffer_bytes=3.0 * SEGMENT, timeout_share=0.5)
    # A sender has a whole second of computation before it, as an eager send takes no time of its own.
    one = LATENCY + 2 * size / GB + waiting(1.0)
    assert seconds(incast(2, size, bursts=2, gap=0.5), where) == pytest.approx(1.0 + one, rel=1e-9)
    size = 6 * SEGMENT
    where = on(port_buffer_bytes=3.0 * SEGMENT, timeout_share=0.5, retransmission_timeout_seconds=0.005)
    expected = LATENCY + 2 * size / GB + 2 * LATENCY + 0.005 * (1 - math.exp(-1))
    assert seconds(incast(2, size), where) == pytest.approx(expected)


@given(
    senders=st.integers(min_value=1, max_value=9),
    size=st.integers(min_value=1, max_value=300_000),
    buffers=st.lists(st.floats(min_value=1.0, max_value=1e6), min_size=2, max_size=2).map(sorted),
    share=st.floats(min_value=0.0, max_value=1.0),
)
def test_a_larger_buffer_never_makes_a_burst_slower(
    senders: int, size: int, buffers: list[float], share: float
) -> None:
    ranks = incast(senders, size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "incast.lwt"
        small, large = (
            predicted(path, ranks, on(port_buffer_bytes=held, timeout_share=share)) for held in buffers
        )
        unbounded = predicted(path, ranks, on(timeout_share=share))
    assert unbounded <= large * (1 + 1e-12) and large <= small * (1 + 1e-12)


@given(
    senders=st.lists(st.integers(min_value=1, max_value=9), min_size=2, max_size=2).map(sorted),
    size=st.integers(min_value=1, max_value=300_000),
    held=st.floats(min_value=1.0, max_value=1e6),
)
def test_one_more_sender_never_makes_a_burst_faster(senders: list[int], size: int, held: float) -> None:
    where = on(port_buffer_bytes=held, timeout_share=0.01)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "incast.lwt"
        few, many = (predicted(path, incast(count, size), where) for count in senders)
    assert few <= many * (1 + 1e-12)


def test_without_a_bound_of_the_buffer_nothing_is_lost(seconds) -> None:
    ranks = incast(9, 200_000)
    assert seconds(ranks, on(timeout_share=1.0)) == seconds(ranks, on())
