"""Predictions of the published figures, as a user of linkworth would get them."""

import contextlib
import copy
import itertools
import math
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from sources import RATES, BenchTable, Source

from linkworth.bench.replayed.predict import predict as predict_bench
from linkworth.bench.settings import BenchSettings
from linkworth.bench.tests import TESTS
from linkworth.calibrate.request import CalibrationRequest
from linkworth.calibrate.run import calibrate
from linkworth.catalog import fabrics
from linkworth.catalog.derived import within_memory
from linkworth.catalog.model_error import ModelErrors, Pattern, Technology
from linkworth.errors import LinkworthError
from linkworth.model.bench import BenchResult, BenchRow, BenchSet
from linkworth.model.collectives import CollectiveLibrary
from linkworth.model.fabric import Fabric
from linkworth.model.fabric import Path as MessagePath
from linkworth.model.settings import ReplaySettings
from linkworth.predict import request
from linkworth.predict.calibrate import KnownTime, MeasuredTime, scale_for
from linkworth.predict.drawn import ASSUMED_SPREAD, OTHER_LIBRARY_OVERHEAD
from linkworth.predict.draws import Draws, technology_of
from linkworth.predict.response import SMALLEST_SCALE, Response
from linkworth.predict.sharing import fitted
from linkworth.predict.uncertainty import interval
from linkworth.replay.collectives import library_in_words
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import on_known_machine
from linkworth.skeleton.program import operations, parse
from linkworth.skeleton.rates import RateRequest
from linkworth.study.prediction.library import library_of
from linkworth.trace.read import open_trace
from linkworth.writing.documents import encode

DRAWS = 400
CHANGE = 1.1
"""Factor of a parameter that shows how much a time depends on it."""
MACHINE = "xeon-e5-2650v3-x2"
NAMES = {
    "imb_pingpong": "latency", "osu_latency": "latency", "osu_bw": "bandwidth", "osu_bibw": "bibandwidth",
    "osu_mbw_mr": "multipair", "osu_alltoall": "alltoall", "osu_allgather": "allgather", "osu_allreduce": "allreduce",
}  # fmt: skip
"""Tests of linkworth by those of the sources."""
COLLECTIVES = ("alltoall", "allgather", "allreduce")
PING_PONG, STREAM = "ping-pong after calibration", "streams after calibration"
COLLECTIVE = "collectives"
FORWARD, REVERSE = "InfiniBand given, Ethernet predicted", "Ethernet given, InfiniBand predicted"
NOTHING = "nothing given"
LAYOUT, LAYOUTS = "other layout, one given", "other layout, two given"
CALIBRATED = "networks after calibration"
"""Source of the misses of all ping-pongs and streams. A fit is no prediction, so they count as one source together."""
KINDS = (PING_PONG, STREAM, COLLECTIVE, FORWARD, REVERSE, LAYOUT, LAYOUTS, NOTHING)


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A published figure and its prediction, both in seconds."""

    source: str
    kind: str
    what: str
    measured: float
    predicted: float | None = None
    """None: the prediction failed."""
    interval: tuple[float, float] | None = None
    """Ends of the 90 % interval."""
    left_out: tuple[float, float] | None = None
    """The interval with the model's errors of the other sources alone."""
    miss: tuple[str, str, float] | None = None
    """Pattern, technology, and logarithm of the factor on the predicted time of that part; None without one."""
    failure: str = ""

    @property
    def source_of_miss(self) -> str:
        """Source as which the point's miss counts."""
        return CALIBRATED if self.kind in (PING_PONG, STREAM) else self.source


class Bench(NamedTuple):
    """Source of the interval of a micro-benchmark: its pattern, its technology, and what its fabric's parameters leave open."""

    pattern: Pattern
    technology: Technology
    parameters: tuple[float, ...] = ()
    """Standard deviation of the time's logarithm by each parameter."""

    def ends(self, seconds: float, errors: ModelErrors) -> tuple[float, float]:
        """Return the ends of the interval around a time that is communication alone."""
        size, freedom = errors.of(self.pattern, self.technology)
        random = np.random.default_rng(0)
        logarithms = size * random.standard_t(freedom, 20_000)
        for deviation in self.parameters:
            logarithms += deviation * random.standard_normal(20_000)
        found = interval((seconds * np.exp(logarithms)).tolist(), seconds)
        return found.low_seconds, found.high_seconds


