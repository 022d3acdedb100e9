"""Reads the output of lw-netbench while it runs."""

import contextlib
from collections import deque
from collections.abc import Callable

import msgspec

from linkworth.bench.naming import TransportNames
from linkworth.model.bench import BenchRow
from linkworth.places.job import Observer, Stream

KEPT_LINES = 60
"""Lines of launcher and ranks, besides results, that are kept for the message of a failure."""


class StreamRow(BenchRow, frozen=True, kw_only=True, tag_field="kind", tag="row"):
    """Row of a size, with a field that only warnings need."""

    drift: float | None = None


class Start(msgspec.Struct, tag_field="kind", tag="start"):
    """Ranks that take part."""

    node_names: list[str]
    node_of_rank: list[int]
    members: list[int]
    timer_resolution_seconds: float


class Value(msgspec.Struct, tag_field="kind", tag="value"):
    """A single figure."""

    name: str
    value: float | None


class Remark(msgspec.Struct, tag_field="kind", tag="warning"):
    """A sentence for the result's warnings."""

    text: str


class Overlap(msgspec.Struct, tag_field="kind", tag="overlap"):
    """Hidden share of the communication, for the size of the rows just before."""

    share: float | None


class End(msgspec.Struct, tag_field="kind", tag="end"):
    """End of the measurement, with the traffic of all ranks."""

    payload_bytes: float
    payload_between_nodes_bytes: float


_DECODER = msgspec.json.Decoder(Start | StreamRow | Value | Remark | Overlap | End)


class ResultStream(Observer):
    """An observer of the job that keeps rows as they come, so that a stopped test has partial results."""

    def __init__(self, on_row: Callable[[BenchRow], None] | None = None) -> None:
        self.start: Start | None = None
        self.end: End | None = None
        self.rows: list[BenchRow] = []
        self.drifts: dict[int, float] = {}
        """Drifts by size, if significant; of a size with several rows the largest."""
        self.values: dict[str, float] = {}
        self.warnings: list[str] = []
        self.names = TransportNames()
        self.said: deque[str] = deque(maxlen=KEPT_LINES)
        self._on_row = on_row
        self._open: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}

    def output(self, stream: Stream, data: bytes) -> None:
        """Process the job's output, a line at a time."""
        held = self._open[stream]
        held += data
        *lines, rest = held.split(b"\n")
        self._open[stream] = bytearray(rest)
        for line in lines:
            self._take(stream, line.decode(errors="replace").rstrip("\r"))

    def _take(self, stream: Stream, line: str) -> None:
        if stream == "stdout" and line.startswith('{"kind":'):
            with contextlib.suppress(msgspec.MsgspecError):
                self._take_result(_DECODER.decode(line))
                return
        if not self.names.take(line) and line.strip():
            self.said.append(line)

    def _take_result(self, result: Start | StreamRow | Value | Remark | Overlap | End) -> None:
        match result:
            case Start():
                self.start = result
            case StreamRow():
                self._take_row(result)
            case Value(name=name, value=value):
                if value is not None:
                    self.values[name] = value
            case Remark(text=text):
                self.warnings.append(text)
            case Overlap(share=share):
                if self.rows:
                    self.rows[-1] = msgspec.structs.replace(self.rows[-1], overlap_share=share)
            case End():
                self.end = result

    def _take_row(self, row: StreamRow) -> None:
        fields = msgspec.structs.asdict(row)
        drift = fields.pop("drift")
        if drift is not None and abs(drift) > abs(self.drifts.get(row.bytes, 0.0)):
            self.drifts[row.bytes] = drift
        self.rows.append(BenchRow(**fields))
        if self._on_row:
            self._on_row(self.rows[-1])


class Both:
    """An observer that forwards to two others, the second first: it may stop following the job."""

    def __init__(self, first: Observer, second: Observer) -> None:
        self._observers = (second, first)

    def output(self, stream: Stream, data: bytes) -> None:
        """Forward the job's output."""
        for each in self._observers:
            each.output(stream, data)

    def tick(self, seconds: float) -> None:
        """Forward the time."""
        for each in self._observers:
            each.tick(seconds)
