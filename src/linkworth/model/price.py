"""Price of a node."""

from typing import Literal

import msgspec

Market = Literal["on-demand", "spot", "own"]


class OnPremises(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cost of an own node, which gives its price per hour (`linkworth.catalog.on_premises`)."""

    price_usd: float
    """Purchase price of one node with its share of network and cabinet."""
    years: float
    """Years from purchase to replacement."""
    utilisation: float
    """Share of these years in which the node runs jobs, above 0, at most 1."""
    yearly_usd: float = 0.0
    """Yearly cost of staff, maintenance and floor space per node."""
    power_watts: float = 0.0
    """Power of a busy node."""
    idle_watts: float = 0.0
    """Power of a node without a job."""
    usd_per_kwh: float = 0.0
    pue: float = 1.0
    """Power usage effectiveness: power of the machine room over power of its computers, 1 or more."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """Price of one node (instance) for an hour."""

    name: str
    """Instance or node type."""
    fabric: str
    """Name of the node's fabric."""
    usd_per_node_hour: float
    provider: str
    region: str
    date: str
    """ISO date (or year, year-month) at which the price was read."""
    source: str
    note: str = ""
    market: Market = "on-demand"
    """`spot` nodes may be taken away at any time. `own` is the user's machine."""
    cores: int | None = None
    """Physical cores of a node. None if the source does not give them."""
    memory_bytes: int | None = None
    processor: str = ""
    """Model of its CPUs. "": not known. Nodes with the same one compute equally fast."""
    usd_per_core_hour: float | None = None
    """Price per core, if cores are billed. A node costs this times `cores`, or times its ranks if `cores` is
    unknown."""
