"""Measured points that a fit can use, taken from results of benchmarks."""

import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from linkworth.calibrate.replayed import WINDOW
from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult, BenchRow

IN_TURN = "latency"
STREAM = "bandwidth"
BOTH_WAYS = "bibandwidth"
MULTIPAIR = "multipair"
_KINDS = {"pingpong": IN_TURN, **{kind: kind for kind in (IN_TURN, STREAM, BOTH_WAYS, MULTIPAIR)}}
"""Kind by test."""
_MOST_AT_ONCE = 1 << 16
"""Pairs or senders of a test."""
_NOT_IN_TURN = ("bidirectional", "pairs")
"""Options under which a ping-pong does not measure single messages, one after the other, between two ranks."""
_NEARLY_THE_SAME = 1.02
_FEWEST = 6
_OTHER_NETWORK = 1.5
"""Ratio of two results of one test, in the median of the sizes of both, above which they are of different things."""
_DISTURBED = 1.5
"""Ratio of a message's time to that of a longer one of the same test above which something else delayed it."""
LEAST_NOISE = 0.005
"""Least relative noise: clocks and rounding alone cause that much."""


class Origin(NamedTuple):
    """A result and its file."""

    result: BenchResult
    file: str

    @property
    def source(self) -> str:
        """File, tool, test and date in one line."""
        parts = [self.result.tool, self.result.test, *([self.result.where] if self.result.where else [])]
        return f"{self.file} ({' '.join(parts)}, {self.result.date or 'no date'})"


class MeasuredPoint(NamedTuple):
    """Time of a message of one size in one kind of test, over all its results."""

    kind: str
    bytes: int
    seconds: float
    noise: float
    """Relative standard deviation of `seconds`."""
    sources: tuple[str, ...]
    dates: tuple[str, ...]
    pairs: int = 1


def points(origins: Iterable[Origin]) -> tuple[list[MeasuredPoint], list[str]]:
    """Return the points by kind of test, size and number of pairs, and remarks on what was not used and why.

    If several results have the same key, the point is their median, and its noise is their difference.
    """
    found: dict[tuple[str, int, int], list[tuple[float, float, Origin]]] = defaultdict(list)
    unused = []
    for origin in origins:
        used = False
        for row in origin.result.rows:
            kind = _kind(origin.result, row)
            seconds = _message_seconds(row, kind)
            if kind is None or seconds is None:
                continue
            used = True
            found[kind, row.bytes, _pairs(origin, row, kind)].append((seconds, _noise(row), origin))
        unused += _remarks(origin, used)
    result = [point(key, values) for key, values in sorted(found.items(), key=_order)]
    return _with_scatter(result), unused + _disagreements(found) + _disturbed(result)


def incast_rows(origins: Iterable[Origin]) -> dict[tuple[int, int], list[tuple[float, float, Origin]]]:
    """Return the mean seconds of bursts to one receiver, their noise and origin, by number of senders and size."""
    found: dict[tuple[int, int], list[tuple[float, float, Origin]]] = defaultdict(list)
    for origin in origins:
        for row in origin.result.rows:
            if row.latency_seconds and math.isfinite(row.latency_seconds) and row.latency_seconds > 0:
                senders = max(1, _leading_number(row.label, origin) or origin.result.ranks - 1)
                found[senders, row.bytes].append((row.latency_seconds, _noise(row), origin))
    return found


def of_kind(among: Sequence[MeasuredPoint], kind: str) -> list[MeasuredPoint]:
    """Return the points of one kind of test, by size."""
    return sorted((point for point in among if point.kind == kind), key=lambda point: point.bytes)


def _order(item: tuple[tuple[str, int, int], object]) -> tuple[str, int, int]:
    kind, size, pairs = item[0]
    return kind, pairs, size


def _with_scatter(points: list[MeasuredPoint]) -> list[MeasuredPoint]:
    """Raise the points' noise to the differences of neighbours of almost one size (NetPIPE measures such sizes)."""
    differences: dict[tuple[str, int], list[float]] = defaultdict(list)
    for point, following in pairwise(points):
        same = (point.kind, point.pairs) == (following.kind, following.pairs)
        if same and point.bytes and following.bytes / point.bytes <= _NEARLY_THE_SAME:
            differences[point.kind, point.pairs].append(abs(math.log(following.seconds / point.seconds)))
    # The median of |x| is 0.6745 standard deviations if x is normal. A difference has the noise of two points.
    scatter = {
        key: statistics.median(values) / 0.6745 / math.sqrt(2)
        for key, values in differences.items()
        if len(values) >= _FEWEST
    }
    return [
        point._replace(noise=max(point.noise, scatter.get((point.kind, point.pairs), 0.0)))
        for point in points
    ]


