"""Measured times of a program on node types, from the file that HPCAdvisor collects.

The format (github.com/Azure/hpcadvisor, src/samples/dataset.json and batch_handler.py, read 2026-11): a list `datapoints`, each
with the node type `sku`, the number of nodes `nnodes`, the seconds of the whole task `exec_time`, and if known the program
`appname`, its `appinputs`, the `region`, and the nodes' cores `total_cores`, of which `ppr_perc` per cent have a rank.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated

import msgspec
from msgspec import Meta

from linkworth.advise.choose import advise
from linkworth.advise.request import PriceOptions, gather_environments
from linkworth.errors import UsageError
from linkworth.model.advice import Advice, Limits
from linkworth.model.json_errors import JSON_ERRORS, in_words
from linkworth.model.prediction import Prediction, PredictionSet
from linkworth.model.price import Price
from linkworth.units import duration, plural

_MOST_LISTED = 5
_SHARE = "ppr_perc"
_LARGE_SPREAD = 0.1
"""Difference of runs on the same nodes that a reader should know of."""


class _Point(msgspec.Struct, frozen=True):
    sku: Annotated[str, Meta(min_length=1)]
    nnodes: Annotated[int, Meta(ge=1, le=1_000_000)]
    exec_time: Annotated[float, Meta(gt=0, le=1e9)]
    appname: str | None = None
    appinputs: dict[str, str | int | float | bool | None] | None = None
    region: str | None = None
    total_cores: Annotated[int, Meta(ge=0, le=1_000_000_000)] | None = None
    ppr_perc: Annotated[float, Meta(ge=0, le=100)] = 100.0

    @property
    def inputs(self) -> dict[str, str]:
        """The program, the share of the cores with a rank, and the program's inputs, by name."""
        found = {"appname": self.appname or "", _SHARE: f"{self.ppr_perc:g}"}
        return found | {name.lower(): str(value) for name, value in sorted((self.appinputs or {}).items())}

    @property
    def ranks(self) -> int:
        """Number of ranks, or of nodes if the ranks are not known."""
        return max(self.nnodes, round((self.total_cores or 0) * self.ppr_perc / 100))


class _Dataset(msgspec.Struct, frozen=True):
    datapoints: list[_Point]


def read(content: bytes, path: Path) -> list[_Point] | None:
    """Return the runs in the content of a file of HPCAdvisor's; None for another one."""
    try:
        if "datapoints" not in msgspec.json.decode(content, type=dict[str, msgspec.Raw]):
            return None
    except JSON_ERRORS:
        return None
    try:
        points = msgspec.json.decode(content, type=_Dataset, strict=False).datapoints
    except JSON_ERRORS as error:
        raise UsageError(f"{path} is no dataset of HPCAdvisor: {in_words(error)}") from None
    if not points:
        raise UsageError(f"{path} has no runs")
    return points


def advise_on_dataset(
    path: Path,
    points: Sequence[_Point],
    *,
    inputs: Sequence[str],
    on: Sequence[str],
    prices: PriceOptions,
    limits: Limits,
) -> Advice:
    """Return the advice for the measured runs of `path` with these `inputs` (NAME=VALUE), on the node types `on` (default: all).

    A node type is joined with a catalog's price by its whole name. Without a region from the user, that of all runs counts.
    Raises UsageError for runs of several inputs, and if no node type has a price.
    """
    points = _with_one_spelling(_of_one_input(path, points, inputs))
    types = list(dict.fromkeys(point.sku for point in points))
    if unknown := [name for name in on if name not in types]:
        raise UsageError(f"{path} has no runs on {', '.join(unknown)}; it has {', '.join(types)}")
    points = [point for point in points if point.sku in (on or types)]
    environments = _environments(points, prices)
    unpriced = [name for name in dict.fromkeys(point.sku for point in points) if name not in environments]
    repeated = [found for found in _by_place(points).values() if found[0].sku in environments]
    sets = [_mean(found) for found in repeated]
    if not sets:
        raise UsageError(f"`prices`: none of {', '.join(unpriced)} has a price there, by its whole name")
    advice = advise(sets, environments, limits)
    warnings = ["the times are measured ones of whole tasks, with no interval"]
    warnings += [f"{name} has no price and is left out" for name in unpriced]
    warnings += filter(None, map(_scatter, repeated))
    return msgspec.structs.replace(advice, warnings=warnings)


