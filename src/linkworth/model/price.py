"""What a node costs."""

from typing import Literal

import msgspec

Market = Literal["on-demand", "spot", "own"]


class OnPremises(msgspec.Struct, frozen=True, kw_only=True):
    """What a node of one's own costs, from which its price an hour follows (`linkworth.catalog.on_premises`)."""

    price_usd: float
    """Purchase of one node with its share of network and cabinet."""
    years: float
    """From purchase to replacement."""
    utilisation: float
    """Share of these years in which the node runs jobs, above 0, at most 1."""
    yearly_usd: float = 0.0
    """Staff, maintenance and floor, a node a year."""
    power_watts: float = 0.0
    """Of a busy node."""
    idle_watts: float = 0.0
    """Of a node without a job."""
    usd_per_kwh: float = 0.0
    pue: float = 1.0
    """Power usage effectiveness: all power of the machine room over that of its computers, 1 or more."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """Price of one node (instance) for an hour."""

    name: str
    """Instance or node type."""
    fabric: str
    """Name of the fabric that the node has."""
    usd_per_node_hour: float
    provider: str
    region: str
    date: str
    """ISO date (or year, year-month) at which the price was read."""
    source: str
    note: str = ""
    market: Market = "on-demand"
    """`spot` nodes may be taken away at any time; `own` is a machine of the user's."""
    cores: int | None = None
    """Physical cores of a node; None where the source does not say."""
    memory_bytes: int | None = None
    usd_per_core_hour: float | None = None
    """Where cores are billed: a node costs this times `cores`, or times its ranks where `cores` is unknown."""
