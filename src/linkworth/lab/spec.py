"""Specification of an emulated cluster: nodes, NICs, links, from options or a preset's name."""

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Literal, get_args

import msgspec

from linkworth import units
from linkworth.errors import UsageError

Aggregate = Literal["stripe", "mptcp", "roundrobin", "bond"]
BondMode = Literal["balance-rr", "balance-xor", "802.3ad"]
IsolationKind = Literal["namespace", "nspawn", "lxc"]

NODES_MAX = 250
NICS_MAX = 16
DEFAULT_NODES = 4
DEFAULT_MTU = 1500
LOSS_MOST = 0.5
BUFFER_LEAST, BUFFER_MOST = 10_000, 1 << 30
"""Bytes: from several packets to more than any switch has."""


class LabSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Specification of an emulated cluster."""

    nodes: int = DEFAULT_NODES
    nics: int = 1
    """Data NICs of a node (`d0`, `d1`, ...), each with its own network."""
    rate: float | None = None
    """Bits per second of each NIC, in each direction. None: as fast as the machine passes packets."""
    mtu: int | None = None
    """Bytes of an IP packet. None: 1500, and the kernel joins and splits packets like NICs with offloads."""
    latency: float | None = None
    """Seconds that a link adds one way. None: only the machine's own time."""
    jitter: float = 0.0
    """Standard deviation of the added latency in seconds."""
    moderation: float = 0.0
    """Seconds between the interrupts of a NIC, at which it hands over what has come. 0: each packet at once."""
    loss: float = 0.0
    """Share of the packets that a link loses, 0 to 1."""
    buffer: int | None = None
    """Bytes that the switch buffers for each node's link before it drops packets. None: more than any program
    here fills."""
    aggregate: Aggregate = "stripe"
    """Use of several NICs as one. `stripe`: the MPI library receives all of them."""
    bond_mode: BondMode = "balance-rr"
    """Mode, used for `bond` only."""
    isolation: IsolationKind = "namespace"
    dilate: float = 1.0
    """Factor by which the links are slower, to match the ranks' computation on shared cores."""

    def __post_init__(self) -> None:
        """Raise UsageError for a specification that no lab can meet."""
        limits: list[tuple[str, float, float, float]] = [
            ("nodes", self.nodes, 1, NODES_MAX),
            ("nics", self.nics, 1, NICS_MAX),
            ("mtu", self.mtu if self.mtu is not None else DEFAULT_MTU, 576, 65535),
            ("rate", self.rate if self.rate is not None else 1e9, 1e5, 1e12),
            ("latency", self.latency or 0.0, 0.0, 10.0),
            ("jitter", self.jitter, 0.0, 10.0),
            ("moderation", self.moderation, 0.0, 1.0),
            ("loss", self.loss, 0.0, LOSS_MOST),
            ("buffer", self.buffer if self.buffer is not None else BUFFER_LEAST, BUFFER_LEAST, BUFFER_MOST),
            ("dilate", self.dilate, 1.0, 1e4),
        ]
        for name, value, low, high in limits:
            if not low <= value <= high:
                raise UsageError(
                    f"`{name}` {units.plain(value)} is out of range; give {units.plain(low)} to {units.plain(high)}"
                )
        if self.jitter and not self.latency:
            raise UsageError("`jitter` varies the latency of a link; give `latency` too")
        if self.buffer is not None and self.rate is None:
            raise UsageError("`buffer` limits the queue of a link with a rate; give `rate` too")
        if self.dilate != 1 and self.rate is None and not self.latency:
            raise UsageError(
                "`dilate` lowers the rate and lengthens the latency; give `rate` or `latency` too"
            )

    @property
    def link_rate(self) -> float | None:
        """Shaped bits per second of a NIC: the requested rate, dilated."""
        return None if self.rate is None else self.rate / self.dilate

    @property
    def link_latency(self) -> float | None:
        """Seconds that a link adds: the requested latency, dilated."""
        return None if self.latency is None else self.latency * self.dilate

    @property
    def packet_bytes(self) -> int:
        """MTU of the data NICs."""
        return DEFAULT_MTU if self.mtu is None else self.mtu

    @property
    def joins_packets(self) -> bool:
        """True if the kernel may join packets of a stream. A link loses and delays packets one by one, and a
        switch counts its buffer by them."""
        return self.mtu is None and self.buffer is None and not self.loss and not self.jitter

    @property
    def node_names(self) -> list[str]:
        """`node1`, `node2`, ..."""
        return [f"node{number}" for number in range(1, self.nodes + 1)]

    @property
    def nic_names(self) -> list[str]:
        """`d0`, `d1`, ..."""
        return [f"d{number}" for number in range(self.nics)]


PRESETS: dict[str, tuple[str, float | None]] = {
    "unshaped": ("links as fast as the machine passes packets on", None),
    "10mbit": ("10 Mbit/s Ethernet", 10e6),
    "100mbit": ("Fast Ethernet", 100e6),
    "gbe": ("Gigabit Ethernet", 1e9),
    "2.5gbe": ("2.5 Gbit/s Ethernet", 2.5e9),
    "10gbe": ("10 Gbit/s Ethernet", 10e9),
}
"""Presets by name, in bits per second. `NAMExK` gives a node K of its NICs."""

