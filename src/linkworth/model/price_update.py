"""Results of an update of prices."""

from typing import Literal

import msgspec

from linkworth.model.price import Market

ChangeState = Literal["same", "changed", "new", "kept"]


class PriceChange(msgspec.Struct, frozen=True, kw_only=True):
    """One price before and after."""

    name: str
    region: str
    market: Market
    before_usd: float | None
    """US dollars for an hour of a node. None if the catalog had no price."""
    after_usd: float | None
    """None if the interface has no such price. The old price is kept, with its date."""
    state: ChangeState


class PriceUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth prices update --json` prints."""

    schema: str = "linkworth.price-update/1"
    provider: str
    endpoint: str
    path: str
    """Path of the user's catalog that was written. Empty with --dry-run."""
    date: str
    changes: list[PriceChange]
    warnings: list[str] = msgspec.field(default_factory=list)