def _of_one_input(path: Path, points: Sequence[_Point], inputs: Sequence[str]) -> list[_Point]:
    known = list(dict.fromkeys(name for point in points for name in point.inputs))
    wanted = {}
    for text in inputs:
        name, equals, value = text.partition("=")
        if not equals or name.lower() not in known:
            raise UsageError(f"`input` {text}: write NAME=VALUE with one of {', '.join(known)}")
        wanted[name.lower()] = value
    kept = [point for point in points if wanted.items() <= point.inputs.items()]
    kinds = list(dict.fromkeys(_in_words(point) for point in kept or points))
    listed = "; ".join(kinds[:_MOST_LISTED]) + ("; ..." if len(kinds) > _MOST_LISTED else "")
    if not kept:
        raise UsageError(f"{path} has no runs with `input` {', '.join(inputs)}; it has {listed}")
    if len(kinds) > 1:
        raise UsageError(f"{path} has runs of several inputs ({listed}); choose one with `input` NAME=VALUE")
    return kept


def _with_one_spelling(points: Sequence[_Point]) -> list[_Point]:
    """Return the runs with each node type in its first spelling: Azure takes any case."""
    first: dict[str, str] = {}
    return [
        msgspec.structs.replace(point, sku=first.setdefault(point.sku.lower(), point.sku)) for point in points
    ]


def _in_words(point: _Point) -> str:
    name, *others = point.inputs.items()
    shown = (f"{key}={value}" for key, value in others if (key, value) != (_SHARE, "100"))
    return " ".join([name[1] or "the program", *shown])


def _environments(points: Sequence[_Point], prices: PriceOptions) -> dict[str, list[Price]]:
    """Return the prices by node type."""
    types = {point.sku.lower(): point.sku for point in points}
    regions = {point.region for point in points}
    if prices.catalog is not None and prices.region is None and len(regions) == 1:
        prices = msgspec.structs.replace(prices, region=regions.pop())
    found = gather_environments(
        prices, needed=list(types.values()), key=lambda price: types.get(price.name.lower(), "")
    )
    # The runs were possible, whatever a catalog counts as a core.
    return {
        name: [
            price if price.usd_per_core_hour else msgspec.structs.replace(price, cores=None) for price in of
        ]
        for name, of in found.items()
    }


def _by_place(points: Sequence[_Point]) -> dict[tuple[str, int], list[_Point]]:
    found: dict[tuple[str, int], list[_Point]] = {}
    for point in points:
        found.setdefault((point.sku, point.nnodes), []).append(point)
    return found


def _scatter(points: Sequence[_Point]) -> str:
    """Return a sentence if runs on the same nodes differ much, else ""."""
    times = [point.exec_time for point in points]
    if max(times) <= min(times) * (1 + _LARGE_SPREAD):
        return ""
    return (
        f"{plural(len(points), 'run')} on {plural(points[0].nnodes, 'node')} of {points[0].sku} took {duration(min(times))} to "
        f"{duration(max(times))}; their mean counts, so check whether they ran the same"
    )


def _mean(points: Sequence[_Point]) -> PredictionSet:
    """Return the mean time of runs on the same nodes, in the form of a prediction."""
    first = points[0]
    seconds = fmean(point.exec_time for point in points)
    measured = Prediction(
        fabric=first.sku,
        seconds=seconds,
        compute_seconds=0.0,
        overhead_seconds=0.0,
        latency_seconds=0.0,
        bandwidth_seconds=0.0,
        wait_seconds=0.0,
        internode_bytes=0,
        messages=0,
    )
    return PredictionSet(
        workload=_in_words(first), ranks=first.ranks, nodes=first.nnodes, predictions=[measured]
    )
