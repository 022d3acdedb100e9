"""Data for the page's sliders: the grids, the prices, and the rule of the choice."""

from collections.abc import Sequence

import msgspec

from linkworth.advise.choose import TIE_TOLERANCE
from linkworth.advise.uncertain import CLOSE
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import SensitivityGrid
from linkworth.report.item import ReportItem, labels
from linkworth.report.sensitivity import position, usable

STEP = 0.0625
"""Least move of a slider over a grid, in knots; a power of two, so that steps add up to knots exactly."""


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One slider over the knots of a grid; it moves in knots, so that it can stop at every knot."""

    knots: list[float]
    base: float
    """Position of the unchanged fabric."""


class WhatIfGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The sliders of one fabric, for all programs whose grids have the same knots."""

    fabric: str
    programs: list[int]
    latency: Axis | None
    bandwidth: Axis | None
    price: float | None
    """Initial US$ per node-hour of the slider; None if the fabric has no price."""


class WhatIfOption(msgspec.Struct, frozen=True, kw_only=True):
    """One program on one fabric."""

    fabric: str
    group: int
    seconds: float
    grid: list[list[float]] | None
    least_ratios: dict[str, float]
    """Low end of the 90 % interval of another fabric's time over this one's, both relative to their best estimates."""
    has_room: bool
    """False if its node has fewer cores than ranks. It is then never chosen, as in the advice."""


class WhatIfProgram(msgspec.Struct, frozen=True, kw_only=True):
    """One program with its goal and limits."""

    name: str
    nodes: int
    goal: str
    deadline: float | None
    budget: float | None
    options: list[WhatIfOption]


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """All data of the sliders."""

    runs: int
    """Runs in a shown cost."""
    tie: float
    """Relative difference up to which two costs (or times) are equal."""
    close: float
    """Relative saving up to which another option does not put the choice in doubt."""
    groups: list[WhatIfGroup]
    programs: list[WhatIfProgram]


def build(items: Sequence[ReportItem], runs: int) -> WhatIf:
    """Return the sliders' data; programs whose verification failed are left out."""
    groups: dict[object, tuple[WhatIfGroup, list[int]]] = {}
    programs: list[WhatIfProgram] = []
    for item, label in zip(items, labels(items), strict=True):
        if not item.trusted:
            continue
        fabrics = {fabric.name: fabric for fabric in item.fabrics}
        grids = {grid.fabric: grid for grid in item.grids if usable(grid) and grid.fabric in fabrics}
        priced = {option.fabric: option for option in item.advice.options}
        options = []
        for prediction in item.predictions.predictions:
            name = prediction.fabric
            grid, advised = grids.get(name), priced.get(name)
            price = None if advised is None else advised.price_usd_per_node_hour
            if grid is None and price is None:
                continue
            key = (name, price, _axes(grid))
            if key not in groups:
                members: list[int] = []
                groups[key] = (_group(name, members, grid, fabrics.get(name), price), members)
            groups[key][1].append(len(programs))
            options.append(
                WhatIfOption(
                    fabric=name,
                    group=list(groups).index(key),
                    seconds=prediction.seconds,
                    grid=grid.seconds if grid else None,
                    least_ratios=item.least_ratios.get(name, {}),
                    has_room=advised is None or advised.has_room,
                )
            )
        advice = item.advice
        programs.append(
            WhatIfProgram(
                name=label,
                nodes=item.predictions.nodes,
                goal=advice.goal,
                deadline=advice.deadline_seconds,
                budget=advice.budget_usd,
                options=options,
            )
        )
    return WhatIf(
        runs=runs,
        tie=TIE_TOLERANCE,
        close=CLOSE,
        groups=[group for group, _ in groups.values()],
        programs=programs,
    )


def _axes(grid: SensitivityGrid | None) -> object:
    return (tuple(grid.latency_seconds), tuple(grid.bandwidth_bytes_per_second)) if grid else None


def _group(
    name: str, programs: list[int], grid: SensitivityGrid | None, fabric: Fabric | None, price: float | None
) -> WhatIfGroup:
    if grid is None or fabric is None:
        return WhatIfGroup(fabric=name, programs=programs, latency=None, bandwidth=None, price=price)
    latency, bandwidth = grid.latency_seconds, grid.bandwidth_bytes_per_second
    return WhatIfGroup(
        fabric=name,
        programs=programs,
        latency=Axis(knots=latency, base=position(latency, fabric.link.latency_seconds)),
        bandwidth=Axis(knots=bandwidth, base=position(bandwidth, fabric.link.bandwidth_bytes_per_second)),
        price=price,
    )
