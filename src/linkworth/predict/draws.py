"""Times under draws of everything uncertain: parameters of networks, the model itself, and the computation.

A measured time is exact: each draw of the network on which it was measured scales the computation again, so that the
uncertainty about that network widens the prediction for the others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
import numpy as np
import numpy.typing as npt

from linkworth.catalog.derived import is_over_tcp
from linkworth.catalog.model_error import Pattern, Technology, model_errors
from linkworth.model.fabric import Fabric, Spread
from linkworth.model.settings import ReplaySettings
from linkworth.predict.calibrate import KnownTime
from linkworth.predict.drawn import ASSUMED_SPREAD, OTHER_LIBRARY_OVERHEAD, DrawnTimes
from linkworth.predict.response import Response
from linkworth.predict.threads import ReplayThreads
from linkworth.predict.warnings import other_library
from linkworth.trace.read import TraceFile

MOST_EVENTS = 20_000
"""Calls of one rank that are looked at."""
_WORLD = 0
"""Number of MPI_COMM_WORLD."""
_MOVES_DATA = {"send", "isend", "sendrecv", "isendrecv", "collective", "icollective", "rma", "irma"}
_PERSISTENT = {"send_init", "psend_init", "collective_init"}
"""Classes of calls that send data, at once and at each start of their request."""


class TracePattern(NamedTuple):
    """The pattern of a trace."""

    name: Pattern
    longest_all_to_all_bytes: float
    """Largest message between two ranks in an all-to-all."""


def pattern_of(trace: TraceFile) -> TracePattern:
    """Return the pattern, from the first calls of the rank in the middle."""
    ranks = trace.engine.ranks
    partners = {_WORLD: ranks}
    persistent: dict[int, dict[str, Any]] = {}
    sums: Counter[Pattern] = Counter()
    longest = 0.0
    for event in islice(trace.engine.iterate(ranks // 2), MOST_EVENTS):
        kind, fields, made = event["call_class"], event["fields"], event["next_request"]
        if kind in ("comm_new", "icomm_new"):
            near = len(fields["destinations"]) if fields["has_topology"] else 0
            partners[fields["new_comm"]] = near or len(fields["remote_members"] or fields["members"])
        elif kind in _PERSISTENT:
            persistent[made] = event
        started = (made - back for back in fields["references"]) if kind == "start" else ()
        calls = (
            [event] if kind in _MOVES_DATA else [persistent[each] for each in started if each in persistent]
        )
        for call in calls:
            pattern, sizes = _data(call, partners)
            sums[pattern] += sum(sizes)
            if pattern == "all-to-all":
                longest = max(longest, *sizes)
    return TracePattern(max(sums, key=lambda name: sums[name]) if sums else "exchanges", longest)


def _data(call: Mapping[str, Any], partners: Mapping[int, int]) -> tuple[Pattern, Sequence[int]]:
    """Return the pattern of a call and the bytes of its parts. `partners`: by communicator, to whom an all-to-all sends."""
    name, fields = call["name"].lower(), call["fields"]
    sizes = [fields["bytes"] * fields.get("partitions", 1)]
    if "collective" not in call["call_class"]:
        return "exchanges", [*sizes, fields["recv_bytes"]] if "rma" in call["call_class"] else sizes
    if "alltoall" in name:
        # The bytes of MPI_Alltoall are those for one rank, of MPI_Alltoallv for all.
        sizes = fields["send_counts"] or sizes * partners.get(fields["comm"], 1)
        return "exchanges" if "neighbor" in name else "all-to-all", sizes or [0]
    return "exchanges" if "neighbor" in name else "collectives", sizes


def technology_of(fabric: Fabric) -> Technology:
    """Return whether the CPU (`tcp`) or the adapter (`rdma`) carries out the transfers."""
    return "tcp" if is_over_tcp(fabric) else "rdma"


Array = npt.NDArray[np.float64]
_FEWEST_POSSIBLE = 0.1
"""Share of draws that a measured time leaves possible, below which the model and the time contradict each other."""
_NOISE_SEEDS = 10
_GRID = 400
"""Points of the curve that is inverted to find the computation behind a measured time."""


class Draws:
    """Draws for one trace. Networks of one technology share their random numbers, so that a comparison is fair.

    What the ranks of a node share is part of what is uncertain: if the layout of a measured time had fewer or more ranks on a
    node, each draw scales the computation by a power of the numbers' ratio. Without a model of the memory, that power is
    anything between 0 (each rank has what it needs) and 1 (the ranks of a node share one rate).
    """

    def __init__(self, trace: TraceFile, settings: ReplaySettings, count: int) -> None:
        self.count = count
        self.settings = settings
        self.errors = model_errors()
        self.pattern: TracePattern = pattern_of(trace)
        self.rates = trace.metadata.rates
        self.mpi = trace.metadata.mpi
        self.scaling = trace.metadata.scaling
        self.assumed: set[str] = set()

    def together(
        self, responses: Sequence[Response], scale: float, given: KnownTime | None = None
    ) -> DrawnTimes:
        """Return the times of several responses at a scale, or with the computation behind a given time in its place."""
        known = None if given is None else given.response
        chosen = np.arange(self.count)
        if given is None:
            scales = self.computation(scale)
        else:
            behind, chosen = self.behind(given.response, given.seconds)
            # The cores may be others than those that took the time.
            scales = behind * (scale / given.scale)
        with ReplayThreads() as pool:
            drawn = pool.map(
                lambda response: self.seconds(response, scales, known)[chosen].tolist(), responses
            )
            return DrawnTimes(seconds=list(drawn), assumed=sorted(self.assumed))

    def computation(self, scale: float) -> Array:
        """Return the scale of the computation in each draw if no time was measured."""
        found = np.full(self.count, scale)
        if self.rates is not None and self.rates.method == "machine":
            size, freedom = self.errors.of("computation")
            found *= np.exp(size * self._random("machine").standard_t(freedom, self.count))
        if self.scaling is not None:
            errors = self.errors.scaling
            each = errors.short_computation if self.scaling.short else errors.computation
            size = each * self.scaling.steps()
            found *= np.exp(size * self._random("scaled").standard_t(errors.programs, self.count))
        return found

    def behind(self, measured: Response, seconds: float) -> tuple[Array, npt.NDArray[np.int64]]:
        """Return the scale of the computation in each draw with which a run takes the measured time, and the draws to take.

        Those of a network that by itself takes longer than measured are left out, unless nearly all do.
        """
        network = self._network(measured)
        files = measured.file_seconds
        known = seconds / self._scaled()
        wanted = (known - self.startup(measured) - files * self._files()) / network + files
        last = max(measured.known)
        grid = np.linspace(0.0, last, _GRID)
        if (slope := measured.at(last).seconds_per_inverse_cpu_speed / last) > 0:
            # Beyond the last replay the time is a straight line.
            beyond = max(float(wanted.max()) - measured.at(last).seconds, 0.0)
            grid = np.append(grid, last + beyond / slope)
        times = np.maximum.accumulate(measured.seconds(grid))
        scales: Array = np.interp(wanted, times, grid, left=0.0) * network
        possible = np.flatnonzero(wanted >= times[0])
        chosen = np.arange(self.count)
        # A possible draw stays at its place, so that draws of other traces and times can be compared with it.
        if len(possible) >= _FEWEST_POSSIBLE * self.count:
            chosen[wanted < times[0]] = np.resize(possible, self.count - len(possible))
        return scales, chosen

    def seconds(self, response: Response, scales: Array, known: Response | None = None) -> Array:
        """Return the time on a network in each draw, with the computation of each draw in the layout of `known`."""
        if known is not None:
            scales = scales * self._crowding(response, known)
        network = self._network(response)
        spread = self._spread(response).computation
        varied = scales * _lognormal(self._random("computation"), spread, self.count)
        files = response.file_seconds
        messages = response.seconds(varied / network) - files
        found: Array = network * messages + files * self._files() + self.startup(response)
        found *= self._scaled()
        if self.settings.noise:
            scale = float(np.median(scales))
            seed = self.settings.seed
            times = [response.with_seed(scale, seed + number) for number in range(_NOISE_SEEDS)]
            found *= np.resize(np.array(times) / np.mean(times), self.count)
        return found

    def _files(self) -> Array:
        """Return the factor of the time of calls to files in each draw: no rule gives that time at another rank count."""
        if self.scaling is None:
            return np.ones(self.count)
        errors = self.errors.scaling
        size = errors.short_computation * self.scaling.steps()
        factor: Array = np.exp(size * self._random("files").standard_t(errors.programs, self.count))
        return factor

    def _crowding(self, response: Response, known: Response) -> Array:
        """Return the factor of the computation in each draw for the change of the ranks on a node."""
        here, there = (each.layout.ppn for each in (response, known))
        if here == there:
            return np.ones(self.count)
        random = self._random("layout")
        if self.settings.memory_bandwidth_bytes_per_second is None:
            power = random.random(self.count)
        else:
            size, freedom = self.errors.of("layout")
            power = np.clip(size * random.standard_t(freedom, self.count), -1, 1)
        found: Array = (here / there) ** power
        return found

    def _network(self, response: Response) -> Array:
        """Return the factor of the network's time: of its parameters by their parts of the time, and of the model."""
        technology = _kind_of(response)
        spread = self._spread(response)
        random = self._random(f"parameters of {technology}")
        latency, inverse_bandwidth, overhead = (
            _lognormal(random, share, self.count) ** sign
            for share, sign in ((spread.latency, 1), (spread.bandwidth, -1), (spread.overhead, 1))
        )
        parts = response.at(max(response.known, default=1.0))
        whole = parts.latency_seconds + parts.bandwidth_seconds + parts.overhead_seconds
        if whole <= 0:
            return np.ones(self.count)
        messages, data = self._communicated()
        factor = (
            parts.latency_seconds * latency * messages
            + parts.bandwidth_seconds * inverse_bandwidth * data
            + parts.overhead_seconds * overhead * messages
        ) / whole
        size, freedom = self.errors.of(self.pattern.name, technology)
        model = np.exp(size * self._random(f"model of {technology}").standard_t(freedom, self.count))
        result: Array = factor * model
        return result

    def _communicated(self) -> tuple[Array, Array]:
        """Return the factors of a scaled trace's messages and data in each draw: their errors at a recorded count."""
        if self.scaling is None:
            return np.ones(self.count), np.ones(self.count)
        sizes = np.log(self.scaling.communicated())
        messages, data = np.exp(sizes[:, None] * self._random("messages").uniform(-1, 1, self.count))
        # Beside collective calls that move most of the data, a few messages too many take little time.
        return messages if self.pattern.name == "exchanges" else np.ones(self.count), data

    def _scaled(self) -> Array:
        """Return the factor of a scaled trace's time in each draw, apart from its computation's.

        It has the error at a recorded count, that of messages as distributions, and parts of unknown sizes.
        """
        if self.scaling is None:
            return np.ones(self.count)
        random = self._random("scaling")
        low, high = np.log(self.scaling.span()).tolist()
        found = random.uniform(low, high, self.count)
        if self.scaling.distributions:
            errors = self.errors.scaling
            size = errors.distributions * self.scaling.steps()
            found += size * random.standard_t(errors.programs, self.count)
        factor: Array = np.exp(found)
        return factor

    def startup(self, response: Response) -> Array:
        """Return the start-up of an all-to-all in each draw, if the program has long ones."""
        starts = (
            technology_of(response.fabric) == "rdma"
            and response.layout.nodes > 1
            and response.at(max(response.known, default=1.0)).bandwidth_seconds > 0
            and self.pattern.longest_all_to_all_bytes > response.fabric.link.eager_limit_bytes
        )
        if not starts:
            return np.zeros(self.count)
        known = self.errors.startup
        ranks = Counter(response.layout.node_of_rank).values()
        connections = max(count * (sum(ranks) - count) for count in ranks)
        seconds = known.seconds * connections / known.connections
        return np.where(self._random("start-up").random(self.count) < known.share, seconds, 0.0)

    def _spread(self, response: Response) -> Spread:
        given = msgspec.structs.asdict(response.fabric.spread)
        if _kind_of(response) == "":
            given = {"computation": given["computation"]}  # the others are those of the link
        known = {name: share for name, share in given.items() if share}
        own = msgspec.structs.replace(ASSUMED_SPREAD, **known)
        if set(own.__struct_fields__) - known.keys() - self.settings.spread.keys():
            self.assumed.add(response.fabric.name)
        if other_library(response.fabric, self.mpi, self.settings):
            own = msgspec.structs.replace(own, overhead=max(own.overhead, OTHER_LIBRARY_OVERHEAD))
        return msgspec.structs.replace(own, **self.settings.spread)

    def _random(self, what: str) -> np.random.Generator:
        return np.random.default_rng([self.settings.seed, crc32(what.encode())])


def _kind_of(response: Response) -> Technology:
    """Return the kind of network that messages cross; "" inside a single node, where all networks share their draws."""
    return "" if response.layout.nodes == 1 else technology_of(response.fabric)


def _lognormal(random: np.random.Generator, relative: float, count: int) -> Array:
    """Return factors with mean 1 and a relative standard deviation."""
    sigma = float(np.sqrt(np.log1p(relative * relative)))
    return np.exp(sigma * random.standard_normal(count) - sigma * sigma / 2)
