"""Choice of a network in the public API."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TypedDict, Unpack, get_type_hints

import msgspec

from linkworth.advise.choose import advise as choose
from linkworth.advise.request import PriceOptions, gather_environments
from linkworth.advise.run import advise_on_request
from linkworth.advise.source import TimesFile, TraceRequest
from linkworth.api import html
from linkworth.api.arguments import PathText, accepted, checked
from linkworth.api.predictions import Predictions
from linkworth.api.progress import Progress, Steps
from linkworth.api.shown import shown_as
from linkworth.api.table import Table, Tabular, from_rows
from linkworth.api.trace import Trace, of_machines
from linkworth.errors import UsageError
from linkworth.model import advice as model
from linkworth.model.number_range import DRAWS, PRICE_USD
from linkworth.model.price import Market
from linkworth.predict.request import is_program, measured_texts
from linkworth.writing.text import printable
from linkworth.writing.user_folder import expanded


class Advice(model.Advice, Tabular, frozen=True, kw_only=True):
    """The network to choose, the reason in one sentence, and all options with time and cost (docs/reference/prices.md)."""

    def to_table(self) -> Table:
        """Return one row an option: fabric, nodes, seconds, US dollars a run, and whether it meets the limits; in their order."""
        rows = [msgspec.structs.asdict(option) for option in self.options]
        kinds = {
            "rank": "int64",
            "fabric": "object",
            "price_name": "object",
            "nodes": "int64",
            "seconds": "float64",
            "cost_usd": "float64",
            "price_usd_per_node_hour": "float64",
            "breakeven_usd_per_node_hour": "float64",
            "feasible": "bool",
            "pareto": "bool",
        }
        return from_rows(rows, kinds, f"options for {self.workload}")

    def __repr__(self) -> str:
        return printable(f"<linkworth.Advice on {self.workload}: {self.reason}>")

    def _repr_html_(self) -> str:
        rows = [
            (option.rank, option.fabric, option.price_name, option.nodes, option.seconds, option.cost_usd)
            for option in sorted(self.options, key=lambda option: option.rank)
        ]
        headings = ("rank", "network", "node", "nodes", "seconds", "US$ a run")
        return html.table(f"{self.reason}. {self.uncertainty}", headings, rows)


class AdviceOptions(TypedDict, total=False):
    """Further options of `advise`: those of `Trace.predict` for traces, and `inputs` for a dataset."""

    inputs: Mapping[str, str]
    """The program's inputs, by name, of the runs to compare."""
    ppn: int
    """Ranks on a node."""
    placement: str
    measured: Mapping[str, float]
    cpu_factor: float
    recorded_on: PathText
    machine: PathText
    region: str
    """Region, node types and market (`spot` prices count only if asked for) of a catalog's prices."""
    instances: Sequence[str]
    market: Market


_OF_PRICES = {"region", "instances", "market"}


