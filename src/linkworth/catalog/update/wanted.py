"""Prices that an update asks for, and a provider's answers."""

import msgspec

from linkworth.model.price import Market


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A node type in a region and a market."""

    name: str
    region: str
    market: Market


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A price from the provider."""

    usd_per_node_hour: float
    source: str
    """The interface, and the part of it that names this price."""
