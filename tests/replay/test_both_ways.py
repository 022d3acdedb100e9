"""Windows of messages both ways between two ranks over TCP: their limit, and the libraries that have it."""

from collections.abc import Callable

import msgspec
import pytest
from synthetic import Call, fabric, irecv, isend, waitall, way

from linkworth.catalog import fabrics
from linkworth.model.collectives import CollectiveLibrary
from linkworth.model.fabric import Fabric, Tcp
from linkworth.model.prediction import Prediction
from linkworth.model.settings import ReplaySettings

Predict = Callable[..., Prediction]
MB = 1_000_000
LINK = way(bandwidth=1e9, eager=65535)
FREE = fabric(LINK, progress="calls", tcp=Tcp(burst_seconds=1.0))
LIMITED = msgspec.structs.replace(FREE, tcp=msgspec.structs.replace(FREE.tcp, pair_bytes_per_second=1e9))


def window(
    partner: int, messages: int, size: int, *, sends: bool = True, receives: bool = True
) -> list[Call]:
    """Messages to and from a partner, as in osu_bibw."""
    calls = [irecv(partner, size) for _ in range(messages if receives else 0)]
    calls += [isend(partner, size) for _ in range(messages if sends else 0)]
    return [*calls, waitall(*range(1, len(calls) + 1))]


def both_ways(messages: int, size: int = MB) -> list[list[Call]]:
    return [window(1, messages, size), window(0, messages, size)]


@pytest.mark.parametrize("eager", [65535, 1 << 40])
def test_windows_both_ways_take_turns(predict: Predict, eager: int) -> None:
    on = msgspec.structs.replace(LIMITED, link=msgspec.structs.replace(LINK, eager_limit_bytes=eager))
    assert predict(both_ways(8), on).seconds == pytest.approx(16e-3, rel=0.02)
    assert predict(both_ways(8), FREE).seconds == pytest.approx(8e-3, rel=0.02)


def test_the_limit_needs_windows_of_long_messages_in_both_directions(predict: Predict) -> None:
    one_way = [window(1, 8, MB, receives=False), window(0, 8, MB, sends=False)]
    for ranks in (both_ways(1), one_way, both_ways(8, 65535)):
        assert predict(ranks, LIMITED).seconds == pytest.approx(predict(ranks, FREE).seconds)
    assert predict(both_ways(8, 65536), LIMITED).seconds > 1.8 * predict(both_ways(8, 65535), LIMITED).seconds


def test_a_window_after_a_pause_fills_both_directions(predict: Predict) -> None:
    def seconds(pause: float) -> float:
        windows = zip(both_ways(8), both_ways(8), strict=True)
        ranks = [[*first, second[0].after(pause), *second[1:]] for first, second in windows]
        return predict(ranks, LIMITED).seconds - pause

    assert seconds(1e-4) == pytest.approx(32e-3, rel=0.02)
    assert seconds(5e-3) == pytest.approx(24e-3, rel=0.02)


def test_the_limit_is_of_a_pair_and_each_rail_adds_to_it(predict: Predict) -> None:
    # Ranks 0 and 1 are on one node. 16 MB each way: as long as a pair's 16 MB in both directions together.
    ranks = [window(partner, 8, MB) for partner in (2, 3, 0, 1)]
    assert predict(ranks, LIMITED, nodes=[0, 0, 1, 1]).seconds == pytest.approx(16e-3, rel=0.05)
    on = msgspec.structs.replace(LIMITED, rails=2, stripe_min_bytes=65537)
    assert predict(both_ways(8), on).seconds == pytest.approx(8e-3, rel=0.05)
    # Bonded by connection, a pair has one rail whatever the number.
    bonded = msgspec.structs.replace(on, aggregation="connection")
    assert predict(both_ways(8), bonded).seconds == pytest.approx(16e-3, rel=0.05)


def test_requests_behind_data_are_no_messages_of_the_window(predict: Predict) -> None:
    # Rank 1's request and rank 0's answer wait in the stream behind 50 MB.
    ranks = [
        [irecv(1, MB), isend(1, 50 * MB), isend(1, 8).after(1e-3), waitall(1, 2, 3)],
        [irecv(0, 50 * MB), irecv(0, 8), isend(0, MB).after(5e-3), waitall(1, 2, 3)],
    ]

    def limited_from(least: int) -> float:
        tcp = msgspec.structs.replace(LIMITED.tcp, one_stream_below_bytes=1 << 40, pair_from_bytes=least)
        return predict(ranks, msgspec.structs.replace(LIMITED, tcp=tcp)).seconds

    assert limited_from(0) == limited_from(1)


@pytest.mark.parametrize(
    ("library", "on", "ratio"),
    [
        ("openmpi-4.0", fabrics.get("gbe"), 2.0),
        ("openmpi-5.0", fabrics.get("25gbe"), 2.0),
        ("mpich", fabrics.get("gbe"), 1.0),
        ("openmpi-4.1", fabrics.get("ib-fdr"), 1.0),
    ],
)
def test_the_library_decides_over_tcp(
    predict: Predict, library: CollectiveLibrary, on: Fabric, ratio: float
) -> None:
    seconds = [
        predict(ranks, on, settings=ReplaySettings(mpi_library=library)).seconds
        for ranks in (both_ways(16), [window(1, 16, MB, receives=False), window(0, 16, MB, sends=False)])
    ]
    assert seconds[0] / seconds[1] == pytest.approx(ratio, rel=0.05)
