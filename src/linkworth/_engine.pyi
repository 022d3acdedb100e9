"""Type stubs of the native engine, the only interface between Python and C++."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from linkworth.errors import DamagedInputError
from linkworth.model.settings import ReplayRequest

class TraceError(ValueError): ...
class TraceWriteError(TraceError): ...
class TraceDamagedError(DamagedInputError): ...
class ReplayError(ValueError): ...
class ReplayStoppedError(ReplayError): ...
class SkeletonError(ValueError): ...
class BenchError(ValueError): ...
class ConvertError(ValueError): ...

def merge_parts(
    parts: Sequence[str],
    output: str,
    make_metadata: Callable[[list[dict[str, Any]], list[str]], str],
    compress: bool = True,
    step_ns: int = 0,
) -> dict[str, Any]: ...
def part_info(path: str) -> dict[str, Any]: ...
def crc32c(data: bytes) -> int: ...

class Trace:
    def __init__(self, path: str, refuse_damage: bool = False) -> None: ...
    ranks: int
    events: int
    file_bytes: int
    raw_bytes: int
    metadata_json: str
    names: list[str]
    entries: list[str]
    damage: list[tuple[int, int, str]]
    rank_events: list[int]
    lost_events: list[int]
    has_index: bool
    def check(self) -> tuple[int, float, list[tuple[int, int, str]]]: ...
    def beginning(self, events: int) -> Trace: ...
    def iterate(self, rank: int) -> EventIterator: ...

class EventIterator:
    def __iter__(self) -> EventIterator: ...
    def __next__(self) -> dict[str, Any]: ...

class TraceWriter:
    def __init__(self, path: str, ranks: int, metadata_json: str) -> None: ...
    def event(
        self,
        rank: int,
        name: str,
        call_class: str,
        fields: dict[str, Any] = ...,
        gap_seconds: float = 0.0,
        cpu_seconds: float = -1.0,
        duration_seconds: float = 0.0,
    ) -> None: ...
    def close(self) -> None: ...

def makes_request(call_class: str) -> bool:
    """Return whether a call of this class makes a request."""

def fold_sequence(symbols: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Return the items of a folded sequence, and the bodies of its loops. Negative items are loops: -1 - (number)."""

def parse_sequence(
    top: Sequence[int], loops: Sequence[Sequence[int]], optional: Sequence[bool], symbols: Sequence[int]
) -> list[Any] | int:
    """Return by item a position, or a list of iterations; or the first position that the loops do not describe.

    Iterations without loops in them, if there are any, are their first position, their number, and the length of each.
    `optional`: by loop, whether it may run zero times.
    """

def read_rank(trace: Trace, rank: int) -> dict[str, Any]:
    """Return a rank's different `calls` (index of the entry, class, fields), and arrays of its events.

    `threaded`: its events up to the last of another thread, if several threads call MPI at once, or 0.
    """

def write_rank(
    writer: TraceWriter,
    rank: int,
    calls: Sequence[tuple[str, str, dict[str, Any]]],
    call: npt.NDArray[np.uint32],
    gap_seconds: npt.NDArray[np.float64],
    cpu_seconds: npt.NDArray[np.float64],
    duration_seconds: npt.NDArray[np.float64],
) -> None:
    """Write all events of a rank, and end it."""

def profile_trace(
    trace: Trace,
    matrix_rows: int = 256,
    nodes: Sequence[int] = (),
    phases: bool = False,
    library: str = "mpich",
) -> dict[str, Any]: ...
def activities(trace: Trace) -> ActivityMap: ...
def node_groups(trace: Trace) -> list[dict[str, Any]]: ...
def collective_algorithms() -> dict[str, list[str]]: ...
def collective_choice(
    library: str,
    collective: str,
    node_of_rank: Sequence[int],
    bytes: int,
    element: int = 1,
    nonblocking: bool = False,
) -> str: ...
def collective_messages(
    library: str,
    forced: Sequence[tuple[str, str, int]],
    collective: str,
    node_of_rank: Sequence[int],
    bytes: int,
    element: int = 1,
    nonblocking: bool = False,
) -> list[tuple[int, int, int]]: ...

class CoreLoads:
    """Busy seconds of each rank's computation in each stretch of time, up to the last rank with any."""

    width_seconds: float
    busy: list[list[float]]

class LinkLoad:
    """Busy seconds of one direction of a link in each stretch of time."""

    kind: str
    """`nic_out`, `nic_in`, `switch_up`, `switch_down`."""
    level: int
    place: int
    """Node of a NIC, group of a switch."""
    number: int
    """Rail of a NIC, link of a switch."""
    busy_seconds: float
    width_seconds: float
    busy: list[float]

class ActivityMap:
    """Time of groups of neighbouring ranks by activity (native/replay/activity_map.hpp)."""

    ranks_per_row: int
    width_seconds: float
    seconds: list[list[list[float]]]
    """[row][activity][stretch of time]."""

class Recording:
    calls: list[tuple[int, int, int, float, float]]
    """(rank, thread, index of the name, start, end)."""
    messages: list[tuple[int, int, int, float, float]]
    """(source, destination, bytes, sent, received)."""
    loads: list[LinkLoad]
    computation: CoreLoads
    activities: ActivityMap
    cut: bool
    """There were more calls or messages."""

