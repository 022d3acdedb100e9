"""What a user gives for advice: prices as FABRIC=USD or by a catalog, and predictions made before."""

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from linkworth.catalog import fabrics
from linkworth.catalog import prices as price_catalog
from linkworth.catalog.assignment import parse_assignment
from linkworth.errors import UsageError
from linkworth.model.prediction import PredictionSet
from linkworth.model.price import Price

SCHEMA = "linkworth.prediction/1"


def gather_prices(
    assignments: Sequence[str],
    catalog: str | None,
    *,
    needed: Collection[str] | None = None,
    region: str | None = None,
    instances: Sequence[str] = (),
) -> dict[str, Price]:
    """Return one price per fabric from `--price` options and a catalog; an option goes before the catalog.

    `needed` names the fabrics that matter (default: all that are priced), so that a catalog may be ambiguous about others.
    No price at all, and the same fabric twice in options, are UsageErrors.
    """
    own: dict[str, Price] = {}
    for text in assignments:
        given, value = parse_assignment(text, "--price", "USD_PER_NODE_HOUR")
        fabric = fabric_name(given)
        if fabric in own:
            raise UsageError(f"--price gives fabric {fabric} twice; give each fabric one price")
        own[fabric] = Price(
            name="",
            fabric=fabric,
            usd_per_node_hour=value,
            provider="user",
            region="",
            date="",
            source="--price option",
        )
    if catalog is None:
        if region is not None or instances:
            raise UsageError("--region and --instance choose from a catalog; name it with --prices")
        if not own:
            raise UsageError("no price was given; use --price FABRIC=USD_PER_NODE_HOUR or --prices CATALOG")
        return own
    listed = [price for price in price_catalog.get_catalog(catalog) if price.fabric not in own]
    return {**price_catalog.by_fabric(listed, needed=needed, region=region, instances=instances), **own}


def fabric_name(given: str) -> str:
    """Return the name that predictions use for a fabric given by name or by its file's path.

    A name that the catalog does not know is kept, since predictions made elsewhere may have it.
    """
    if fabrics.is_path(given):
        return fabrics.get(given).name
    try:
        return fabrics.get(given).name
    except UsageError:
        return given


def load_predictions(path: Path) -> PredictionSet:
    """Read what `linkworth predict --json` printed. Anything else is a UsageError that names the file and the field."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    try:
        found = msgspec.json.decode(data, type=PredictionSet)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path} is not the output of 'linkworth predict --json': {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} is not JSON ({error}); give the output of 'linkworth predict --json'"
        ) from None
    if found.schema != SCHEMA:
        raise UsageError(
            f"{path} has schema {found.schema!r}; 'linkworth predict --json' of this version writes {SCHEMA!r}"
        )
    if found.nodes < 1:
        raise UsageError(f"{path}: nodes is {found.nodes}; a prediction is for 1 node or more")
    return found