_WITH_NICS = re.compile(r"(?P<name>.+)x(?P<nics>[0-9]{1,3})")
_RATE_UNITS = {
    "bit": 0,
    "kbit": 3,
    "mbit": 6,
    "gbit": 9,
    "tbit": 12,
    "bps": 0,
    "kbps": 3,
    "mbps": 6,
    "gbps": 9,
}
_TIME_UNITS = {"ns": -9, "us": -6, "µs": -6, "ms": -3, "s": 0}
"""Powers of ten of the units."""
_NUMBER_AND_UNIT = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>[a-zµ/%]*)\s*", re.IGNORECASE)


def preset(name: str) -> LabSpec | None:
    """Return the lab of a preset's name (`gbe`, `gbex4`), or None for any other name."""
    match = _WITH_NICS.fullmatch(name)
    base, nics = (match["name"], int(match["nics"])) if match else (name, 1)
    if base not in PRESETS:
        return None
    return LabSpec(nics=nics, rate=PRESETS[base][1])


def preset_or_error(name: str, labs: list[str]) -> LabSpec:
    """Return the preset of that name. Raises UsageError that names the running labs and the presets."""
    found = preset(name)
    if found is not None:
        return found
    near = difflib.get_close_matches(name, [*labs, *PRESETS], n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    up = f"labs that are up: {', '.join(labs)}" if labs else "no lab is up"
    raise UsageError(
        f"there is no lab {name}{meant}; {up}; presets: {', '.join(PRESETS)}, and NAMExK for K NICs a node (gbex4)"
    )


def with_options(base: LabSpec, options: Mapping[str, str]) -> LabSpec:
    """Return `base` changed by options as a user types them: `{"rate": "1gbit", "nics": "2"}`.

    `dilate` is a factor here. Raises UsageError.
    """
    unknown = [name for name in options if name not in _READERS]
    if unknown:
        raise UsageError(f"a lab has no option {unknown[0]}; it has {', '.join(_READERS)}")
    return msgspec.structs.replace(base, **{name: _READERS[name](text) for name, text in options.items()})


def _whole(option: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,100}", text):
            raise UsageError(f"`{option}` {text}: a whole number is needed")
        return int(text)

    return read


def _one_of(option: str, kind: object) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in get_args(kind):
            raise UsageError(f"`{option}` {text}: it is one of {', '.join(get_args(kind))}")
        return text

    return read


def parse_factor(text: str) -> float:
    """Return a factor from `4` or `3.5`. Raises UsageError."""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None or match["unit"]:
        raise UsageError(f"`dilate` {text}: a factor such as 4, or 8ranks for the slowdown of 8 ranks here")
    return float(match["number"])


def parse_rate(text: str, option: str = "`rate`") -> float:
    """Return bits per second from `1gbit`, `100 Mbit/s`. Raises UsageError."""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    unit = match["unit"].lower().removesuffix("/s") if match else ""
    if match is None or unit not in _RATE_UNITS:
        raise UsageError(f"{option} {text}: a rate is a number and kbit, mbit or gbit, such as 1gbit")
    return float(f"{match['number']}e{_RATE_UNITS[unit]}")


def parse_time(text: str, option: str = "`latency`") -> float:
    """Return seconds from `30us`, `0.5 ms`. Raises UsageError."""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None or match["unit"].lower() not in _TIME_UNITS:
        raise UsageError(f"{option} {text}: a time is a number and ns, us, ms or s, such as 30us")
    return float(f"{match['number']}e{_TIME_UNITS[match['unit'].lower()]}")


def parse_share(text: str, option: str = "`loss`") -> float:
    """Return a share, 0 to 1, from `0.1%` or `0.001`. Raises UsageError."""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None or match["unit"] not in ("", "%"):
        raise UsageError(f"{option} {text}: a share is a number such as 0.001 or 0.1%")
    share = float(match["number"]) / (100 if match["unit"] else 1)
    if share > LOSS_MOST:
        raise UsageError(
            f"{option} {text}: a link loses at most {units.percent(LOSS_MOST)} of its packets; give less"
        )
    return share


_READERS: dict[str, Callable[[str], object]] = {
    "nodes": _whole("nodes"),
    "nics": _whole("nics"),
    "rate": parse_rate,
    "mtu": _whole("mtu"),
    "latency": parse_time,
    "jitter": lambda text: parse_time(text, "`jitter`"),
    "moderation": lambda text: parse_time(text, "`moderation`"),
    "loss": parse_share,
    "aggregate": _one_of("aggregate", Aggregate),
    "bond_mode": _one_of("bond-mode", BondMode),
    "isolation": _one_of("isolation", IsolationKind),
    "buffer": lambda text: units.parse_size(text, "`buffer`"),
    "dilate": parse_factor,
}
