"""The file that `linkworth allocate` reads: kinds of nodes, programs, limits."""

import re
from pathlib import Path

import msgspec

from linkworth.catalog import fabrics, on_premises
from linkworth.catalog.decode import decode, read_toml, unknown_name
from linkworth.errors import UsageError
from linkworth.model.allocation import AllocationGoal
from linkworth.model.number_range import BUDGET_USD, CPU_FACTOR, PRICE_USD, SECONDS, NumberRange
from linkworth.model.price import OnPremises

RUNS_MAX = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class NodeKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[nodes]]`: nodes of one kind."""

    name: str
    fabric: str
    """Name or path as in `--on`; a fabric file's path is relative to the queue file's folder."""
    count: int
    usd_per_node_hour: float | None = None
    on_premises: OnPremises | None = None
    cores: int | None = None
    """Cores of a node, and the most ranks of a run on one. None: no limit."""
    cpu_factor: float = 1.0
    """Speed of its cores relative to those that recorded the traces."""
    constraint: str | None = None
    """Slurm's name of the feature of these nodes; by default their name."""
    partition: str | None = None

    @property
    def price(self) -> float:
        """US dollars for an hour of a node; 0 without a price."""
        if self.on_premises is not None:
            return on_premises.usd_per_node_hour(self.on_premises)
        return self.usd_per_node_hour or 0.0

    @property
    def has_price(self) -> bool:
        """Return whether the file gives a price, of 0 or more."""
        return self.usd_per_node_hour is not None or self.on_premises is not None


class QueuedProgram(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[programs]]`: a program and how often it runs."""

    name: str
    workload: str | None = None
    """A trace's path, relative to the queue file's folder, or a bundled program (`npb:ft.C`).
    Optional if all times are given."""
    ranks: int | None = None
    """Ranks of a bundled program, or of a program without a workload."""
    runs: int = 1
    deadline_seconds: float | None = None
    """End of all its runs, counted from the start of the queue."""
    nodes: list[int] | None = None
    """Numbers of nodes to consider; by default the fewest that hold the ranks."""
    on: list[str] | None = None
    """Kinds of nodes to consider; by default all."""
    seconds: dict[str, float] = {}
    """Known times of a run: by kind of node (`ib`), or by kind and number of nodes (`"ib:2"`)."""
    command: str | None = None
    """Command for `--as sbatch`."""


class Queue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A queue file."""

    nodes: list[NodeKind]
    programs: list[QueuedProgram]
    goal: AllocationGoal = "cost"
    budget_usd: float | None = None
    deadline_seconds: float | None = None
    """Deadline of all programs."""

    @property
    def priced(self) -> bool:
        """Return whether every kind of nodes has a price."""
        return all(kind.has_price for kind in self.nodes)


def load(path: Path) -> Queue:
    """Read and check a queue file. Raises UsageError that names the file, the entry and the field."""
    return check(decode(read_toml(path), Queue, str(path)), str(path))


def check(queue: Queue, origin: str) -> Queue:
    """Return the queue if it is consistent. Raises UsageError that begins with `origin`."""
    if not queue.nodes or not queue.programs:
        raise UsageError(f"{origin}: it needs at least one [[nodes]] and one [[programs]]")
    _check_number(queue.budget_usd, BUDGET_USD, f"{origin}: budget_usd")
    _check_number(queue.deadline_seconds, SECONDS, f"{origin}: deadline_seconds")
    for title, named in (("nodes", queue.nodes), ("programs", queue.programs)):
        names = [each.name for each in named]
        for index, name in enumerate(names):
            if _NAME.fullmatch(name) is None:
                raise UsageError(
                    f"{origin}: {title}[{index}].name: {name!r} is no name; write letters, digits, '.', '_' and '-', the first a "
                    "letter or a digit"
                )
            if names.count(name) > 1:
                raise UsageError(f"{origin}: {title} has two entries called {name!r}; give each its own name")
    for index, kind in enumerate(queue.nodes):
        _check_kind(kind, f"{origin}: nodes[{index}] ({kind.name})", Path(origin).parent)
    kinds = {kind.name for kind in queue.nodes}
    for index, program in enumerate(queue.programs):
        _check_program(program, f"{origin}: programs[{index}] ({program.name})", kinds)
    return queue


