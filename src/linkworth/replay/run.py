"""One replay: a trace, a fabric and a layout in, a prediction out."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.collectives import CollectiveRules
from linkworth.model.fabric import Fabric
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.rates import RateSource
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo
from linkworth.replay.collectives import rules_for
from linkworth.replay.effect import require_effect

_AS_RECORDED = ReplaySettings()
_MPICH = CollectiveRules()


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """All results of one replay."""

    prediction: Prediction
    marked_region: bool
    """True if the program marks its timed part by MPI_Pcontrol; the prediction is then of that part."""
    rank_compute_seconds: list[float]
    """Scaled computation of each rank in the same part of the run."""
    level_compute_seconds: dict[int, float]
    """Scaled computation of the marked part by level of MPI_Pcontrol, summed over ranks."""
    unmodelled: dict[str, int]
    """Calls that the replay does not model: they took the recorded time."""
    input_output_seconds: dict[str, float]
    """Recorded time of calls to files, by call and summed over ranks. It counts as computation, but is not scaled."""
    stopped: list[str]
    """Ends of the replay of a cut trace, one sentence for each rank."""
    collectives: CollectiveRules
    """Rules that chose the collective algorithms."""
    events: int
    threaded_ranks: int
    """Ranks whose threads call MPI at once."""
    neighbour_seconds: list[float]
    """Seconds of the programs beside this one, in their order."""
    mark_seconds: list[list[float]] = msgspec.field(default_factory=list)
    """Times of each rank's calls of MPI_Pcontrol, if asked for."""
    recording: dict[str, Any] | None = None
    """Calls, messages and loads of links, if asked for."""


class ReplayStoppedError(UsageError):
    """A rank of a trace that is not cut waits for ever."""

    where: str = ""
    """The rank and its call, in a sentence without advice. Set after creation, so that a worker's error can be pickled."""


class Neighbour(NamedTuple):
    """Another program that starts at the same time on the same network, with its recorded computation."""

    trace: _engine.Trace
    layout: Layout
    """Nodes are numbered as those of the program itself."""
    tolerate_cut: bool = False


class Record(NamedTuple):
    """Limits of the recorded part of a replay."""

    from_seconds: float
    to_seconds: float
    most: int
    """Most calls, and most messages."""


_RECORD_AGAIN = "; record the program again"
_NOT_IN_THE_ARCHIVE = (
    "; the trace was converted, and what it came from does not say how that call went on. Its calls and their times can still be "
    "seen (linkworth convert TRACE --to perfetto, or --to parquet); a replay needs a recording by linkworth trace, or by a tool "
    "that writes the ends of non-blocking receives, as Score-P does"
)


class _Recorded(msgspec.Struct):
    """Metadata of a trace that decides its collectives, and the advice if its replay stops."""

    mpi: MpiInfo = MpiInfo()
    source: str = "recorded"
    rates: RateSource | None = None


def replay(
    trace: _engine.Trace,
    fabric: Fabric,
    layout: Layout,
    *,
    cpu_factor: float = 1.0,
    tolerate_cut: bool = False,
    settings: ReplaySettings = _AS_RECORDED,
) -> Prediction:
    """Predict the time of `trace` on `fabric`. Computation is divided by `cpu_factor`."""
    return replay_in_detail(
        trace, fabric, layout, cpu_factor=cpu_factor, tolerate_cut=tolerate_cut, settings=settings
    ).prediction


def replay_in_detail(
    trace: _engine.Trace,
    fabric: Fabric,
    layout: Layout,
    *,
    cpu_factor: float = 1.0,
    tolerate_cut: bool = False,
    settings: ReplaySettings = _AS_RECORDED,
    beside: Sequence[Neighbour] = (),
    record: Record | None = None,
    counted_level: int | None = None,
    marks: bool = False,
) -> Replay:
    """Replay and return all results.

    Raises UsageError, with advice, for a trace that cannot be replayed (unknown communicators; ReplayStoppedError:
    messages missing). With `tolerate_cut` the replay stops there instead. Settings without an effect are a UsageError
    as well. Messages of programs `beside` it compete with its own, and their ranks share the memory of their nodes
    with its ranks. `record` needs a program alone. With `counted_level`, only computation at that level of
    MPI_Pcontrol counts as computation in the parts of the critical path; any other is waiting. `marks`: keep the time
    of each call of MPI_Pcontrol.
    """
    recorded = _recorded(trace)
    settings = on_known_machine(settings, recorded.rates)
    rules = rules_for(recorded.mpi, settings)
    layouts = [layout, *(other.layout for other in beside)]
    most_on_a_node = max(Counter(node for each in layouts for node in each.node_of_rank).values())
    options = engine_options(
        fabric,
        layout,
        cpu_factor=cpu_factor,
        tolerate_cut=tolerate_cut,
        settings=settings,
        collectives=rules,
        most_on_a_node=most_on_a_node,
    )
    options["counted_level"] = counted_level
    options["keep_marks"] = marks
    if record is not None:
        options["record"] = tuple(record)
    others = [
        (
            other.trace,
            engine_options(
                fabric,
                other.layout,
                cpu_factor=1.0,
                tolerate_cut=other.tolerate_cut,
                settings=settings,
                collectives=rules_for(_recorded(other.trace).mpi, settings),
                most_on_a_node=most_on_a_node,
            ),
        )
        for other in beside
    ]
    try:
        result, *of_others = _engine.replay_together([(trace, options), *others])
    except _engine.ReplayStoppedError as error:
        stopped = ReplayStoppedError(_advised(str(error), [trace, *(other.trace for other in beside)]))
        stopped.where = str(error).removesuffix(_RECORD_AGAIN)
        raise stopped from error
    except (_engine.ReplayError, _engine.TraceError) as error:
        traces = [trace, *(other.trace for other in beside)]
        raise UsageError(_advised(str(error), traces)) from error
    require_effect(settings, [result, *of_others])
    return Replay(
        prediction=_prediction(fabric, result),
        marked_region=result["marked_region"],
        rank_compute_seconds=result["rank_compute_seconds"],
        level_compute_seconds=result["level_compute_seconds"],
        unmodelled=result["unmodelled"],
        input_output_seconds=result["input_output_seconds"],
        stopped=result["stopped"],
        collectives=rules,
        events=result["events"],
        threaded_ranks=result["threaded_ranks"],
        neighbour_seconds=[each["seconds"] for each in of_others],
        mark_seconds=result["mark_seconds"],
        recording=result.get("recording"),
    )