@checked
def advise(
    program: Trace | Predictions | str | PathLike[str] | Sequence[Trace | str | PathLike[str]],
    prices: Mapping[str, float] | PathText,
    *,
    nodes: int | Sequence[int] = (),
    goal: model.Goal | None = None,
    deadline: float | None = None,
    budget: float | None = None,
    draws: int | None = None,
    on_progress: Progress | None = None,
    **options: Unpack[AdviceOptions],
) -> Advice:
    """Choose a network for a trace, for several of one program on different numbers of ranks, or from known times.

    `prices` are US dollars for an hour of a node by the network's name, or the name or file of a catalog of prices. A trace
    is replayed on all networks that have a price, on each number of `nodes` (default: 2). `goal` is `cost` or `time`;
    without it, time if only a budget is given. `deadline` (seconds) and `budget` (US dollars a run) exclude options.
    Several traces need `ppn`, the ranks on a node: each is placed on as many nodes as its ranks need, and the answer is how
    many nodes to take, with which network. Other `options` are `placement`, `measured`, `cpu_factor`, `recorded_on` and
    `machine`, as in `Trace.predict`, and `region`, `instances` and `market`, which choose from a catalog of prices.
    `draws` replays each option with parameters drawn from their spread, for the certainty of the choice (default: 400; 0: none).
    Known times are predictions, or a file (*.json): what `linkworth predict --json` printed, or the measured times of
    HPCAdvisor's dataset, of which `inputs` chooses the runs. They have their nodes, and no draws.

    Raises UsageError for a network without a price and for traces of several programs, and DamagedInputError for an incomplete
    trace.
    """
    if draws is not None and draws not in DRAWS:
        raise UsageError(f"`draws` {draws}: give {DRAWS}")
    if not prices:
        raise UsageError(
            "`prices` is empty: give US dollars by network, such as {'gbe': 0.78}, or a catalog's name"
        )
    catalog = None if isinstance(prices, Mapping) else expanded(prices)
    own = {expanded(fabric): usd for fabric, usd in prices.items()} if isinstance(prices, Mapping) else {}
    for fabric, dollars in own.items():
        if dollars not in PRICE_USD:
            raise UsageError(f"`prices` {{{fabric!r}: {dollars:g}}}: give {PRICE_USD}")
    assignments = [f"{fabric}={dollars!r}" for fabric, dollars in own.items()]
    _check(options)
    priced = PriceOptions(
        assignments=assignments,
        catalog=catalog,
        region=options.get("region"),
        instances=options.get("instances", ()),
        market=options.get("market"),
    )
    limits = model.Limits(goal=goal, deadline=deadline, budget=budget)
    if isinstance(program, Predictions):
        if nodes or draws or set(options) - _OF_PRICES:
            raise UsageError(
                "predictions have their number of nodes and cannot be replayed; give the trace instead"
            )
        if extra := [name for name in own if name not in program]:
            raise UsageError(
                f"`prices` {extra[0]!r}: there is no prediction on it; leave it out, or predict on it as well"
            )
        environments = gather_environments(priced, needed=list(program))
        if unpriced := [name for name in program if name not in environments]:
            raise UsageError(
                f"`prices` has none for {', '.join(unpriced)}; give US dollars of a node hour, as {{{unpriced[0]!r}: 0.78}}"
            )
        found = choose(program.document, environments, limits)
    else:
        request, times = _trace_or_times(program, nodes, options)
        found = advise_on_request(
            request, times, prices=priced, limits=limits, draws=draws, progress=Steps(on_progress)
        )
    return shown_as(Advice, found)


def _check(options: AdviceOptions) -> None:
    """Raise UsageError for an unknown option and for a value of a wrong type."""
    if unknown := sorted(set(options) - set(AdviceOptions.__annotations__)):
        raise UsageError(
            f"there is no option {unknown[0]!r}; there are {', '.join(AdviceOptions.__annotations__)}"
        )
    hints = get_type_hints(AdviceOptions)
    for name, value in options.items():
        accepted(name, value, hints[name])


def _trace_or_times(
    program: Trace | str | PathLike[str] | Sequence[Trace | str | PathLike[str]],
    nodes: int | Sequence[int],
    options: AdviceOptions,
) -> tuple[TraceRequest | None, TimesFile | None]:
    inputs = [f"{name}={value}" for name, value in options.get("inputs", {}).items()]
    if isinstance(program, str | PathLike) and fspath(program).endswith(".json"):
        if nodes or set(options) - {"inputs"} - _OF_PRICES:
            raise UsageError(f"the times of {fspath(program)} have their nodes and cannot be replayed")
        return None, TimesFile(Path(expanded(program)), inputs)
    if inputs:
        raise UsageError(f"`inputs` {inputs[0]}: they choose runs of a dataset; leave them out for a trace")
    programs = [program] if isinstance(program, Trace | str | PathLike) else list(program)
    if not programs:
        raise UsageError("give a trace, or several of one program")
    if unrecorded := [name for name in programs if isinstance(name, str) and is_program(name)]:
        raise UsageError(
            f"{unrecorded[0]} is not recorded yet; give the trace that `skeleton` or `record` makes of it"
        )
    request = TraceRequest(
        workloads=[str(each.path) if isinstance(each, Trace) else expanded(each) for each in programs],
        nodes=(nodes,) if isinstance(nodes, int) else tuple(nodes),
        ppn=options.get("ppn"),
        placement=options.get("placement", "block"),
        measured=measured_texts(options.get("measured", {})),
        cpu_factor=options.get("cpu_factor", 1.0),
        rates=of_machines(options.get("machine"), options.get("recorded_on")),
    )
    return request, None
