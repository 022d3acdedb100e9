"""Messages of a stretch at a rank count: all are received, and they are as many and as large as they should be."""

from collections import Counter, defaultdict, deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.scale.distributions.exchanges import Pattern
from linkworth.scale.recording import BINS, Rooted, Stretch


@st.composite
def stretches(draw: st.DrawFn) -> Stretch:
    seed = np.random.default_rng(draw(st.integers(0, 1000)))
    return Stretch(
        draw(st.sampled_from((0.0, 1.0, 3.4, 40.0))),
        draw(st.sampled_from((0.0, 1e5, 1e8))),
        draw(st.sampled_from((0.0, 3.0))),
        draw(st.sampled_from((0.0, 0.02, 0.6, 1.0, 5.5, 30.0))),
        seed.integers(-40, 40, BINS).astype(float),
        2.0 ** seed.integers(0, 6, BINS),
        np.full(BINS, True) if draw(st.booleans()) else seed.integers(0, 2, BINS).astype(bool),
        seed.integers(0, 10**6, BINS).astype(float),
        Rooted(draw(st.sampled_from((0.0, 1.0, 3.0))), 80.0),
        Rooted(draw(st.sampled_from((0.0, 2.0))), 160.0),
    )


@given(stretch=stretches(), ranks=st.sampled_from((1, 2, 3, 8, 12, 37, 64)))
def test_every_message_is_received_in_the_order_in_which_it_is_sent(stretch: Stretch, ranks: int) -> None:
    pattern = Pattern(stretch, ranks)
    sent: dict[tuple[int, int, int], list[int]] = {}
    received: dict[tuple[int, int, int], list[int]] = {}
    total = Counter[int]()
    for rank in range(ranks):
        calls, share, _ = pattern.calls(rank)
        assert share.sum() == pytest.approx(1)
        for _, kind, fields in calls:
            if kind in ("send", "isend"):
                assert fields["peer"] != rank
                sent.setdefault((rank, fields["peer"], fields["tag"]), []).append(fields["bytes"])
                total[fields["tag"]] += 1
            elif kind in ("recv", "irecv"):
                received.setdefault((fields["peer"], rank, fields["tag"]), []).append(fields["bytes"])
    assert sent == received
    others = ranks - 1
    assert total[1] == (stretch.scattered.messages + stretch.gathered.messages) * others
    if stretch.wraps.all():
        assert total[0] == pytest.approx(stretch.messages * ranks * (ranks > 1), abs=1)


def longest_chain(pattern: Pattern, ranks: int) -> int:
    """Return how many messages wait for one another: a rank's sends do for all that it received before."""
    left = [deque(pattern.calls(rank)[0]) for rank in range(ranks)]
    lengths = [0] * ranks
    under_way: defaultdict[tuple[int, int], deque[int]] = defaultdict(deque)
    awaited: list[list[int]] = [[] for _ in range(ranks)]
    while any(left):
        for rank, calls in enumerate(left):
            while calls:
                _, kind, fields = calls[0]
                if kind == "isend":
                    under_way[rank, fields["peer"]].append(lengths[rank] + 1)
                elif kind == "irecv":
                    awaited[rank].append(fields["peer"])
                elif all(under_way[source, rank] for source in awaited[rank]):
                    arrived = [under_way[source, rank].popleft() for source in awaited[rank]]
                    lengths[rank] = max([lengths[rank], *arrived])
                    awaited[rank] = []
                else:
                    break
                calls.popleft()
    return max(lengths)


def test_as_many_messages_wait_for_one_another_in_parts_of_the_ranks() -> None:
    bins = np.arange(BINS)
    none = Rooted(0, 0)
    distance, blocks, sizes = (
        np.array(each, dtype=np.float64) for each in (np.where(bins % 2, 1, -3), 2 ** (bins % 4), 1000 + bins)
    )
    stretch = Stretch(200.0, 0.0, 0.0, 12.0, distance, blocks, bins >= 0, sizes, none, none)
    assert longest_chain(Pattern(stretch, 32), 32) == 200