def on_known_machine(settings: ReplaySettings, rates: RateSource | None) -> ReplaySettings:
    """Return the settings with the cores of the machine named by `rates`, unless they have a number of cores."""
    if rates is None or rates.cores_per_node is None or settings.cores_per_node is not None:
        return settings
    return msgspec.structs.replace(
        settings, cores_per_node=rates.cores_per_node, thread_gain=rates.thread_gain
    )


def engine_options(
    fabric: Fabric,
    layout: Layout,
    *,
    cpu_factor: float,
    tolerate_cut: bool,
    settings: ReplaySettings = _AS_RECORDED,
    collectives: CollectiveRules = _MPICH,
    most_on_a_node: int,
) -> dict[str, Any]:
    """Return the engine's form of a fabric, a placement and the settings.

    `most_on_a_node`: ranks of all programs on the fullest node.
    """
    link = msgspec.structs.asdict(fabric.link)
    link["bandwidth_bytes_per_second"] *= 1 - settings.background_load
    return {
        "link": link,
        "intranode": msgspec.structs.asdict(fabric.intranode),
        "rails": fabric.rails,
        "rail_efficiency": fabric.rail_efficiency,
        "stripe_min_bytes": fabric.stripe_min_bytes,
        "stripe_rest_bytes": fabric.stripe_rest_bytes,
        "stripe_step": fabric.stripe_step,
        "aggregation": fabric.aggregation,
        "chunk_bytes": fabric.chunk_bytes,
        "topology": _topology(fabric, settings.background_load),
        "tcp": msgspec.structs.asdict(fabric.tcp),
        "contention": settings.contention,
        "unexpected_copy_bytes_per_second": fabric.unexpected_copy_bytes_per_second,
        "intranode_total_bytes_per_second": fabric.intranode_total_bytes_per_second,
        "node_of_rank": layout.node_of_rank,
        "cpu_factor": cpu_factor,
        "cpu_factor_at": settings.cpu_factor_at,
        "memory_demand": settings.memory_demand_bytes_per_second,
        "node": _shared_node(settings, most_on_a_node),
        "noise": settings.noise,
        "seed": settings.seed,
        "progress_in_calls_only": (settings.progress or fabric.progress) == "calls",
        "tolerate_cut": tolerate_cut,
        "library": collectives.library,
        "forced_collectives": [
            (forced.collective, forced.algorithm, forced.segment_bytes) for forced in collectives.forced
        ],
        "counted_level": None,
        "keep_marks": False,
        "pass_unmodelled": settings.pass_unmodelled,
        "combine_bytes_per_second": fabric.combine_bytes_per_second,
    }


def _topology(fabric: Fabric, background_load: float) -> dict[str, Any]:
    topology: dict[str, Any] = msgspec.to_builtins(fabric.topology)
    for level in topology["levels"]:
        level["bandwidth_bytes_per_second"] *= 1 - background_load
    return topology


def _shared_node(settings: ReplaySettings, most_on_a_node: int) -> dict[str, float] | None:
    """Return the resources that ranks of a node share, or None if they cannot exhaust them."""
    bandwidth = settings.memory_bandwidth_bytes_per_second or math.inf
    cores = settings.cores_per_node or math.inf
    if most_on_a_node * settings.memory_demand_bytes_per_second <= bandwidth and most_on_a_node <= cores:
        return None
    return {
        "memory_bytes_per_second": bandwidth,
        "cores": cores,
        "thread_gain": settings.thread_gain,
    }


def _recorded(trace: _engine.Trace) -> _Recorded:
    try:
        return msgspec.json.decode(trace.metadata_json, type=_Recorded)
    except JSON_ERRORS:
        return _Recorded()


def _advised(error: str, traces: Sequence[_engine.Trace]) -> str:
    """Return the engine's sentence, with advice for a user who may have another tool's archive but not the program."""
    if error.endswith(_RECORD_AGAIN) and all(_recorded(trace).source == "converted" for trace in traces):
        return error.removesuffix(_RECORD_AGAIN) + _NOT_IN_THE_ARCHIVE
    return error


def _prediction(fabric: Fabric, result: dict[str, Any]) -> Prediction:
    bandwidth = fabric.link.bandwidth_bytes_per_second
    on_wire = result["link_bandwidth_seconds"]
    return Prediction(
        fabric=fabric.name,
        seconds=result["seconds"],
        compute_seconds=result["compute_seconds"],
        overhead_seconds=result["overhead_seconds"],
        latency_seconds=result["latency_seconds"],
        bandwidth_seconds=result["bandwidth_seconds"],
        wait_seconds=result["wait_seconds"],
        internode_bytes=result["internode_bytes"],
        timed_internode_bytes=result["timed_internode_bytes"],
        messages=result["messages"],
        seconds_per_latency_second=result["link_latencies"],
        seconds_per_inverse_bandwidth=on_wire * bandwidth if on_wire > 0 else 0.0,
        seconds_per_inverse_cpu_speed=result["scaled_compute_seconds"],
    )
