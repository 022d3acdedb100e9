"""Recorded programs of the public API."""

import difflib
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import msgspec

from linkworth import _engine, units
from linkworth.api import html
from linkworth.api.arguments import PathText, checked, in_words, new_file
from linkworth.api.fabric import FabricLike, found_fabrics
from linkworth.api.predictions import Predictions
from linkworth.api.profile import Profile
from linkworth.api.progress import Progress, Steps
from linkworth.api.shown import shown_as
from linkworth.api.sweep import Sweep, axes_of
from linkworth.api.table import Table
from linkworth.catalog.assignment import split_words
from linkworth.errors import IncompleteError, UsageError
from linkworth.interrupts import terminate_as_interrupt
from linkworth.measure.plan import plan, workload
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.number_range import TIMEOUT_SECONDS
from linkworth.model.parameter import declared
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import TraceMetadata
from linkworth.places.job import Observer
from linkworth.predict.request import (
    measured_texts,
    measured_times,
    refuse_skeleton_options,
    time_without_layout,
)
from linkworth.predict.sweep import arrangements, sweep
from linkworth.predict.target import targets
from linkworth.predict.workers import ReplayWorkers
from linkworth.profile import build_profile
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.rates import RateRequest
from linkworth.skeleton.request import record_on_request
from linkworth.trace import record as recording
from linkworth.trace.read import Allowance, TraceFile, open_trace
from linkworth.writing.text import printable
from linkworth.writing.user_folder import expanded

_BATCH_ROWS = 1 << 18
_PARAMETERS = (
    "nodes",
    "placement",
    "placements",
    "measured",
    "cpu_factor",
    "recorded_on",
    "machine",
    "on_progress",
)
"""Parameters of `Trace.predict` and `Trace.sweep`, for which a misspelt keyword may have been meant."""
_NOTHING: Mapping[str, Sequence[float] | str] = {}


