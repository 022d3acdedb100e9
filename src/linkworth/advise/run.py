"""From the options of the command line to an advice."""

from collections.abc import Sequence
from pathlib import Path

from linkworth.advise.choose import advise
from linkworth.advise.request import fabric_name, gather_prices
from linkworth.advise.source import TraceRequest, read_predictions, replay_predictions
from linkworth.errors import UsageError
from linkworth.model.advice import Advice, Goal
from linkworth.skeleton.progress import Progress


def advise_on_request(
    trace: TraceRequest | None,
    predictions_file: Path | None,
    *,
    on: Sequence[str] = (),
    price_options: Sequence[str] = (),
    catalog: str | None = None,
    region: str | None = None,
    instances: Sequence[str] = (),
    goal: Goal | None = None,
    deadline: float | None = None,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Return the advice for a trace, a bundled program, or predictions made before.

    Exactly one of `trace` and `predictions_file` is needed. Without `on`, a trace is replayed on all fabrics that have a
    price. `goal` is by default time where only a budget is given, else cost.
    """
    if (trace is None) == (predictions_file is None):
        raise UsageError("give either a trace or --predictions FILE")
    goal = goal or ("time" if budget is not None and deadline is None else "cost")
    if predictions_file is not None:
        found = read_predictions(predictions_file, on)
        needed = [prediction.fabric for prediction in found.predictions]
        prices = gather_prices(price_options, catalog, needed=needed, region=region, instances=instances)
    else:
        assert trace is not None
        wanted = [fabric_name(fabric) for fabric in on] or None
        prices = gather_prices(price_options, catalog, needed=wanted, region=region, instances=instances)
        if unpriced := [fabric for fabric in wanted or () if fabric not in prices]:
            raise UsageError(
                f"no price for fabric {', '.join(unpriced)}; give it with --price {unpriced[0]}=USD_PER_NODE_HOUR"
            )
        found = replay_predictions(trace, on or list(prices), progress)
    return advise(found, prices, goal=goal, deadline=deadline, budget=budget)