def _remarks(origin: Origin, used: bool) -> list[str]:
    """Return why a result is not used, or not what the fit takes it for, and its own warnings."""
    result = origin.result
    if not used:
        return [f"{origin.source}: a fit has no use for this test; the fabric is fitted to the others"]
    found = list(result.warnings)
    window = result.facts.get("window", str(WINDOW))
    if window != str(WINDOW) and result.test in {STREAM, BOTH_WAYS, MULTIPAIR}:
        found.append(
            f"measured with a window of {window} messages, but fitted as one of {WINDOW}; measure with that"
        )
    if result.test in ("beff", "hpcc") and result.ranks > 2 and result.nodes not in (1, result.ranks):
        found.append(
            f"means over all pairs of {result.ranks} ranks, of which some may share a node; "
            "give results of one rank on each node"
        )
    return [f"{origin.source}: {sentence}" for sentence in found]


def _disagreements(found: Mapping[tuple[str, int, int], Sequence[tuple[float, float, Origin]]]) -> list[str]:
    """Return a sentence for each kind of test whose results differ as those of two networks do."""
    ratios: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for (kind, _, _), values in found.items():
        if len(values) > 1:
            least, most = (pick(values, key=lambda value: value[0]) for pick in (min, max))
            ratios[kind].append((most[0] / least[0], least[2].source, most[2].source))
    sentences = []
    for kind, differences in ratios.items():
        typical, one, other = sorted(differences)[len(differences) // 2]
        if typical > _OTHER_NETWORK:
            sentences.append(
                f"results of {kind} tests differ by a factor of {typical:.2g} ({one}; {other}), and the fit lies between "
                "them; give results of one network"
            )
    return sentences


def _disturbed(points: Sequence[MeasuredPoint]) -> list[str]:
    """Return a sentence for messages of ping-pongs that took far longer than a longer one.

    Streams may do so: messages up to the eager limit are copied.
    """
    sentences = []
    for shorter, longer in pairwise(of_kind(points, IN_TURN)):
        ratio = shorter.seconds / longer.seconds
        if ratio > _DISTURBED:
            sentences.append(
                f"{shorter.sources[0]}: messages of {shorter.bytes} bytes take {ratio:.2g} times as long as those of "
                f"{longer.bytes}, and the fabric keeps that; measure again if something else used the nodes"
            )
    return sentences


def _kind(result: BenchResult, row: BenchRow) -> str | None:
    if any(result.facts.get(option) == "yes" for option in _NOT_IN_TURN):
        return None
    if result.test in ("beff", "hpcc"):
        return IN_TURN if row.label == "ping pong" else None
    return _KINDS.get(result.test)


def _message_seconds(row: BenchRow, kind: str | None) -> float | None:
    if kind == IN_TURN:
        seconds = row.latency_seconds
    elif row.bandwidth_bytes_per_second and row.bytes:
        seconds = row.bytes / row.bandwidth_bytes_per_second
    else:
        seconds = None
    if seconds is not None and row.median and row.mean:
        # The median leaves out interference by other programs, which is no property of the network.
        seconds *= row.median / row.mean
    return seconds if seconds is not None and 0 < seconds < float("inf") else None


def _pairs(origin: Origin, row: BenchRow, kind: str) -> int:
    if kind != MULTIPAIR:
        return 1
    return max(1, _leading_number(row.label, origin) or origin.result.ranks // 2)


def _leading_number(label: str, origin: Origin) -> int:
    """Return the number in a label such as `4 pairs`; 0 without one. Raises UsageError for one that no test has."""
    digits = re.match("[0-9]+", label)
    number = int(digits[0]) if digits else 0
    if number > _MOST_AT_ONCE:
        raise UsageError(f"{origin.file}: {label!r} is no test; correct the label, or take the row out")
    return number


def _noise(row: BenchRow) -> float:
    """Return the relative error of the row's mean."""
    if row.confidence_half_width is not None:
        # Half the width of a 95 % interval is 1.96 standard deviations of the mean.
        return max(LEAST_NOISE, row.confidence_half_width / 1.96)
    if row.deviation is not None and row.mean and row.samples > 1:
        return max(LEAST_NOISE, float(row.deviation / row.mean / row.samples**0.5))
    return LEAST_NOISE


def point(key: tuple[str, int, int], values: list[tuple[float, float, Origin]]) -> MeasuredPoint:
    """Return the point of a kind of test, size and number of pairs from its seconds, their noise and origin."""
    kind, size, pairs = key
    seconds = statistics.median(value for value, _, _ in values)
    noise = statistics.median(noise for _, noise, _ in values)
    if len(values) > 1:
        between = statistics.stdev(value for value, _, _ in values) / seconds
        noise = max(noise, between / len(values) ** 0.5)
    return MeasuredPoint(
        kind,
        size,
        seconds,
        noise,
        tuple(dict.fromkeys(origin.source for _, _, origin in values)),
        tuple(dict.fromkeys(origin.result.date for _, _, origin in values)),
        pairs,
    )
