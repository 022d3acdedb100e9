"""Implementation of `linkworth report`: traces in, one page out."""

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from linkworth.advise.request import PriceOptions, gather_prices
from linkworth.catalog import fabrics as fabric_catalog
from linkworth.catalog.assignment import parse_assignment
from linkworth.errors import LinkworthError
from linkworth.model.advice import Limits
from linkworth.model.fabric import Fabric
from linkworth.model.number_range import SECONDS
from linkworth.model.price import Price
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.request import is_program, refuse_skeleton_options, times_by_program, traced
from linkworth.predict.target import TargetMachine, targets
from linkworth.report import prepare, tables, write
from linkworth.report.collect import collect, find_traces, smaller_of, with_charts
from linkworth.report.item import MOST_DRAWN, ReportItem
from linkworth.skeleton.progress import StepProgress
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import Allowance, open_trace
from linkworth.writing.files import require_writable

DEFAULT_FABRICS = ("gbe", "10gbe", "ib-fdr", "ib-hdr")
"""Default without fabrics and prices from the user: two Ethernets, and two other networks."""


class ReportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the user; empty `on` means every priced fabric, or `DEFAULT_FABRICS` without prices."""

    paths: list[Path]
    output: Path
    on: list[str]
    target: TargetMachine = TargetMachine()
    measured: Sequence[str] = ()
    """Measured times to which the computation is scaled, in the form of `times_by_program`."""
    prices: PriceOptions = PriceOptions()
    limits: Limits = Limits()
    ranks: int | None = None
    """Ranks of bundled programs among the paths, which are not run."""
    rates: RateRequest = RateRequest()
    """Speed of their computation, or of the machines of the traces."""
    allowed: Allowance | None = None
    """Permission to use incomplete traces."""


class _Program(NamedTuple):
    """One program to report."""

    trace: Path
    given: str
    """Its name as the user gives it."""
    measured: Sequence[MeasuredTime]


class ReportedProgram(msgspec.Struct, frozen=True, kw_only=True):
    """One program of a written report."""

    workload: str
    ranks: int
    trace: str
    verified: bool | None
    group: str | None
    """Group, or None if it is unknown; a warning then gives the reason."""
    choice: str | None
    warnings: list[str]


class WrittenReport(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth report --json` prints."""

    schema: str = "linkworth.report/1"
    path: str
    bytes: int
    fabrics: list[str]
    programs: list[ReportedProgram]


def run(request: ReportRequest, progress: StepProgress) -> WrittenReport:
    """Write the page. Raises UsageError for unusable traces, programs, fabrics, prices or limits."""
    require_writable(request.output)
    # A wrong number is reported before a wrong file. Its program is known after that.
    for text in request.measured:
        parse_assignment(text, "`measured`", "SECONDS", SECONDS)
    fabrics = fabric_catalog.get_each(request.on)
    needed = [fabric.name for fabric in fabrics] or None
    prices: dict[str, Price] = {}
    if request.prices.given:
        prices = gather_prices(request.prices, needed=needed)
    fabrics = fabrics or fabric_catalog.get_each(request.prices.names_of(prices) or DEFAULT_FABRICS)
    programs = [str(path) for path in request.paths if is_program(str(path))]
    if not programs:
        refuse_skeleton_options(", ".join(map(str, request.paths)), request.ranks, request.rates)
    found = find_traces(path for path in request.paths if str(path) not in programs)
    names = [*map(str, found), *programs]
    measured = times_by_program(request.measured, names)
    with contextlib.ExitStack() as skeletons:
        for name in programs:
            made = traced(
                name, request.ranks, request.rates, scaled=bool(request.measured), progress=progress
            )
            found.append(skeletons.enter_context(made))
        asked = [_Program(*each) for each in zip(found, names, measured, strict=True)]
        return _write(request, fabrics, prices, asked, progress)


def _write(
    request: ReportRequest,
    fabrics: Sequence[Fabric],
    prices: Mapping[str, Price],
    programs: Sequence[_Program],
    progress: StepProgress,
) -> WrittenReport:
    """Write the page of the programs."""
    progress.plan(2 * len(programs) + (1 + len(fabrics)) * min(len(programs), MOST_DRAWN) + 1)
    prepare()
    items: list[ReportItem] = []
    for program in programs:
        given = program.given
        name = given if program.trace.name != Path(given).name else program.trace.stem

        def step(what: str, name: str = name) -> None:
            progress.step(f"{name}: {what}")

        try:
            items.append(_item(request, fabrics, prices, program, step, drawn=len(items) < MOST_DRAWN))
        except LinkworthError as error:
            if len(programs) == 1 or given in str(error):
                raise
            raise type(error)(f"{given}: {error}") from error
    progress.step("page")
    size = write(_told_apart(items, [Path(program.given).stem for program in programs]), request.output)
    return WrittenReport(
        path=str(request.output),
        bytes=size,
        fabrics=[fabric.name for fabric in fabrics],
        programs=[
            ReportedProgram(
                workload=item.profile.workload,
                ranks=item.profile.ranks,
                trace=program.given,
                verified=item.profile.verified,
                group=item.profile.group,
                choice=item.advice.choice if item.trusted else None,
                warnings=tables.warnings(item),
            )
            for program, item in zip(programs, items, strict=True)
        ],
    )


def _item(
    request: ReportRequest,
    fabrics: Sequence[Fabric],
    prices: Mapping[str, Price],
    program: _Program,
    step: Callable[[str], None],
    *,
    drawn: bool,
) -> ReportItem:
    """Return one program's part of the page, with charts if `drawn`."""
    opened = open_trace(program.trace, request.allowed)
    asked = request.target
    [target] = targets(
        opened, [asked.arrangement], program.measured, request.rates, asked.settings, asked.cpu_factor
    )
    item = collect(
        opened,
        fabrics,
        prices,
        target=target,
        limits=request.limits,
        smaller=smaller_of(program.trace),
        allowed=request.allowed,
        step=step,
    )
    return with_charts(item, opened, target, step) if drawn else item


def _told_apart(items: Sequence[ReportItem], names: Sequence[str]) -> list[ReportItem]:
    """Return the items with the names of their traces where one program is there twice with as many ranks."""
    programs = Counter((item.profile.workload, item.profile.ranks) for item in items)
    return [
        item
        if programs[item.profile.workload, item.profile.ranks] == 1
        else replace(item, profile=replace(item.profile, workload=f"{item.profile.workload} ({name})"))
        for item, name in zip(items, names, strict=True)
    ]
