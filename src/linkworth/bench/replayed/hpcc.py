"""HPC Challenge's latency and bandwidth: each pair and ring once, since every replay gives the same."""

from statistics import fmean

from linkworth import _engine
from linkworth.bench.replayed.calls import Rank, Script
from linkworth.bench.replayed.exchanges import ring
from linkworth.bench.replayed.sampled import LEAST_SECONDS, ReplayedRanks
from linkworth.model.bench import BenchRow

METHODS = ("sendrecv", "nonblocking")


def predict(place: ReplayedRanks, seed: int) -> tuple[list[BenchRow], dict[str, float]]:
    """Return the rows and the single figures of HPC Challenge's two message sizes."""
    pairs, rings, rows = [], [], []
    sizes = _engine.hpcc_sizes()
    for number, (size, trips, _) in enumerate(sizes):
        found = _ping_pongs(place, number, size, trips)
        pairs.append(found)
        rows += [
            _row(size, "ping pong", fmean(found), fmean(size / one for one in found)),
            _row(size, "ping pong, slowest pair", max(found), size / max(found)),
        ]
    for number, (size, _, exchanges) in enumerate(sizes):
        natural, *others = _rings(place, number, size, exchanges, seed)
        rings.append((natural, _engine.logarithmic_average(others)))
        for label, seconds in zip(("naturally", "randomly"), rings[-1], strict=True):
            rows.append(_row(size, f"{label} ordered ring", seconds, size / seconds))
    size = sizes[1][0]
    return rows, {
        "min_ping_pong_latency_seconds": min(pairs[0]),
        "avg_ping_pong_latency_seconds": fmean(pairs[0]),
        "max_ping_pong_latency_seconds": max(pairs[0]),
        "min_ping_pong_bandwidth_bytes_per_second": size / max(pairs[1]),
        "avg_ping_pong_bandwidth_bytes_per_second": fmean(size / one for one in pairs[1]),
        "max_ping_pong_bandwidth_bytes_per_second": size / min(pairs[1]),
        "naturally_ordered_ring_latency_seconds": rings[0][0],
        "randomly_ordered_ring_latency_seconds": rings[0][1],
        "naturally_ordered_ring_bandwidth_bytes_per_second": size / rings[1][0],
        "randomly_ordered_ring_bandwidth_bytes_per_second": size / rings[1][1],
    }


def _row(size: int, label: str, seconds: float, bandwidth: float) -> BenchRow:
    return BenchRow(bytes=size, label=label, latency_seconds=seconds, bandwidth_bytes_per_second=bandwidth)


def _ping_pongs(place: ReplayedRanks, number: int, size: int, trips: int) -> list[float]:
    """Return the seconds of one message of each pair that takes part."""
    ranks = place.ranks
    [first] = _of_pairs(place, [0], [ranks - 1], size, trips)
    stride = _engine.hpcc_pair_stride(ranks, number, first)
    return _of_pairs(place, range(0, ranks, stride), range(ranks - 1, -1, -stride)[::-1], size, trips)


def _of_pairs(
    place: ReplayedRanks, clients: list[int] | range, servers: list[int] | range, size: int, trips: int
) -> list[float]:
    def exchange(rank: Rank, client: int, server: int, count: int) -> None:
        for _ in range(count):
            if rank.rank == client:
                rank.send(server, size)
                rank.receive(server, size)
            elif rank.rank == server:
                rank.receive(client, size)
                rank.send(client, size)

    script = Script(place.ranks)
    asking = []
    for client in clients:
        for server in servers:
            if server == client:
                continue
            asking.append(client)
            script.all(exchange, client, server, 1)
            script.timed(exchange, client, server, trips)
        script.all(lambda rank: rank.collective("MPI_Barrier"))
    timed = script.replay(place.fabric, place.layout, place.settings)
    return [max(own[client], LEAST_SECONDS) / (2 * trips) for client, own in zip(asking, timed, strict=True)]


def _rings(place: ReplayedRanks, number: int, size: int, exchanges: int, seed: int) -> list[float]:
    """Return the seconds of one message in the natural ring and in each random one."""
    patterns = [tuple(pattern) for pattern in _engine.hpcc_rings(place.ranks, number, seed)]
    # With few ranks many orders give the same neighbours.
    distinct = list(dict.fromkeys(patterns))
    script = Script(place.ranks)
    for pattern in distinct:
        for method in METHODS:
            script.all(lambda rank: rank.collective("MPI_Allreduce", 4, 4, element=4))
            script.all(ring, pattern, method, size, 1)
            script.timed(ring, pattern, method, size, exchanges)
    timed = script.replay(place.fabric, place.layout, place.settings)
    found = {}
    for at, pattern in enumerate(distinct):
        by_method = timed[at * len(METHODS) : (at + 1) * len(METHODS)]
        # Each rank takes its faster method, and the slowest rank counts.
        slowest = max(min(each) for each in zip(*by_method, strict=True))
        found[pattern] = max(slowest, LEAST_SECONDS) / (2 * exchanges)
    return [found[pattern] for pattern in patterns]