def _check_kind(kind: NodeKind, place: str, folder: Path) -> None:
    if kind.count < 1:
        raise UsageError(f"{place}: count is {kind.count}; give how many of these nodes there are")
    if kind.cores is not None and kind.cores < 1:
        raise UsageError(f"{place}: cores is {kind.cores}; give 1 or more, or leave it out")
    if kind.usd_per_node_hour is not None and kind.on_premises is not None:
        raise UsageError(f"{place}: usd_per_node_hour and on_premises are both prices; give one of them")
    _check_number(kind.usd_per_node_hour, PRICE_USD, f"{place}: usd_per_node_hour")
    if kind.on_premises is not None:
        on_premises.check(kind.on_premises, f"{place}: on_premises")
    _check_number(kind.cpu_factor, CPU_FACTOR, f"{place}: cpu_factor")
    try:
        fabrics.get(fabric_of(kind, folder))
    except UsageError as error:
        raise UsageError(f"{place}: fabric: {error}") from None


def _check_program(program: QueuedProgram, place: str, kinds: set[str]) -> None:
    if not 1 <= program.runs <= RUNS_MAX:
        raise UsageError(f"{place}: runs is {program.runs}; give 1 to {RUNS_MAX}")
    _check_number(program.deadline_seconds, SECONDS, f"{place}: deadline_seconds")
    if program.on is not None and not program.on:
        raise UsageError(f"{place}: on is empty; name kinds of nodes, or leave it out for all")
    for name in program.on or ():
        if name not in kinds:
            raise unknown_name(f"kind of nodes ({place}: on)", name, kinds)
    if program.nodes is not None and (not program.nodes or min(program.nodes) < 1):
        raise UsageError(f"{place}: nodes is {program.nodes}; give numbers of nodes of at least 1")
    if program.ranks is not None and program.ranks < 1:
        raise UsageError(f"{place}: ranks is {program.ranks}; give 1 or more")
    for key, seconds in program.seconds.items():
        name, colon, nodes = key.partition(":")
        if name not in kinds:
            raise unknown_name(f"kind of nodes ({place}: seconds)", name, kinds)
        if colon and (not nodes.isdecimal() or nodes.startswith("0")):
            raise UsageError(f'{place}: seconds: {key!r} is no KIND:NODES, such as "{name}:2"')
        _check_number(seconds, SECONDS, f"{place}: seconds of {key}")
    if program.workload is None and not program.seconds:
        raise UsageError(f"{place}: workload and seconds are both missing; give one of them")
    if program.workload is None and program.ranks is None:
        raise UsageError(f"{place}: ranks is missing; it is required without a workload")


def check_prices(queue: Queue, goal: AllocationGoal, budget: float | None, origin: str) -> None:
    """Refuse prices of some kinds only, and the least cost or a budget without prices: what has none would count as free."""
    unpriced = [kind.name for kind in queue.nodes if not kind.has_price]
    if unpriced and (goal == "cost" or budget is not None or len(unpriced) < len(queue.nodes)):
        raise UsageError(
            f"{origin}: nodes without a price: {', '.join(unpriced)}; give each kind usd_per_node_hour "
            "(0 if it is free) or on_premises"
            + ("; the `goal` makespan needs no prices" if goal == "cost" and budget is None else "")
        )


def fabric_of(kind: NodeKind, folder: Path) -> str:
    """Return the fabric's name, or its file's path relative to the working folder."""
    if fabrics.is_path(kind.fabric):
        return str(folder / kind.fabric)
    return kind.fabric


def _check_number(value: float | None, allowed: NumberRange, place: str) -> None:
    if value is not None and value not in allowed:
        raise UsageError(f"{place} is {value}; give {allowed}")
