"""Builds report items from traces: profile, times, advice and sensitivity of each."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from linkworth.advise import advise
from linkworth.advise.request import unknown_cpus
from linkworth.advise.uncertain import Drawn, least_ratio
from linkworth.errors import UsageError
from linkworth.model.advice import Advice, Limits
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import PredictionSet
from linkworth.model.price import Price
from linkworth.predict.drawn import DrawnTimes
from linkworth.predict.target import TargetMachine
from linkworth.report.item import ReportItem
from linkworth.trace.read import Allowance, TraceFile, open_trace

SMALLER = "smaller"
"""Subfolder with traces of the same names: the same programs on smaller problems."""


def find_traces(paths: Iterable[Path]) -> list[Path]:
    """Return the given traces, and those directly in the given folders by name and number (app-4, app-16), each once.

    Raises UsageError for a path that does not exist and for a folder without traces.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.glob("*.lwt"), key=_by_number)
            if not inside and (path / "study.json").is_file():
                raise UsageError(
                    f"{path} is the folder of a study; its report: linkworth study report {path}"
                )
            if not inside:
                raise UsageError(
                    f"{path} contains no trace (*.lwt); record one with `linkworth trace -o {path}/NAME.lwt`"
                )
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise UsageError(f"{path} does not exist; give a trace (*.lwt) or a folder with traces")
    return list(dict.fromkeys(found))


def _by_number(path: Path) -> list[str | int]:
    parts = re.split("([0-9]+)", path.name)  # in turn text and digits
    return [int(part) if at % 2 else part for at, part in enumerate(parts)]


def smaller_of(trace: Path) -> Path | None:
    """Return the trace of the same program on a smaller problem, if the subfolder `smaller` has one."""
    smaller = trace.parent / SMALLER / trace.name
    return smaller if smaller.is_file() else None


def collect(
    trace: TraceFile,
    fabrics: Sequence[Fabric],
    prices: Mapping[str, Price],
    *,
    target: TargetMachine = TargetMachine(),
    limits: Limits = Limits(),
    smaller: Path | None = None,
    allowed: Allowance | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> ReportItem:
    """Return a report's data on one trace, without those of charts; `step` is called before each piece of work.

    Fabrics without a price get a time and no cost.
    Raises UsageError for an unusable trace, layout or limit, and DamagedInputError for an incomplete `smaller` trace
    unless it is `allowed`.
    """
    from linkworth.profile import build_profile

    step("profile")
    profile = build_profile(trace, open_trace(smaller, allowed) if smaller is not None else None)
    step("times")
    predictions, drawn = target.predict(trace, fabrics)
    return ReportItem(
        profile=profile,
        predictions=predictions,
        node_of_rank=target.arrangement.layout(trace.engine.ranks).node_of_rank,
        advice=_advice(predictions, drawn, prices, limits),
        fabrics=list(fabrics),
        least_ratios=_least_ratios(predictions, drawn, prices),
        prices=[prices[fabric.name] for fabric in fabrics if fabric.name in prices],
        metadata=trace.metadata,
    )


def with_charts(
    item: ReportItem,
    trace: TraceFile,
    target: TargetMachine = TargetMachine(),
    step: Callable[[str], None] = lambda _: None,
) -> ReportItem:
    """Return the item of `trace` with what only charts and sliders show: sensitivity, and its ranks' time.

    Fabrics without a finite latency and bandwidth get no sensitivity.
    """
    from linkworth.predict import sensitivity
    from linkworth.replay import activities

    # A measured time scales the computation of all of them.
    target = target._replace(cpu_factor=item.predictions.calibration.cpu_factor)
    grids = []
    for fabric in item.fabrics:
        if fabric.link.latency_seconds > 0 and math.isfinite(fabric.link.bandwidth_bytes_per_second):
            step(f"sensitivity on {fabric.name}")
            grids.append(
                sensitivity(
                    trace, fabric, target.arrangement, cpu_factor=target.cpu_factor, settings=target.settings
                )
            )
    step("time of the ranks")
    layout = target.arrangement.layout(trace.engine.ranks)
    return msgspec.structs.replace(
        item,
        grids=grids,
        recorded=activities.recorded(trace) if item.profile.timed else None,
        predicted={
            fabric.name: activities.predicted(
                trace, fabric, layout, cpu_factor=target.cpu_factor, settings=target.settings
            )
            for fabric in _extremes(item.fabrics, item.predictions, item.advice.choice)
        },
    )


def _extremes(fabrics: Sequence[Fabric], predictions: PredictionSet, choice: str | None) -> list[Fabric]:
    """Return the slowest fabric and the chosen one; the fastest instead if there is no other choice."""
    by_time = [each.fabric for each in sorted(predictions.predictions, key=lambda each: -each.seconds)]
    other = by_time[-1] if choice in (None, by_time[0]) else choice
    return [
        fabric for name in dict.fromkeys([by_time[0], other]) for fabric in fabrics if fabric.name == name
    ]


def _least_ratios(
    predictions: PredictionSet, drawn: DrawnTimes, prices: Mapping[str, Price]
) -> dict[str, dict[str, float]]:
    times = [
        (each.fabric, [seconds / each.seconds for seconds in row])
        for each, row in zip(predictions.predictions, drawn.seconds, strict=True)
        if each.fabric in prices
    ]
    return {
        mine: {other: least_ratio(theirs, own) for other, theirs in times if other != mine}
        for mine, own in times
    }


def _advice(
    predictions: PredictionSet, drawn: DrawnTimes, prices: Mapping[str, Price], limits: Limits
) -> Advice:
    """Return the advice on the priced fabrics; without any, an advice with the reason why there is no choice."""
    priced = [prediction for prediction in predictions.predictions if prediction.fabric in prices]
    if priced:
        # A report shows the warnings of the predictions only once.
        limited = msgspec.structs.replace(predictions, predictions=priced, warnings=[])
        times = zip(predictions.predictions, drawn.seconds, strict=True)
        together = Drawn(
            seconds={(each.fabric, predictions.nodes): seconds for each, seconds in times},
            draws=len(drawn.seconds[0]),
            assumed=[fabric for fabric in drawn.assumed if fabric in prices],
        )
        advice = advise(limited, prices, limits, drawn=together if len(priced) > 1 else None)
        doubts = unknown_cpus(prices[prediction.fabric] for prediction in priced)
        return msgspec.structs.replace(advice, warnings=[*advice.warnings, *doubts])
    return Advice(
        workload=predictions.workload,
        ranks=predictions.ranks,
        nodes=predictions.nodes,
        choice=None,
        reason="no price is known for these networks; give one for each",
        options=[],
        breakeven_price_ratio=None,
        goal=limits.minimised,
        deadline_seconds=limits.deadline,
        budget_usd=limits.budget,
    )
