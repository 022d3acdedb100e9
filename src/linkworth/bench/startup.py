"""Measures the cost of starting an MPI program: launches a trivial one on 1 to n ranks and fits a line."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

import msgspec
import numpy as np

from linkworth.bench.settings import doublings
from linkworth.errors import IncompleteError, LinkworthError, UsageError
from linkworth.measure.ending import classify
from linkworth.measure.open_place import open_place
from linkworth.measure.output import OutputStore
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.model.startup import StartupFit, StartupResult, StartupRow
from linkworth.mpi import build, find, identify
from linkworth.places import pairing
from linkworth.places.job import Job
from linkworth.places.kinds import system_of
from linkworth.places.place import OpenPlace, check_started_ranks
from linkworth.statistics.student import t_quantile
from linkworth.units import plural

LAUNCHES = 5
"""Launches for each number of ranks and nodes, in rounds: a machine that slows down does so for all of them."""
_INIT = re.compile(r"^linkworth-init (\d+\.\d+)$", re.MULTILINE)


class StartupStopped(IncompleteError):
    """The launches were stopped; `result` has the complete rounds, None without any."""

    def __init__(self, message: str, result: StartupResult | None) -> None:
        super().__init__(message)
        self.result = result


class Shape(NamedTuple):
    """A number of ranks and of nodes to launch on."""

    ranks: int
    nodes: int


def shapes(most_ranks: int, most_nodes: int) -> list[Shape]:
    """Return the powers of two up to each limit, and the limits, with at least one rank on each node."""
    return [
        Shape(ranks, nodes)
        for nodes in doublings(most_nodes)
        for ranks in doublings(most_ranks)
        if ranks >= nodes
    ]


def measure(
    place: Place,
    *,
    mpi: str | None = None,
    ranks: int | None = None,
    timeout: float | None = None,
    say: Callable[[str], None] | None = None,
    plan: Callable[[int], None] = lambda _: None,
    step: Callable[[str], None] = lambda _: None,
) -> StartupResult:
    """Launch a program that only initialises MPI and return the times with their fit.

    `ranks` is the largest number of ranks (None: the cores of the place). `timeout` is in seconds of a launch.
    Raises UsageError and EnvironmentLacksError if nothing can run, LinkworthError for a launch that fails, and StartupStopped
    with the complete rounds if the user stops it or a launch takes too long.
    """
    with open_for_launches(place, say) as opened:
        asked = _shapes(opened, ranks)
        name, facts, cores = opened.name, opened.facts(), opened.cores
    chosen = find.choose(mpi)
    command = [str(build.size_probe(chosen)), "init"]
    plan(LAUNCHES * len(asked))
    times: dict[Shape, list[tuple[float, float]]] = {shape: [] for shape in asked}
    started = datetime.now(UTC).isoformat(timespec="seconds")

    def result(warnings: Sequence[str]) -> StartupResult:
        shared = []
        if any(0 < cores < shape.ranks for shape in asked):
            shared = [f"launches with more ranks than the {cores} cores include waits for a core"]
        return summarised(
            times,
            mpi=identify.shortly(chosen.library_version),
            where=name,
            date=started,
            facts=facts,
            warnings=[*warnings, *shared],
        )

    for number in range(LAUNCHES):
        complete = {shape: list(each) for shape, each in times.items()}
        try:
            for shape, opened in _places(place, asked, say):
                times[shape].append(_launch(opened, chosen, command, shape, timeout))
                step(f"launch {number + 1} of {LAUNCHES} on {plural(shape.ranks, 'rank')}")
        except (StartupStopped, KeyboardInterrupt) as stop:
            times = complete
            said = f"not complete: {number} of {LAUNCHES} rounds"
            reason = str(stop) or "init: it was interrupted"
            raise StartupStopped(reason, result([said]) if number else None) from None
    return result([])


def arguments(place: Place, *, mpi: str | None, ranks: int | None) -> list[list[str]]:
    """Return the command line of each kind of launch, without running it."""
    with open_for_launches(place, None) as opened:
        asked = _shapes(opened, ranks)
    chosen = find.choose(mpi)
    return [
        opened.launcher(chosen).arguments(Job(command=["lw-size-probe", "init"], ranks=shape.ranks))
        for shape, opened in _places(place, asked, None)
    ]


def open_for_launches(place: Place, say: Callable[[str], None] | None) -> OpenPlace:
    """Open a place for launches. Raises UsageError for a batch system whose queue would be measured instead."""
    system = system_of(place)
    if system is not None:
        raise UsageError(
            f"bench init launches many times, and each would wait in the queue of {system.title}; "
            "run it inside a job of the batch system, or on the hosts of a file"
        )
    return open_place(place, say)


def _shapes(opened: OpenPlace, ranks: int | None) -> list[Shape]:
    nodes = len(opened.nodes)
    most = max(ranks or opened.cores or nodes, 1)
    if most < nodes:
        raise UsageError(
            f"`ranks` {most}: there are {plural(nodes, 'node')}; give at least a rank for each, or fewer `nodes`"
        )
    check_started_ranks(most, opened)
    return shapes(most, nodes)


def _places(
    place: Place, asked: Sequence[Shape], say: Callable[[str], None] | None
) -> Iterator[tuple[Shape, OpenPlace]]:
    """Yield each shape with a place of its number of nodes; successive shapes share an open place."""
    for nodes, alike in groupby(asked, key=lambda shape: shape.nodes):
        limited = place if place.kind == "local" else msgspec.structs.replace(place, nodes=nodes)
        with open_place(limited, say) as opened:
            for shape in alike:
                yield shape, opened


def _launch(
    opened: OpenPlace, mpi: MpiInstallation, command: list[str], shape: Shape, timeout: float | None
) -> tuple[float, float]:
    """Return the wall time of a launch and the longest MPI_Init in it, in seconds."""
    kept = OutputStore(None, None)
    end = opened.launcher(mpi).run(Job(command=command, ranks=shape.ranks, timeout=timeout), kept)
    output = kept.text("stdout") + kept.text("stderr")
    ending = classify(end, output, timeout).message
    if end.interrupted or end.timed_out:
        raise StartupStopped(f"init: {ending}", None)
    trouble = pairing.verdict(output, shape.ranks, shape.nodes)
    found = _INIT.search(output)
    if end.exit_code or trouble or not found:
        reason = f"the launcher {trouble}" if trouble else ending or "the launch printed no time of MPI_Init"
        raise LinkworthError(
            f"init on {plural(shape.ranks, 'rank')} of {plural(shape.nodes, 'node')}: {reason}"
        )
    return end.seconds, float(found[1])


def summarised(
    times: dict[Shape, list[tuple[float, float]]],
    *,
    mpi: str,
    where: str,
    date: str,
    facts: dict[str, str],
    warnings: Sequence[str] = (),
) -> StartupResult:
    """Return the result of launches: (wall time, longest MPI_Init) in seconds by shape."""
    rows = [
        StartupRow(
            ranks=shape.ranks,
            nodes=shape.nodes,
            launch_seconds=[launch for launch, _ in each],
            init_seconds=[init for _, init in each],
        )
        for shape, each in times.items()
    ]
    said = list(warnings)
    if len({row.nodes for row in rows}) == 1:
        said.append("the cost of a node is not measured: all launches were on the same number of nodes")
    if len({row.ranks for row in rows}) == 1:
        said.append("the cost of a rank is not measured: all launches had the same number of ranks")
    return StartupResult(
        rows=rows,
        launch=fitted([(row.ranks, row.nodes, row.launch_seconds) for row in rows]),
        init=fitted([(row.ranks, row.nodes, row.init_seconds) for row in rows]),
        mpi=mpi,
        where=where,
        date=date,
        facts=facts,
        warnings=said,
    )


def fitted(samples: Sequence[tuple[int, int, Sequence[float]]]) -> StartupFit:
    """Fit seconds = a + b ranks + c nodes to (ranks, nodes, seconds of the launches) by least squares.

    No rank or node makes a launch shorter: a term below 0 is noise. It is 0, and the others are fitted without it.
    """
    points = [(ranks, nodes, value) for ranks, nodes, values in samples for value in values]
    columns = {"base": [1.0] * len(points)}
    varied = [
        ("rank", [float(ranks) for ranks, _, _ in points]),
        ("node", [float(nodes) for _, nodes, _ in points]),
    ]
    for name, column in varied:
        # A column that is constant, or varies only with another one, has no coefficient of its own.
        tried = np.array([*columns.values(), column])
        if np.linalg.matrix_rank(tried) == len(tried):
            columns[name] = column
    seconds = np.array([value for _, _, value in points])
    half: dict[str, float] = {}
    while True:
        matrix = np.array(list(columns.values())).T
        found = np.linalg.lstsq(matrix, seconds, rcond=None)[0]
        degrees = len(points) - len(columns)
        if degrees > 0:
            variance = float(np.sum((seconds - matrix @ found) ** 2)) / degrees
            spread = np.sqrt(variance * np.diag(np.linalg.inv(matrix.T @ matrix)))
            half |= dict(zip(columns, (t_quantile(0.975, degrees) * spread).tolist(), strict=True))
        terms = dict(zip(columns, found.tolist(), strict=True))
        falling = [name for name, value in terms.items() if value < 0 and name != "base"]
        if not falling:
            break
        del columns[min(falling, key=terms.__getitem__)]
    fit = StartupFit(
        base_seconds=terms["base"],
        seconds_per_rank=terms.get("rank", 0.0),
        seconds_per_node=terms.get("node", 0.0),
        base_half_width=half.get("base"),
        rank_half_width=half.get("rank"),
        node_half_width=half.get("node"),
    )
    means = [(ranks, nodes, float(np.mean(values))) for ranks, nodes, values in samples]
    misses = [abs(fit.seconds(ranks, nodes) / mean - 1) for ranks, nodes, mean in means if mean > 0]
    return msgspec.structs.replace(fit, worst_miss=max(misses, default=0.0))
