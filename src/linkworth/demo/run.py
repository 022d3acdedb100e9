"""Records the demo's programs and computes its table and page."""

from pathlib import Path

import msgspec

from linkworth.advise.request import PriceOptions, gather_prices
from linkworth.catalog import fabrics as fabric_catalog
from linkworth.errors import UsageError
from linkworth.model.advice import Advice
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import PredictionSet
from linkworth.model.price import Price
from linkworth.model.profile import Profile
from linkworth.model.trace import TraceSummary
from linkworth.predict.target import TargetMachine
from linkworth.replay.layout import Arrangement
from linkworth.report import ReportItem, write
from linkworth.report.collect import SMALLER, collect, with_charts
from linkworth.skeleton.progress import StepProgress
from linkworth.trace.read import open_trace
from linkworth.units import plural
from linkworth.writing.files import require_writable

PROGRAMS = {"npb:ep.W": "npb:ep.S", "npb:ft.A": "npb:ft.W", "npb:cg.W": "npb:cg.S"}
"""Programs of seconds or less, and a smaller run of each. On InfiniBand, ft.W may take less than what some clusters need
before a first all-to-all, so that no network would be clearly the best."""
FABRICS = ("gbe", "10gbe", "ib-fdr", "ib-hdr")
PRICES = "demo"
NODES = 2
RUN_LIMIT_SECONDS = 600.0
"""Time limit of one recording; each takes a second or two on an idle machine."""
_STEPS = 5 + len(FABRICS)
"""Progress steps of one program: two recordings, profile, times, what ranks do, and the sensitivity on each fabric."""


class Recorder:
    """Records bundled programs on this machine, with the MPI of that name in `linkworth doctor` (None: the first that works)."""

    def __init__(self, mpi: str | None = None) -> None:
        self._mpi = mpi

    def prepare(self, ranks: int) -> None:
        """Build the preload library and the programs for the MPI; they are kept, so only the first call takes time.

        Raises UsageError for more ranks than can be started.
        """
        from linkworth.mpi import build, find
        from linkworth.places.local import LocalPlace
        from linkworth.places.place import check_started_ranks

        check_started_ranks(ranks, LocalPlace())
        chosen = find.choose(self._mpi)
        build.tracer(chosen)
        build.npb(chosen)

    def record(self, name: str, ranks: int, trace: Path) -> TraceSummary:
        """Record `name` (`npb:ft.W`) to `trace`, and replace an existing file."""
        from linkworth.measure import plan
        from linkworth.trace.record import record

        workload = plan.workload((name,), ranks)
        return record(
            plan.plan(workload, mpi=self._mpi), output=trace, timeout=RUN_LIMIT_SECONDS, replace=True
        )


class DemoProgram(msgspec.Struct, frozen=True, kw_only=True):
    """One program of the demo."""

    workload: str
    ranks: int
    trace: str
    verified: bool | None
    profile: Profile
    predictions: PredictionSet
    advice: Advice | None
    """None if the verification failed."""


class Demo(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth demo --json` prints."""

    schema: str = "linkworth.demo/1"
    report: str
    """The page; empty if no program could be recorded."""
    folder: str
    """Folder of the traces."""
    programs: list[DemoProgram]
    failures: list[str]
    """Failures, one sentence for each program."""


def run(
    folder: Path, page: Path, *, ranks: int, recorder: Recorder, progress: StepProgress
) -> tuple[Demo, list[ReportItem]]:
    """Run the demo and write its page; also return the items for the table.

    Each trace in `folder` is complete before the next program starts, so an interrupted demo keeps them. A program
    whose run or verification fails is named in the answer's `failures` and does not stop the others. Raises
    UsageError for a rank count that does not fit on two nodes, and the errors of a recording without an MPI.
    """
    if ranks < NODES or ranks & (ranks - 1):
        raise UsageError(
            f"`ranks` {ranks}: FT and CG need a power of two, and all are laid on {NODES} nodes; give 2, 4, 8, 16 ..."
        )
    fabrics = [fabric_catalog.get(name) for name in FABRICS]
    prices = gather_prices(PriceOptions(catalog=PRICES), needed=FABRICS)
    try:
        (folder / SMALLER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make the folder {folder}: {error.strerror}; choose another with `output`"
        ) from error
    require_writable(page, "report")
    progress.plan(len(PROGRAMS) * _STEPS + 2)
    progress.step("building the recorder and the programs for this MPI, where they are not there yet")
    recorder.prepare(ranks)
    items: list[ReportItem] = []
    programs: list[DemoProgram] = []
    failures: list[str] = []
    for program, smaller_run in PROGRAMS.items():
        trace = folder / f"{program.removeprefix('npb:').partition('.')[0]}.lwt"
        progress.step(f"{program}: recording on {plural(ranks, 'rank')}")
        summary = recorder.record(program, ranks, trace)
        progress.step(f"{smaller_run}: recording, to see how the shares move with the problem")
        smaller = recorder.record(smaller_run, ranks, folder / SMALLER / trace.name)
        if summary.state != "complete":
            failures.append(f"{summary.workload}: {summary.state}; its recording is in {summary.path}")
            continue
        if summary.verified is None:
            failures.append(
                f"{summary.workload}: it did not verify its result, so nothing is predicted from it"
            )
            continue
        if summary.verified is False:
            failures.append(f"{summary.workload}: its verification failed, so nothing is predicted from it")
        good = smaller.state == "complete" and smaller.verified is True
        item = _item(trace, Path(smaller.path) if good else None, fabrics, prices, program, progress)
        items.append(item)
        programs.append(_program(item, trace))
    progress.step("page")
    if items:
        write(items, page)
    demo = Demo(report=str(page) if items else "", folder=str(folder), programs=programs, failures=failures)
    return demo, items


def _item(
    trace: Path,
    smaller: Path | None,
    fabrics: list[Fabric],
    prices: dict[str, Price],
    program: str,
    progress: StepProgress,
) -> ReportItem:
    def step(what: str) -> None:
        progress.step(f"{program}: {what}")

    target = TargetMachine(Arrangement(nodes=NODES))
    opened = open_trace(trace)
    item = collect(opened, fabrics, prices, target=target, smaller=smaller, step=step)
    return with_charts(item, opened, target, step)


def _program(item: ReportItem, trace: Path) -> DemoProgram:
    return DemoProgram(
        workload=item.profile.workload,
        ranks=item.profile.ranks,
        trace=str(trace),
        verified=item.profile.verified,
        profile=item.profile,
        predictions=item.predictions,
        advice=item.advice if item.trusted else None,
    )