class Trace:
    """A recorded run of an MPI program: every call of every rank, and the computation between them.

    `Trace(path)` is `linkworth.open(path)`.
    """

    @checked
    def __init__(self, file: TraceFile | str | PathLike[str]) -> None:
        self._file = file if isinstance(file, TraceFile) else open_trace(Path(expanded(file)))

    @property
    def path(self) -> Path:
        """File of the trace."""
        return self._file.path

    @property
    def workload(self) -> str:
        """Name of the program."""
        return self._file.metadata.workload

    @property
    def ranks(self) -> int:
        """Number of MPI ranks."""
        return self._file.engine.ranks

    @property
    def events(self) -> int:
        """Number of recorded calls."""
        return self._file.engine.events

    @property
    def metadata(self) -> TraceMetadata:
        """Command, MPI library, hosts and times of the run (docs/reference/trace-format.md)."""
        return self._file.metadata

    @property
    def damage(self) -> list[str]:
        """Missing parts of an incomplete trace, a sentence each."""
        return self._file.damage

    @checked
    def profile(self, smaller: "Trace | None" = None) -> Profile:
        """Return where the ranks' time went: shares, calls, waits, phases, message sizes and the dependence on the network.

        `smaller` is a trace of the same program on as many ranks with a smaller problem. It makes the network dependence surer.
        """
        found = build_profile(self._file, smaller._file if smaller is not None else None)
        return shown_as(Profile, found)

    def calls(self) -> Table:
        """Return one row a call, rank after rank in order of time.

        Columns: `rank`, `thread`, `call`, `start_ns` (since the first rank's start), `duration_ns`, `gap_ns` (wall time since the
        rank's previous call), and where they apply: `cpu_ns` (CPU time in that gap, if it was read), `communicator` (its
        number), `peer` (rank in it), `tag`, `bytes` (sent, the room of a receive, what a window exposes), `recv_bytes`
        (received by a collective, a sendrecv or a one-sided call), `root`.
        """
        import numpy as np

        plain = {
            "rank": "int32",
            "thread": "int32",
            "start_ns": "int64",
            "duration_ns": "int64",
            "gap_ns": "int64",
        }
        optional = {"cpu_ns": "cpu_ns", "communicator": "comm"}
        optional |= {name: name for name in ("peer", "tag", "bytes", "recv_bytes", "root")}
        names = np.array(self._file.engine.names, object)
        parts: dict[str, list[Any]] = {
            name: [] for name in ("rank", "thread", "call", *list(plain)[2:], *optional)
        }
        for rank in range(self.ranks):
            events = _engine.EventColumns(self._file.engine, rank)
            while rows := len((batch := events.next(_BATCH_ROWS))["call"]):
                parts["rank"].append(np.full(rows, rank, "int32"))
                parts["call"].append(names[batch["call"]])
                for name in list(plain)[1:]:
                    parts[name].append(batch[name])
                for name, field in optional.items():
                    values, present = batch[field] or (np.zeros(rows, "int64"), np.zeros(rows, "uint8"))
                    parts[name].append(np.ma.MaskedArray(values, mask=present == 0))
        join = {name: np.ma.concatenate if name in optional else np.concatenate for name in parts}
        empty = {
            name: np.zeros(0, plain.get(name, "object" if name == "call" else "int64")) for name in parts
        }
        columns = {name: join[name](found) if found else empty[name] for name, found in parts.items()}
        return Table(columns, f"calls of {self.workload} on {units.plural(self.ranks, 'rank')}")

    def messages(self) -> Table:
        """Return one row a point-to-point message, in order of its sender and its time.

        Columns: `source` and `destination` (ranks of MPI_COMM_WORLD), `bytes`, `sent_ns` (start of the sending call since the
        first rank's start), and `received_ns` (end of the call that completed the receive; missing if the trace has none).
        Messages of collectives are not in it; `profile().matrix` contains them.
        In a trace without times (`metadata.timed` is false) a message may be received before it is sent.
        """
        import numpy as np

        found = _engine.message_columns(self._file.engine)
        received = found["received_ns"]
        found["received_ns"] = np.ma.MaskedArray(received, mask=received < 0)
        return Table(found, f"messages of {self.workload} on {units.plural(self.ranks, 'rank')}")

    @checked
    def predict(
        self,
        on: FabricLike | Sequence[FabricLike],
        nodes: int | None = None,
        *,
        placement: str = "block",
        measured: Mapping[str, float] | None = None,
        cpu_factor: float = 1.0,
        recorded_on: PathText | None = None,
        machine: PathText | None = None,
        on_progress: Progress | None = None,
        **settings: Any,  # noqa: ANN401 (fields of several types)
    ) -> Predictions:
        """Predict the time on networks: names of the catalog, paths of fabric files, or `Fabric` objects.

        The ranks are laid on `nodes` nodes (default: 2) by `placement`: `block`, `cyclic`, or the node of each rank, `0,0,1,1`.
        `measured` gives the program's seconds on one network, as `{"gbe": 124.5}`; the computation is scaled to fit it. Times
        in several layouts (nodes x ranks a node), as `{"gbe:16x1": 89.8, "gbe:4x4": 308.8}`, also give what the ranks of a
        node share.
        `cpu_factor` is the speed of the target's cores relative to those of the recording. `recorded_on` and `machine` give it
        by the machines of both: names of the catalog, or files of `linkworth machines measure`.
        `settings` are fields of the replay, such as `samples`, `noise` or `mpi_library` (docs/reference/replay.md).

        Raises UsageError for an unknown network or setting, and DamagedInputError for an incomplete trace.
        """
        chosen = found_fabrics(on)
        times = measured_times(measured_texts(measured or {}))
        place = Arrangement(nodes=nodes, placement=placement)
        rates = of_machines(machine, recorded_on)
        refuse_skeleton_options(str(self.path), None, rates)
        [target] = targets(self._file, [place], times, rates, _settings(settings), cpu_factor)
        found, _ = target.predict(self._file, chosen, progress=Steps(on_progress))
        return Predictions(found)

    @checked
    def sweep(
        self,
        on: FabricLike | Sequence[FabricLike],
        vary: Mapping[str, Sequence[float] | str] = _NOTHING,
        *,
        nodes: int | Sequence[int] = (),
        placements: str | Sequence[str] = "block",
        measured: Mapping[str, float] | None = None,
        cpu_factor: float = 1.0,
        on_progress: Progress | None = None,
        **settings: Any,  # noqa: ANN401 (fields of several types)
    ) -> Sweep:
        """Predict the time for every combination of networks, numbers of nodes (default: 2), placements and parameters.

        `vary` gives each parameter its values in SI units, as `{"latency": [1e-6, 2e-6]}`, or a string with units and factors, as
        `{"latency": "1us..100us:10", "bandwidth": "x0.5,x1,x2"}`. Parameters are latency, bandwidth, overhead (factors only),
        rails, cpu_factor and background_load. `cpu_factor` and `settings` are those of `predict`. So is `measured`, one
        time without a layout, which is that of the first number of nodes and placement.

        Raises UsageError for an unknown network, parameter or setting, and DamagedInputError for an incomplete trace.
        """
        varied = axes_of(vary)
        given = {**settings, "cpu_factor": None if cpu_factor == 1.0 else cpu_factor}
        for name in (axis.name.replace("-", "_") for axis in varied):
            if given.get(name) is not None:
                raise UsageError(f"`{name}`: `vary` {name} sets it; leave one of them out")
        drawn = {"spread", *(() if settings.get("noise") else ("seed",))}
        if useless := sorted(drawn & settings.keys()):
            raise UsageError(f"`{useless[0]}`: a sweep draws nothing with it; leave it out")
        found = sweep(
            self._file,
            found_fabrics(on),
            varied,
            arrangements(
                [nodes] if isinstance(nodes, int) else nodes,
                None,
                [placements] if isinstance(placements, str) else placements,
            ),
            cpu_factor=cpu_factor,
            measured=time_without_layout(measured_texts(measured or {})),
            settings=_settings(settings),
            workers=ReplayWorkers(progress=Steps(on_progress)),
        )
        return shown_as(Sweep, found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the path, so that other processes open the trace for themselves."""
        return _reopened, (self.path.absolute(), self._file.incomplete)

    def __repr__(self) -> str:
        size = f"{units.plural(self.ranks, 'rank')}, {self.events:,} calls"
        return printable(f"<linkworth.Trace of {self.workload}: {size}, {self.path}>")

    def _repr_html_(self) -> str:
        metadata = self.metadata
        rows = [
            ("program", self.workload),
            ("ranks", self.ranks),
            ("calls", self.events),
            ("recorded", metadata.created),
            ("MPI", metadata.mpi.version or metadata.mpi.library),
            ("file", str(self.path)),
        ]
        return html.table("trace", ("", ""), rows)


@checked
def open(path: str | PathLike[str], *, allow_damaged: bool = False) -> Trace:
    """Open a trace (`*.lwt`).

    `allow_damaged` also opens the readable part of an incomplete one; `Trace.damage` then says what is missing. Raises UsageError
    for anything but a trace, and DamagedInputError for an incomplete one.
    """
    return Trace(open_trace(Path(expanded(path)), Allowance() if allow_damaged else None))


def _reopened(path: Path, incomplete: bool) -> Trace:
    return open(path, allow_damaged=incomplete)


class _Watch(Observer):
    """Reports the time of a running program to a callback, and keeps its output."""

    def __init__(self, name: str, progress: Progress | None) -> None:
        self._name = name
        self._progress = progress

    def tick(self, seconds: float) -> None:
        """Report the wall time."""
        if self._progress is not None:
            self._progress(f"{self._name}: {seconds:.0f} s", None)


@checked
@terminate_as_interrupt()
def record(
    command: str | Sequence[str | PathLike[str]],
    ranks: int | None = None,
    *,
    output: str | PathLike[str] | None = None,
    replace: bool = False,
    mpi: PathText | None = None,
    timeout: float | None = None,
    on_progress: Progress | None = None,
) -> Trace:
    """Run an MPI program on this machine and record it, without recompiling or relinking it.

    `command` is the program with its arguments, or a bundled one such as `npb:ft.W`. `ranks` defaults to the cores. The trace
    is written to `output`, which must not exist unless `replace` is set. By default it is `<program>-<ranks>.lwt` in the current
    folder, with a number if that exists. `timeout` is in seconds.

    Raises UsageError if the program cannot be recorded, EnvironmentLacksError if the machine lacks something, and IncompleteError
    if the program failed, or Ctrl-C or the time limit stopped it or the merge of its ranks' parts. The message then names the
    trace, which has everything until that moment, or the folder of the parts.
    """
    if timeout is not None and timeout not in TIMEOUT_SECONDS:
        raise UsageError(f"`timeout` {units.plain(timeout)}: give {TIMEOUT_SECONDS}")
    given = workload(_words(command), ranks)
    wanted = recording.default_output(given) if output is None else new_file(output, replace=replace)
    summary = recording.record(
        plan(given, None if mpi is None else expanded(mpi)),
        output=wanted,
        timeout=timeout,
        watcher=_Watch(given.name, on_progress),
        replace=replace,
    )
    if summary.state != "complete":
        raise IncompleteError(f"{given.name}: {summary.state}; what was recorded is in {summary.path}")
    return Trace(open_trace(Path(summary.path)))


@checked
@terminate_as_interrupt()
def skeleton(
    program: str | Sequence[str],
    ranks: int,
    *,
    output: str | PathLike[str] | None = None,
    replace: bool = False,
    machine: PathText | None = None,
    on_progress: Progress | None = None,
) -> Trace:
    """Record a bundled program such as `npb:lu.D` without running it, for any number of ranks.

    Its communication is recorded as it is, and its computation is counted. The speed comes from a short run here, or from a
    `machine` of the catalog. Raises UsageError for a program or a number of ranks that does not exist.
    """
    summary = record_on_request(
        _words(program),
        ranks,
        of_machines(machine),
        None if output is None else new_file(output, replace=replace),
        replace=replace,
        progress=Steps(on_progress),
    )
    return Trace(open_trace(Path(summary.path)))


def _words(command: str | Sequence[str | PathLike[str]]) -> list[str]:
    """Return the words of a command."""
    return (
        split_words(command, "the command")
        if isinstance(command, str)
        else [fspath(word) for word in command]
    )


def of_machines(machine: PathText | None, recorded_on: PathText | None = None) -> RateRequest:
    """Return the request for the rates of machines of the catalog or of files."""
    predicted, recorded = (None if each is None else expanded(each) for each in (machine, recorded_on))
    return RateRequest(machine=predicted, recorded_on=recorded)


def _settings(given: Mapping[str, object]) -> ReplaySettings:
    known = {each.name: each for each in declared(ReplaySettings)}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, [*known, *_PARAMETERS], n=1, cutoff=0.75)
            there = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"there is no setting {name!r}; {there}")
        allowed, needed = known[name].parameter.allowed, known[name].parameter.needs
        if needed and given.get(needed) is None:
            raise UsageError(f"`{name}` needs `{needed}` as well")
        for number in value.values() if isinstance(value, dict) else [value]:
            if allowed is not None and isinstance(number, int | float) and number not in allowed:
                raise UsageError(f"`{name}` {number}: give {allowed}")
        try:
            msgspec.convert(value, known[name].type)
        except JSON_ERRORS:
            raise UsageError(f"`{name}` {value!r}: give {in_words(known[name].type)}") from None
    return msgspec.convert(given, ReplaySettings)