class Program(NamedTuple):
    """Source of the interval of a program: replays without their trace, so that another process can take them."""

    draws: Draws
    response: Response
    scale: float
    given: KnownTime | None

    def ends(self, seconds: float, errors: ModelErrors) -> tuple[float, float]:
        """Return the ends of the interval in the way of `linkworth predict`."""
        self.draws.errors = errors
        (times,) = self.draws.together([self.response], self.scale, self.given).seconds
        ends = interval(times, seconds)
        return ends.low_seconds, ends.high_seconds


Predicted = tuple[Point, Bench | Program | None]


def with_intervals(predicted: Predicted, errors: ModelErrors) -> Point:
    """Return a point with its intervals: by all of the model's errors, and by those of other sources alone."""
    point, doubt = predicted
    if doubt is None or point.predicted is None:
        return point
    return msgspec.structs.replace(
        point,
        interval=doubt.ends(point.predicted, errors),
        left_out=doubt.ends(point.predicted, errors.without(point.source_of_miss)),
    )


class Job(NamedTuple):
    """Predictions that share a trace or a calibration."""

    source: Source
    part: str
    """A system of micro-benchmarks, or a program."""
    work: float
    """Estimated length."""

    def points(self) -> list[Predicted]:
        """Return the job's points. One that cannot be predicted stays, with the reason."""
        if self.source.tests:
            return list(_of_tests(self.source, self.part))
        if self.source.layouts is not None:
            return list(_of_layouts(self.source, self.part))
        return list(_of_times(self.source, self.part))


def jobs(sources: Sequence[Source]) -> list[Job]:
    """Return all jobs, the longest first."""
    found = []
    for source in sources:
        found += [
            Job(source, system, 3e9) for system in dict.fromkeys(table.system for table in source.tests)
        ]
        if source.layouts is not None:
            found += [Job(source, program, 1e9) for program in source.layouts.values]
        if source.study:
            programs = dict.fromkeys(program for times in source.times().values() for program in times)
            found += [Job(source, program, _work(program)) for program in programs]
    return sorted(found, key=lambda job: job.work, reverse=True)


def _work(program: str) -> float:
    calls = {"lu": 100.0, "sp": 8.0, "bt": 6.0, "cg": 6.0, "mg": 2.0}.get(program[4:6], 0.1)
    work: float = sum(operations(parse([program]), 64 if program[4:6] != "ep" else 1).values())
    return calls * math.sqrt(work)


# ---- micro-benchmarks ----


def library(mpi: str) -> CollectiveLibrary:
    """Return the nearest library that linkworth knows."""
    name, _, version = mpi.partition("-")
    if name != "openmpi":
        return "mpich"
    return "openmpi-4.1" if version >= "4.1" else "openmpi-4.0"


def _of_tests(source: Source, system: str) -> Iterator[Predicted]:
    tables = [table for table in source.tests if table.system == system]
    mpi = next(table.mpi for table in tables if table.test == "osu_latency")
    try:
        fabric = within_memory(
            calibrated([table for table in tables if table.mpi == mpi], system, source.bases.get(system)),
            source.memory_bytes_per_second,
        )
    except LinkworthError as error:
        fabric, failure = None, str(error)
    for number, table in enumerate(tables):
        name = NAMES[table.test]
        kind = PING_PONG if name == "latency" else COLLECTIVE if name in COLLECTIVES else STREAM
        try:
            times = {} if fabric is None else predicted_seconds(table, fabric)
        except LinkworthError as error:
            times, failure = {}, str(error)
        pattern: Pattern = (
            "all-to-all" if name == "alltoall" else "collectives" if name in COLLECTIVES else "exchanges"
        )
        technology = "rdma" if fabric is None else technology_of(fabric)
        counts = kind != STREAM or table.mpi == mpi
        doubts = {} if fabric is None else _of_parameters(table, fabric, times)
        for size, value in table.values:
            measured, seconds = table.seconds(size, value), times.get(max(1, size))
            point = Point(
                source=source.name,
                kind=kind,
                what=f"{system} {table.mpi} {table.test} {table.ranks} ranks {size} B, table {number + 1}",
                measured=measured,
                predicted=seconds,
                miss=(pattern, technology, math.log(measured / seconds)) if seconds and counts else None,
                failure="" if seconds is not None else failure,
            )
            yield point, Bench(pattern, technology, doubts.get(max(1, size), ()))


def calibrated(tables: Sequence[BenchTable], system: str, base: str | None = None) -> Fabric:
    """Return the fabric that `linkworth calibrate` fits to a system's tests between pairs of ranks."""
    between = [table for table in tables if NAMES[table.test] not in COLLECTIVES]
    with tempfile.TemporaryDirectory(prefix="linkworth-published-") as folder:
        file = Path(folder) / f"{system}.json"
        file.write_bytes(encode(BenchSet(results=[as_result(table) for table in between])))
        return calibrate(CalibrationRequest(files=[file], base=base)).fabric


