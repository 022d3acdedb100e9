"""What a node costs."""

import msgspec


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
