"""Reasons to doubt a test's rows, in a few sentences."""

import math
from collections.abc import Iterable, Mapping, Sequence

from linkworth import units
from linkworth.model.bench import BenchRow

LARGE_DRIFT = 0.1
"""Least significant drift of the mean over a size's samples to report."""
SKEW = 1.5
"""Mean over median beyond which other programs probably used the cores or the network at times."""


def row_warnings(
    rows: Sequence[BenchRow], drifts: Mapping[int, float], precision: float, seconds: float
) -> list[str]:
    """Return sentences on missed precision, drifting times, and means that few samples dominate."""
    return [
        sentence
        for sentence in (_imprecise(rows, precision, seconds), _drifting(drifts), _skewed(rows))
        if sentence
    ]


def rates_of(rows: Iterable[BenchRow]) -> dict[int, float]:
    """Return the bandwidth in bytes per second by message size."""
    return {row.bytes: rate for row in rows if (rate := row.bandwidth_bytes_per_second) is not None}


ONE_LINK = {"bandwidth": 1, "pingpong": 1, "bibandwidth": 2}
"""Tests of two ranks whose rate one link bounds, and the directions that they use at once."""


def above_link(
    test: str, rates: Mapping[int, float], link_bytes_per_second: float, *, both_ways: bool = False
) -> str:
    """Return a sentence on rates, by message size in bytes, that are above a link's; empty if there are none.

    All rates are in bytes per second. Tests whose rate no single link bounds are not judged. `both_ways`: the rate of the
    test is a sum of both directions by an option.
    """
    bound = ONE_LINK.get(test, 0) * (2 if both_ways else 1) * link_bytes_per_second
    high = {size: rate for size, rate in rates.items() if bound and rate > bound}
    if not high:
        return ""
    size, rate = max(high.items(), key=lambda item: item[1])
    return (
        f"the rate at {_sizes(high)} is above the link's {units.rate(bound)} (up to {units.rate(rate)} at {size} B): "
        "buffers took the messages before the link carried them, or another path carried them"
    )


def _imprecise(rows: Sequence[BenchRow], precision: float, seconds: float) -> str:
    wide = [row for row in rows if _half_width(row) > precision]
    if not wide:
        return ""
    worst = max(map(_half_width, wide))
    known = "a single sample" if math.isinf(worst) else f"95 % half-width up to {worst * 100:.3g} %"
    return (
        f"the mean is not known to {precision * 100:.3g} % at {_sizes(row.bytes for row in wide)} ({known}): "
        f"measure each size for more than {seconds:g} s, or on a calmer machine"
    )


def _half_width(row: BenchRow) -> float:
    """Return the relative half-width: infinite for a lone sample, 0 for a test without repeated samples (beff)."""
    if row.confidence_half_width is not None:
        return row.confidence_half_width
    return math.inf if row.samples == 1 and row.mean is not None else 0.0


def _drifting(drifts: Mapping[int, float]) -> str:
    large = {size: drift for size, drift in drifts.items() if abs(drift) > LARGE_DRIFT}
    if not large:
        return ""
    size, drift = max(large.items(), key=lambda item: abs(item[1]))
    moved = f"{units.change(drift)} at {size} B"
    return f"the times drifted while {_sizes(large)} were measured ({moved}): the clock or the load changed"


def _skewed(rows: Sequence[BenchRow]) -> str:
    ratios = [(row.mean / row.median, row.bytes) for row in rows if row.mean and row.median]
    high = [(ratio, size) for ratio, size in ratios if ratio > SKEW]
    if not high:
        return ""
    sizes = _sizes(size for _, size in high)
    return (
        f"a few slow samples make the mean at {sizes} (up to {max(high)[0]:.3g} times the median): something else "
        "had the cores or the network at times; the median is in the JSON"
    )


def _sizes(sizes: Iterable[int]) -> str:
    listed = sorted(set(sizes))
    if len(listed) > 3:
        return units.plural(len(listed), "size")
    return ", ".join(f"{size} B" for size in listed)
