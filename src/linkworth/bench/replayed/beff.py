"""Effective bandwidth (b_eff): rings, random patterns, loops and averages as in lw-netbench."""

from collections.abc import Sequence

from linkworth import _engine
from linkworth.bench.replayed.calls import Script
from linkworth.bench.replayed.exchanges import METHODS, Pattern, ring
from linkworth.bench.replayed.sampled import LEAST_SECONDS, ReplayedRanks
from linkworth.bench.settings import BenchSettings
from linkworth.model.bench import BenchRow

MOST_LOOPS = 8
"""Most exchanges to replay together; the benchmark times up to 300, but the mean no longer changes."""
MOST_RANKS_OF_ALLTOALLV = 128
"""Most ranks with MPI_Alltoallv: its messages grow with the square of the ranks, and with two neighbours it is slower
than the other two methods."""


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
        patterns = _engine.beff_patterns(place.ranks, label == "random", settings.seed)
        found[label] = _measured(place, [tuple(pattern) for pattern in patterns], lengths, settings)
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
    place: ReplayedRanks, patterns: Sequence[Pattern], lengths: Sequence[int], settings: BenchSettings
) -> list[list[float]]:
    """Return bytes per second by pattern and length, each the best of all methods."""
    # With few ranks several patterns are the same: each counts, but only one is replayed.
    loops = dict.fromkeys(patterns, _engine.MOST_BEFF_LOOPS)
    methods = methods_of(settings, place.ranks)
    found: list[list[float]] = [[] for _ in patterns]
    for at, size in enumerate(lengths):
        timed = [
            (pattern, method, min(count, MOST_LOOPS))
            for pattern, count in loops.items()
            for method in methods
        ]
        script = Script(place.ranks)
        for pattern, method, count in timed:
            script.all(lambda rank: rank.collective("MPI_Barrier"))
            if settings.sizes or _engine.beff_warms_up(at, len(lengths)):
                script.all(ring, pattern, method, size, 1)
            script.timed(ring, pattern, method, size, count)
        best: dict[Pattern, float] = {}
        times = script.replay(place.fabric, place.layout, place.settings)
        for (pattern, _, count), own in zip(timed, times, strict=True):
            seconds = max(*own, LEAST_SECONDS) / count
            best[pattern] = min(seconds, best.get(pattern, seconds))
        growth = lengths[at + 1] / size if at + 1 < len(lengths) else 1.0
        loops = {pattern: _engine.beff_loops(seconds, growth) for pattern, seconds in best.items()}
        for pattern, rates in zip(patterns, found, strict=True):
            rates.append(2 * place.ranks * size / best[pattern])
    return found
