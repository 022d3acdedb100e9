"""Effective bandwidth (b_eff): rings, random patterns, loops and averages as in lw-netbench."""

from collections.abc import Sequence

from linkworth import _engine
from linkworth.bench.replayed.calls import Rank, Script
from linkworth.bench.replayed.exchanges import METHODS, ring
from linkworth.bench.replayed.sampled import ReplayedRanks
from linkworth.bench.settings import BenchSettings
from linkworth.model.bench import BenchRow

MOST_LOOPS = 8
"""Most exchanges to replay together; the benchmark times up to 300, but the mean no longer changes."""
MOST_RANKS_OF_ALLTOALLV = 128
"""Most ranks with MPI_Alltoallv: its messages grow with the square of the ranks, and with two neighbours it is slower
than the other two methods."""

Ring = list[tuple[int, int]]


class Pattern:
    """One pattern, and its number of repetitions at the next length."""

    def __init__(self, neighbours: Ring) -> None:
        self.neighbours = neighbours
        self.loops = _engine.MOST_BEFF_LOOPS


class Timed:
    """The exchange of some loops by one method in one pattern."""

    def __init__(self, pattern: Pattern, method: str, size: int, ranks: int) -> None:
        self.pattern = pattern
        self.loops = min(pattern.loops, MOST_LOOPS)
        self.method = method
        self.size = size
        self.ranks = ranks

    def warm_up(self, rank: Rank) -> None:
        """Exchange once."""
        ring(self.method, rank, self.pattern.neighbours[rank.rank], self.size, self.ranks)

    def run(self, rank: Rank) -> None:
        """Exchange as often as the benchmark times."""
        for _ in range(self.loops):
            self.warm_up(rank)


def methods_of(settings: BenchSettings, ranks: int) -> list[str]:
    """Return the methods of exchange to replay."""
    asked = list(settings.methods or METHODS)
    few = [method for method in asked if method != "alltoallv"]
    return few if few and ranks > MOST_RANKS_OF_ALLTOALLV else asked


def predict(
    place: ReplayedRanks, lengths: Sequence[int], settings: BenchSettings
) -> tuple[list[BenchRow], dict[str, float]]:
    """Return the rows and the values of b_eff for messages of the given lengths."""
    found, rows = {}, []
    for label in ("rings", "random"):
        rings = _engine.beff_patterns(place.ranks, label == "random", settings.seed)
        found[label] = _measured(place, rings, lengths, settings)
        for at, size in enumerate(lengths):
            bandwidth = _engine.logarithmic_average([pattern[at] for pattern in found[label]])
            rows.append(
                BenchRow(
                    bytes=size,
                    latency_seconds=2 * place.ranks * size / bandwidth,
                    bandwidth_bytes_per_second=bandwidth,
                    label=label,
                )
            )
    whole = _engine.effective_bandwidth(found["rings"], found["random"])
    at_longest = [_engine.logarithmic_average([each[-1] for each in found[label]]) for label in found]
    return rows, {
        "beff_bytes_per_second": whole,
        "beff_per_rank_bytes_per_second": whole / place.ranks,
        "rings_bytes_per_second": _engine.pattern_average(found["rings"]),
        "random_bytes_per_second": _engine.pattern_average(found["random"]),
        "beff_at_longest_bytes_per_second": _engine.logarithmic_average(at_longest),
        "longest_bytes": float(lengths[-1]),
    }


def _measured(
    place: ReplayedRanks, rings: Sequence[Ring], lengths: Sequence[int], settings: BenchSettings
) -> list[list[float]]:
    """Return bytes per second by pattern and length, each the best of all methods."""
    # With few ranks several patterns are the same: each counts, but only one is replayed.
    patterns: dict[tuple[tuple[int, int], ...], Pattern] = {}
    for neighbours in rings:
        patterns.setdefault(tuple(neighbours), Pattern(neighbours))
    methods = methods_of(settings, place.ranks)
    found: list[list[float]] = [[] for _ in rings]
    for at, size in enumerate(lengths):
        timed = [
            Timed(pattern, method, size, place.ranks) for pattern in patterns.values() for method in methods
        ]
        script = Script(place.ranks)
        for one in timed:
            script.all(lambda rank: rank.collective("MPI_Barrier"))
            if settings.sizes or _engine.beff_warms_up(at, len(lengths)):
                script.all(one.warm_up)
            script.timed(one.run)
        best: dict[Pattern, float] = {}
        for one, own in zip(timed, script.replay(place.fabric, place.layout, place.settings), strict=True):
            seconds = max(max(own), 1e-9) / one.loops
            best[one.pattern] = min(seconds, best.get(one.pattern, seconds))
        growth = lengths[at + 1] / size if at + 1 < len(lengths) else 1.0
        for pattern, seconds in best.items():
            pattern.loops = _engine.beff_loops(seconds, growth)
        for number, neighbours in enumerate(rings):
            found[number].append(2 * place.ranks * size / best[patterns[tuple(neighbours)]])
    return found
