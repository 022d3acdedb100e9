"""One replay: a trace, a fabric and a layout in, a prediction out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from linkworth import _engine
from linkworth.catalog.derived import within_memory
from linkworth.errors import UsageError
from linkworth.model.collectives import CollectiveRules
from linkworth.model.fabric import Fabric
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.prediction import Layout, Prediction, ReplayTimes
from linkworth.model.rates import RateSource
from linkworth.model.settings import Details, ReplayRequest, ReplaySettings
from linkworth.model.trace import MpiInfo
from linkworth.replay.collectives import rules_for
from linkworth.replay.mpi_settings import on_fabric


class Replay(NamedTuple):
    """All results of one replay."""

    prediction: Prediction
    result: _engine.ReplayResult
    collectives: CollectiveRules
    """Rules that chose the collective algorithms."""
    neighbour_seconds: list[float]
    """Seconds of the programs beside this one, in their order."""

    def longer(self, few: "Replay", times: float) -> "Replay":
        """Return the replay of a longer run of the same program: this one, and `times` what it has beyond `few`."""
        result = _engine.longer(few.result, self.result, times)
        return self._replace(
            result=result, prediction=msgspec.structs.replace(self.prediction, **_times(result))
        )


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


_RECORD_AGAIN = "; record the program again"
_ADVICE = {
    "converted": (
        "; the trace was converted, and its original lacks the rest of that call. Its calls and their times can still be "
        "seen (convert it to perfetto or parquet); a replay needs a recording by linkworth, or by a tool "
        "that writes the ends of non-blocking receives, as Score-P does"
    ),
    "scaled": (
        "; the trace was scaled, and its messages do not match on this number of ranks. Scale it from recordings of other "
        "numbers of ranks, or record this one"
    ),
}
"""Advice for a trace that no recording by linkworth made, by its source."""


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
    settings: ReplaySettings = ReplaySettings(),
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
    settings: ReplaySettings = ReplaySettings(),
    beside: Sequence[Neighbour] = (),
    details: Details = Details(),
) -> Replay:
    """Replay and return all results.

    Raises UsageError, with advice, for a trace that cannot be replayed (unknown communicators; ReplayStoppedError:
    messages missing). With `tolerate_cut` the replay stops there instead. Settings without an effect are a UsageError
    as well. Messages of programs `beside` it compete with its own, and their ranks share the memory of their nodes
    with its ranks.
    """
    recorded = _recorded(trace)
    settings = on_known_machine(settings, recorded.rates, layout)

    def request(
        program: Neighbour, info: _Recorded, factor: float, details: Details
    ) -> tuple[tuple[_engine.Trace, ReplayRequest], dict[str, str]]:
        rules = rules_for(info.mpi, settings)
        network, applied = on_fabric(rules, fabric, settings.mpi_settings)
        if recorded.rates is not None:
            network = within_memory(network, recorded.rates.memory_bytes_per_second)
        wanted = ReplayRequest(
            fabric=network,
            node_of_rank=program.layout.node_of_rank,
            settings=settings,
            cpu_factor=factor,
            tolerate_cut=program.tolerate_cut,
            collectives=rules,
            details=details,
        )
        return (program.trace, wanted), applied

    own, applied = request(Neighbour(trace, layout, tolerate_cut), recorded, cpu_factor, details)
    others = [request(other, _recorded(other.trace), 1.0, Details())[0] for other in beside]
    try:
        result, *of_others = _engine.replay_together([own, *others])
    except _engine.ReplayStoppedError as error:
        stopped = ReplayStoppedError(_advised(str(error), [trace, *(other.trace for other in beside)]))
        stopped.where = str(error).removesuffix(_RECORD_AGAIN)
        raise stopped from error
    except (_engine.ReplayError, _engine.TraceError) as error:
        traces = [trace, *(other.trace for other in beside)]
        raise UsageError(_advised(str(error), traces)) from error
    require_effect(settings, [result, *of_others])
    return Replay(
        prediction=Prediction(fabric=fabric.name, mpi_settings=applied, **_times(result)),
        result=result,
        collectives=own[1].collectives,
        neighbour_seconds=[each.seconds for each in of_others],
    )


def _times(result: _engine.ReplayResult) -> dict[str, Any]:
    return {field: getattr(result, field) for field in ReplayTimes.__struct_fields__}


def on_known_machine(settings: ReplaySettings, rates: RateSource | None, layout: Layout) -> ReplaySettings:
    """Return the settings with the cores and the memory of the machine named by `rates`, unless they have their own."""
    if rates is None:
        return settings
    if rates.cores_per_node is not None and settings.cores_per_node is None:
        settings = msgspec.structs.replace(
            settings, cores_per_node=rates.cores_per_node, thread_gain=rates.thread_gain
        )
    if settings.memory_bandwidth_bytes_per_second is None and (demand := rates.memory_demand(layout.ppn)):
        settings = msgspec.structs.replace(
            settings,
            memory_demand_bytes_per_second=demand,
            memory_bandwidth_bytes_per_second=rates.memory_bytes_per_second,
        )
    return settings


def _recorded(trace: _engine.Trace) -> _Recorded:
    try:
        return msgspec.json.decode(trace.metadata_json, type=_Recorded)
    except JSON_ERRORS:
        return _Recorded()


def _advised(error: str, traces: Sequence[_engine.Trace]) -> str:
    """Return the engine's sentence, with other advice if recording the program again does not help."""
    sources = {_recorded(trace).source for trace in traces}
    if len(sources) == 1 and error.endswith(_RECORD_AGAIN):
        return error.removesuffix(_RECORD_AGAIN) + _ADVICE.get(sources.pop(), _RECORD_AGAIN)
    return error


def require_effect(settings: ReplaySettings, results: Sequence[_engine.ReplayResult]) -> None:
    """Raise UsageError for a level of MPI_Pcontrol or a forced algorithm that no replayed program uses.

    `results` are the engine's, one for each program.
    """
    levels = {level for result in results for level in result.levels}
    for level in settings.cpu_factor_at:
        if level not in levels:
            raise UsageError(
                f"`cpu_factor_at` {level}: the program never calls MPI_Pcontrol({level}); its levels are "
                f"{', '.join(map(str, sorted(levels)))}"
            )
    applied = {name for result in results for name in result.forced_applied}
    for forced in settings.forced_collectives:
        if forced.collective not in applied:
            raise UsageError(
                f"`collective` {forced.collective}={forced.algorithm}: no {forced.collective} of the trace can run that "
                "algorithm (none has data, several ranks and a number of them that it takes); leave it out"
            )