def _of_parameters(
    table: BenchTable, fabric: Fabric, times: dict[int, float]
) -> dict[int, tuple[float, ...]]:
    """Return how far each parameter's spread moves the logarithm of each time, by size, as `linkworth predict` draws it."""
    spread = fabric.spread if any(msgspec.structs.astuple(fabric.spread)) else ASSUMED_SPREAD
    if library_in_words(table.mpi) != fabric.mpi:
        spread = msgspec.structs.replace(spread, overhead=max(spread.overhead, OTHER_LIBRARY_OVERHEAD))
    found: dict[int, tuple[float, ...]] = dict.fromkeys(times, ())
    for change, share in (
        (_slower, spread.latency),
        (_narrower, spread.bandwidth),
        (_busier, spread.overhead),
    ):
        changed = predicted_seconds(
            table,
            msgspec.structs.replace(fabric, link=change(fabric.link), intranode=change(fabric.intranode)),
        )
        for size, seconds in times.items():
            power = math.log(changed[size] / seconds) / math.log(CHANGE)
            found[size] += (power * math.sqrt(math.log1p(share * share)),)
    return found


def _slower(path: MessagePath) -> MessagePath:
    added = [(size, CHANGE * seconds) for size, seconds in path.added_latency]
    return msgspec.structs.replace(path, latency_seconds=CHANGE * path.latency_seconds, added_latency=added)


def _narrower(path: MessagePath) -> MessagePath:
    return msgspec.structs.replace(path, bandwidth_bytes_per_second=path.bandwidth_bytes_per_second / CHANGE)


def _busier(path: MessagePath) -> MessagePath:
    sides = {
        side: [(size, CHANGE * seconds) for size, seconds in getattr(path, side)]
        for side in ("send_overhead", "receive_overhead")
    }
    return msgspec.structs.replace(path, gap_seconds=CHANGE * path.gap_seconds, **sides)


def as_result(table: BenchTable) -> BenchResult:
    """Return a table as `linkworth bench` would have stored it."""
    name = NAMES[table.test]
    rows = []
    for size, value in table.values:
        seconds = table.seconds(size, value)
        is_rate = table.test in RATES
        rows.append(
            BenchRow(
                bytes=size,
                latency_seconds=None if is_rate else seconds,
                bandwidth_bytes_per_second=size / seconds if is_rate else None,
                label=f"{table.ranks // 2} pairs" if name == "multipair" else "",
            )
        )
    return BenchResult(
        test=name,
        rows=rows,
        ranks=table.ranks,
        nodes=table.nodes,
        tool="OSU 5.6",
        mpi=table.mpi,
        date="2020-01-01",
    )


def predicted_seconds(table: BenchTable, fabric: Fabric) -> dict[int, float]:
    """Return the predicted time of a message, or of a collective, by size; an empty message is taken as one byte."""
    name = NAMES[table.test]
    found = predict_bench(
        TESTS[name],
        BenchSettings(sizes=sorted({max(1, size) for size, _ in table.values})),
        fabric,
        Arrangement(nodes=table.nodes).layout(table.ranks),
        replay_settings=ReplaySettings(mpi_library=library(table.mpi)),
    )
    pairs = table.ranks // 2
    rows = [row for row in found.rows if name != "multipair" or row.label.split(" ")[0] == str(pairs)]
    if table.test not in RATES:
        return {row.bytes: row.latency_seconds for row in rows if row.latency_seconds is not None}
    return {
        row.bytes: row.bytes / row.bandwidth_bytes_per_second
        for row in rows
        if row.bandwidth_bytes_per_second
    }


# ---- programs ----


def _of_times(source: Source, program: str) -> Iterator[Predicted]:
    """Yield a program's points: each network from nothing, and from the other's time."""
    study = source.predicted_study()
    times = {fabric: found[program] for fabric, found in source.times().items() if program in found}
    pairs: Iterable[tuple[str | None, str]]
    for scaled in (False, True):
        pairs = itertools.permutations(times, 2) if scaled else ((None, name) for name in times)
        with request.traced(program, study.ranks, RateRequest(machine=MACHINE), scaled=scaled) as path:
            trace = open_trace(path)
            layout = Arrangement(nodes=study.nodes).layout(trace.engine.ranks)
            settings = on_known_machine(
                ReplaySettings(mpi_library=library_of(study.environments[0], study, recorded=False)),
                trace.metadata.rates,
                layout,
            )
            responses = {name: Response(trace, fabrics.get(name), layout, settings) for name in times}
            for known, name in pairs:
                kind = NOTHING if known is None else REVERSE if known == "gbe" else FORWARD
                given = None if known is None else (responses[known], times[known])
                yield _program(source, kind, f"{program} on {name}", times[name], responses[name], given)


