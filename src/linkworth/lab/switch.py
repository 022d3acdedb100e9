"""The switch in user space, for links with latency, jitter or loss on kernels without netem, and for moderated interrupts.

One process moves every frame between the nodes' TAP devices. One core moves some 200,000 frames a second, so
that 1 Gbit/s at an MTU of 1500 fills it. With `offload` the kernel passes joined segments and some 10 Gbit/s
are possible. Loss and jitter are drawn per frame, so `offload` is for links without both. If all cores are
busy, a frame waits for one, unless the kernel allows real-time scheduling (`Switch.real_time`).
"""

import contextlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from linkworth.errors import EnvironmentLacksError
from linkworth.lab.native import compiled

OWN_SECONDS = 8e-6
"""Extra time of a frame through two TAP devices and the process, compared with the kernel's pair of virtual
NICs. The process subtracts it from the requested latency. Measured by benchmarks/lab/bench_switch.py on
2026-11-22 (Linux 6.18, 2 virtual cores)."""

QUEUE_SECONDS = 0.02
"""Longest wait in a full queue. It equals tbf's `latency 20ms`, so that both drop alike."""

_SMALLEST_QUEUE = 128 * 1024


class SwitchPort(msgspec.Struct, frozen=True, kw_only=True):
    """A node's NIC at the switch, with its link."""

    name: str
    """Unique name for the counters."""
    namespace: Path | None = None
    """File of the node's network namespace, such as /proc/PID/ns/net."""
    device: str = ""
    """TAP device to create there."""
    descriptor: int | None = None
    """Descriptor that the process inherits, instead of the namespace and device."""
    segment: int = 0
    """Network of the port. Ports of other segments are never reached."""
    up_rate: float | None = None
    """Bytes per second from the node. None: no limit, for a NIC that tbf shapes in the node."""
    down_rate: float | None = None
    """Bytes per second to the node, on the wire: with preamble, check sequence and gap of Ethernet."""
    latency: float = 0.0
    """Extra seconds of a frame to the node, compared with a link without latency."""
    jitter: float = 0.0
    """Standard deviation of the latency in seconds. Frames are never reordered."""
    moderation: float = 0.0
    """Seconds between the times at which frames reach the node, as by a NIC's interrupts. 0: at any time."""
    loss: float = 0.0
    """Share of the frames to the node that are lost, 0 to 1."""
    queue_bytes: int | None = None
    """Queue size of either direction. A frame that does not fit is dropped. None: the bytes of QUEUE_SECONDS
    at the rate."""
    offload: bool = False
    """True if the kernel passes joined segments (TSO) and leaves checksums open. It must be the same in all
    of a segment."""


class SwitchCounters(msgspec.Struct, frozen=True, kw_only=True):
    """Counters of a port. Frames count as they would be on the wire."""

    up_frames: int
    up_bytes: int
    down_frames: int
    down_bytes: int
    lost: int
    """Frames lost by the link's random loss."""
    up_dropped: int
    """Frames dropped because the queue from the node was full."""
    down_dropped: int
    refused: int
    """Frames that the node's end refused because the device was down."""
    late_mean_ns: int
    """Mean delay of frames behind their due time."""
    late_most_ns: int


def program() -> Path:
    """Return the switch program, compiled if needed. Raises EnvironmentLacksError without a C compiler."""
    return compiled("switch", "lw-switch")


def describe(ports: Sequence[SwitchPort], *, counters: Path | None = None, seed: int = 1) -> list[str]:
    """Return the switch's network, for its arguments or for its standard input before a line `run`."""
    lines = [f"seed {seed}", *([f"counters {counters}"] if counters else [])]
    for port in ports:
        words = ["port", port.name]
        if port.descriptor is not None:
            words += ["fd", str(port.descriptor)]
        else:
            words += ["netns", str(port.namespace), "tap", port.device]
        words += ["segment", str(port.segment), "loss", repr(port.loss), "offload", str(int(port.offload))]
        for key, rate in (("up", port.up_rate), ("down", port.down_rate)):
            words += [key, str(round(rate or 0))]
        words += [
            "delay",
            _nanoseconds(max(port.latency - OWN_SECONDS, 0.0)),
            "jitter",
            _nanoseconds(port.jitter),
            "moderation",
            _nanoseconds(port.moderation),
        ]
        words += ["queue", str(port.queue_bytes or _queue(port))]
        lines.append(" ".join(words))
    return lines


def read_counters(path: Path) -> dict[str, SwitchCounters]:
    """Return the counters of each port from the switch's last write. Empty before the first write."""
    try:
        names, *rows = [line.split() for line in path.read_text().splitlines()]
    except (OSError, ValueError):
        return {}
    return {row[0]: SwitchCounters(**dict(zip(names[1:], map(int, row[1:]), strict=True))) for row in rows}


def _queue(port: SwitchPort) -> int:
    rate = max(port.up_rate or 0.0, port.down_rate or 0.0)
    return max(round(rate * QUEUE_SECONDS), _SMALLEST_QUEUE)


def _nanoseconds(seconds: float) -> str:
    return str(round(seconds * 1e9))


class Switch:
    """A running switch. Its devices exist from its construction until it is closed or killed."""

    def __init__(self, ports: Sequence[SwitchPort], *, counters: Path, seed: int = 1) -> None:
        """Start it. Raises EnvironmentLacksError with the reason if a device cannot be made."""
        self.counters_path = counters
        self._process = subprocess.Popen(
            [str(program())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[port.descriptor for port in ports if port.descriptor is not None],
        )
        assert self._process.stdin and self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            lines = describe(ports, counters=counters, seed=seed)
            self._process.stdin.write("\n".join([*lines, "run", ""]))
            self._process.stdin.flush()
        answer = self._process.stdout.readline().split()
        if answer[:1] != ["ready"]:
            said = self.close()
            raise EnvironmentLacksError(
                f"the switch for links with latency, jitter or loss cannot start: {said or 'it gave no reason'}"
            )
        self.real_time = answer[1:] == ["fifo"]

    @property
    def pid(self) -> int:
        """Process ID."""
        return self._process.pid

    def close(self) -> str:
        """End it, which removes its devices, and return its standard error."""
        if self._process.returncode is not None:
            return ""
        _, said = self._process.communicate()
        return str(said).strip().removeprefix("lw-switch: ")

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.close()