class ReplayResult:
    seconds: float
    compute_seconds: float
    overhead_seconds: float
    latency_seconds: float
    bandwidth_seconds: float
    wait_seconds: float
    internode_bytes: int
    timed_internode_bytes: int
    messages: int
    seconds_per_latency_second: float
    seconds_per_inverse_bandwidth: float
    seconds_per_inverse_cpu_speed: float
    marked_region: bool
    """The program marks its timed part by MPI_Pcontrol. The times are those of that part."""
    events: int
    threaded_ranks: int
    """Ranks whose threads call MPI at once."""
    rank_compute_seconds: list[float]
    """Scaled computation of each rank in the same part of the run."""
    run_seconds: float
    run_rank_compute_seconds: list[float]
    """Scaled computation of each rank in the whole run, like the previous field."""
    descheduled_seconds: float
    """Recorded time between calls in which ranks had no core: of the same part, summed over ranks."""
    level_compute_seconds: dict[int, float]
    """Scaled computation of the marked part by level of MPI_Pcontrol, summed over ranks."""
    unmodelled: dict[str, int]
    """Calls that took their recorded time, since the replay does not model them."""
    input_output_seconds: dict[str, float]
    """Recorded time of calls to files, by call and summed over ranks. It counts as computation, but is not scaled."""
    mark_seconds: list[list[float]]
    """Times of each rank's calls of MPI_Pcontrol, on request."""
    levels: set[int]
    forced_applied: list[str]
    """Collectives that ran a forced algorithm."""
    stopped: list[str]
    """Ends of the replay of a cut trace, one sentence for each rank."""
    recording: Recording | None

def request_fields() -> list[str]:
    """Return the dotted names of the fields that the engine reads of a ReplayRequest."""

def replay_together(programs: Sequence[tuple[Trace, ReplayRequest]]) -> list[ReplayResult]: ...
def longer(few: ReplayResult, more: ReplayResult, times: float) -> ReplayResult:
    """Return the result of a longer run: `more`, and `times` what it has beyond `few`."""

def interrupt_replays() -> None:
    """End all replays that run now, in any thread, with a ReplayError. Those that begin later run."""

def skeleton_programs() -> dict[str, list[str]]:
    """Return each program's phases."""

def check_skeleton(program: str, arguments: Sequence[str], ranks: int) -> None: ...
def record_skeleton(
    program: str,
    arguments: Sequence[str],
    ranks: int,
    seconds_per_operation: Sequence[float],
    path: str,
    metadata_json: str,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    iterations: int | None = None,
) -> dict[str, int]: ...
def skeleton_work(
    program: str, arguments: Sequence[str], ranks: int, rank: int, cache_bytes: float = 0.0
) -> list[float]: ...
def bench_members(among: str, team: str, node_of_rank: Sequence[int]) -> list[int]:
    """Return the ranks that take part in a test of lw-netbench (team: `pair`, `two sides`, `any`). Raises BenchError."""

def beff_patterns(ranks: int, random: bool, seed: int) -> list[list[tuple[int, int]]]:
    """Return the left and right neighbour of each rank in each of b_eff's patterns."""

def beff_lengths(longest: int) -> list[int]: ...
def beff_longest(memory_of_a_rank: float) -> int: ...
def beff_loops(exchange_seconds_before: float, growth: float) -> int: ...
def beff_warms_up(length: int, lengths: int) -> bool: ...
def hpcc_sizes() -> list[tuple[int, int, int]]:
    """Return HPC Challenge's two message sizes in bytes, each with round trips of a ping-pong and exchanges of a ring."""

def hpcc_rings(ranks: int, size: int, seed: int) -> list[list[tuple[int, int]]]:
    """Return the left and right neighbour of each rank in the natural and the random rings; `size`: number in `hpcc_sizes`."""

def hpcc_pair_stride(ranks: int, size: int, message_seconds: float) -> int: ...
def logarithmic_average(values: Sequence[float]) -> float: ...
def pattern_average(patterns: Sequence[Sequence[float]]) -> float: ...
def effective_bandwidth(rings: Sequence[Sequence[float]], random: Sequence[Sequence[float]]) -> float: ...

MOST_BEFF_LOOPS: int

def write_ti(
    trace: Trace,
    folder: str,
    flops_per_second: float,
    whole: bool,
    collectives_as_messages: bool,
    library: str,
) -> dict[str, Any]: ...
def write_paje(trace: Trace, path: str, hosts: Sequence[str]) -> dict[str, Any]: ...
def write_perfetto(trace: Trace, path: str, hosts: Sequence[str]) -> dict[str, Any]: ...
def read_ti(
    paths: Sequence[str], flops_per_second: float, output: str, metadata_json: str
) -> dict[str, Any]: ...
def class_names() -> list[str]:
    """Return the call classes by number."""

def call_fields() -> list[str]:
    """Return the names of a call's fields other than its times: columns of `EventColumns`."""

def message_columns(trace: Trace) -> dict[str, Any]: ...

class EventColumns:
    def __init__(self, trace: Trace, rank: int) -> None: ...
    def next(self, most_rows: int, enough_values: int = ...) -> dict[str, Any]: ...

def write_otf2(
    trace: Trace,
    library: str,
    folder: str,
    name: str,
    creator: str,
    description: str,
    program: str,
    hosts: Sequence[str],
    date_ns: int,
    attributes: bool,
) -> dict[str, Any]: ...

class Otf2Archive:
    def __init__(self, library: str, anchor: str) -> None: ...
    creator: str
    hosts: list[str]
    seconds: float
    metadata_json: str | None
    def write_trace(self, path: str, metadata_json: str) -> dict[str, Any]: ...