def _of_layouts(source: Source, program: str) -> Iterator[Predicted]:
    """Yield the other layouts of a program, from one time, and from two of the same ranks on few and many nodes."""
    table = source.layouts
    assert table is not None
    times = table.values[program]
    settings = ReplaySettings(
        mpi_library=library(table.mpi),
        spread={"computation": table.computation_spread} if table.computation_spread else {},
    )
    rates = RateRequest(machine=table.machine)
    fabric = fabrics.get(table.fabric)
    places = {layout: Arrangement(nodes=shape(layout)[0], ppn=shape(layout)[1]) for layout in times}
    first = max(times, key=lambda layout: (shape(layout)[0], -shape(layout)[1]))
    same = [layout for layout in times if math.prod(shape(layout)) == math.prod(shape(first))]
    with contextlib.ExitStack() as stack:
        traces = {
            layout: open_trace(
                stack.enter_context(request.traced(program, math.prod(shape(layout)), rates, scaled=True))
            )
            for layout in times
        }
        for kind, given in ((LAYOUT, [first]), (LAYOUTS, same))[: len(same)]:
            known = [MeasuredTime(fabric, times[layout], places[layout]) for layout in given]
            try:
                _, shared = fitted(traces[first], known, settings)
            except LinkworthError as error:
                sys.stderr.write(f"{source.name} {program}: {error}\n")
                shared = settings
            responses = {
                layout: Response(trace, fabric, places[layout].layout(trace.engine.ranks), shared)
                for layout, trace in traces.items()
            }
            for layout, measured in times.items():
                if layout not in given:
                    what = f"{program} on {layout}, {' and '.join(given)} given"
                    base = (responses[first], times[first])
                    yield _program(source, kind, what, measured, responses[layout], base)


def _program(
    source: Source,
    kind: str,
    what: str,
    measured: float,
    response: Response,
    given: tuple[Response, float] | None,
) -> Predicted:
    """Return the point of a program on one network, in the way of `linkworth predict`."""
    try:
        scale = 1.0 if given is None else scale_for(*given)
        seconds = response.at(scale).seconds
        draws = Draws(response.trace, response.settings, DRAWS)
        miss = _miss(kind, measured, response, scale, draws.pattern.name)
        if miss and given and (startup := float(draws.startup(given[0]).max())) > 0:
            # Not known is whether the given time has a start-up; the point counts with what fits better.
            without = max(given[1] - startup, given[0].at(SMALLEST_SCALE).seconds * 1.01)
            other = _miss(kind, measured, response, scale_for(given[0], without), draws.pattern.name)
            miss = min(miss, other or miss, key=lambda each: abs(each[2]))
    except LinkworthError as error:
        return Point(source=source.name, kind=kind, what=what, measured=measured, failure=str(error)), None
    point = Point(source=source.name, kind=kind, what=what, measured=measured, predicted=seconds, miss=miss)
    known = given and KnownTime(_alone(given[0]), given[1], scale)
    return point, Program(draws, _alone(response), scale, known)


def _alone(response: Response) -> Response:
    """Return the replays without their trace and the engine's results, all that draws need included."""
    assert response.file_seconds >= 0 < response.about(SMALLEST_SCALE).seconds  # keeps both
    found = copy.copy(response)
    del found.trace
    found.shorter = None
    found._short = {}
    found._known = {scale: each._replace(result=None) for scale, each in found._known.items()}  # type: ignore[arg-type]
    return found


def _miss(
    kind: str, measured: float, response: Response, scale: float, pattern: str
) -> tuple[str, str, float] | None:
    """Return what a point says of the model: of the network where the computation is known, of the cores where it is not."""
    technology = technology_of(response.fabric)
    if kind == NOTHING and technology == "rdma":
        return ("computation", "", math.log(scale_for(response, measured)))
    if kind == FORWARD:
        factors = np.logspace(-2, 2, 4001)
        times = factors * response.seconds(scale / factors)
        if response.at(scale).seconds - times[0] < 0.2 * measured:
            return None  # the network hardly matters, so the point says nothing of it
        return (
            pattern,
            technology,
            float(np.interp(measured, np.maximum.accumulate(times), np.log(factors))),
        )
    return None


def shape(layout: str) -> tuple[int, int]:
    """Return the nodes, and the ranks on each, of a layout such as 4x16."""
    nodes, _, each = layout.partition("x")
    return int(nodes), int(each)
