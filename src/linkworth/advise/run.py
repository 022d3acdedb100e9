"""Implementation of `linkworth advise`."""

from collections.abc import Sequence

import msgspec

from linkworth.advise import dataset
from linkworth.advise.choose import advise
from linkworth.advise.mpi_setting import with_setting
from linkworth.advise.request import PriceOptions, fabric_name, gather_environments, unknown_cpus
from linkworth.advise.source import TimesFile, TraceRequest, read_predictions, replay_predictions
from linkworth.catalog.decode import read_file
from linkworth.errors import UsageError
from linkworth.model.advice import Advice, Limits
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.trace.read import Allowance


def advise_on_request(
    trace: TraceRequest | None,
    times: TimesFile | None,
    *,
    on: Sequence[str] = (),
    prices: PriceOptions,
    limits: Limits = Limits(),
    draws: int | None = None,
    progress: StepProgress = SILENT,
    allowed: Allowance | None = None,
) -> Advice:
    """Return the advice for a trace, a bundled program, or `times` that were predicted or measured before.

    Exactly one of `trace` and `times` is needed. Without `on`, a trace is replayed on all fabrics that have a price. With
    several options, `draws` of the parameters (default: 400; 0: none) give the certainty. Earlier times have no trace to
    replay.
    """
    if (trace is None) == (times is None):
        raise UsageError("give either a trace or `predictions` FILE")
    if times is not None:
        if draws is not None:
            raise UsageError(
                f"`draws` {draws}: predictions made before cannot be replayed; give the trace instead"
            )
        content = read_file(times.path)  # once: it may be a pipe
        runs = dataset.read(content, times.path)
        if runs is not None:
            return dataset.advise_on_dataset(
                times.path, runs, inputs=times.inputs, on=on, prices=prices, limits=limits
            )
        if times.inputs:
            raise UsageError(
                f"`input` {times.inputs[0]}: {times.path} is no dataset of HPCAdvisor; leave it out"
            )
        found = read_predictions(content, times.path, on, allowed)
        needed = [prediction.fabric for prediction in found.predictions]
        environments = gather_environments(prices, needed=needed)
        return advise(found, environments, limits)
    assert trace is not None
    wanted = [fabric_name(fabric) for fabric in on] or None
    environments = gather_environments(prices, needed=wanted)
    if unpriced := [fabric for fabric in wanted or () if fabric not in environments]:
        raise UsageError(
            f"no price for fabric {', '.join(unpriced)}; give the US dollars of a node hour with `price` {unpriced[0]}=0.78"
        )
    sets, drawn, cases = replay_predictions(trace, on or prices.names_of(environments), draws, progress)
    advice = advise(sets, environments, limits, drawn=drawn)
    fabrics = {prediction.fabric for found in sets for prediction in found.predictions}
    doubts = unknown_cpus(price for fabric in fabrics for price in environments.get(fabric, ()))
    advice = msgspec.structs.replace(advice, warnings=[*advice.warnings, *doubts])
    return with_setting(advice, cases)
