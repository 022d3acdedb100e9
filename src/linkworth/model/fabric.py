"""A network between nodes, as the replay uses it."""

from typing import Literal

import msgspec


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """Origin of a number."""

    fields: list[str]
    """Dotted names of the fields that this source gives, such as `link.latency_seconds`."""
    source: str
    """Paper, data sheet or measurement, precise enough to be found."""
    date: str
    """ISO date of the source (year or year-month if no more is known)."""
    note: str = ""


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """Path of messages: the network between nodes, or the memory inside a node. LogGP by message size."""

    latency_seconds: float
    """One-way latency from the sender's NIC to the receiver's, through one switch, without overheads."""
    bandwidth_bytes_per_second: float
    """Bandwidth of one rail, for data and headers together. `inf` is allowed."""
    gap_seconds: float = 0.0
    """Least time between the starts of two messages at one rail (1 / message rate)."""
    send_overhead: list[tuple[int, float]] = msgspec.field(default_factory=list)
    """(bytes, seconds) points: CPU time of the sender by message size, linear between points, flat outside."""
    receive_overhead: list[tuple[int, float]] = msgspec.field(default_factory=list)
    """(bytes, seconds) points: CPU time of the receiver by message size."""
    eager_limit_bytes: int = 0
    """Largest message sent without waiting for the receiver. Larger ones use the rendezvous protocol."""
    mtu_bytes: int = 0
    """Bytes of data and transport headers in one packet. 0: packets are not modelled."""
    header_bytes: int = 0
    """Bytes on the wire of each packet that are not message data."""
    header_in_mtu_bytes: int = 0
    """Part of `header_bytes` that counts towards the MTU (IP and TCP headers)."""
    burst_bytes: int = 0
    """Bytes that an idle link passes before the bandwidth limit applies: the token bucket of a shaped NIC."""


class SwitchLevel(msgspec.Struct, frozen=True, kw_only=True):
    """One level of switches, described by their uplinks."""

    nodes_per_group: int
    """Nodes below one switch (or pod) of this level. Consecutive nodes share one."""
    uplinks: int
    """Links from such a switch to the next level, in each direction."""
    bandwidth_bytes_per_second: float
    """Bandwidth of one of these links in one direction."""


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """The switches between nodes. Without levels, all nodes are on one switch of full bisection."""

    levels: list[SwitchLevel] = msgspec.field(default_factory=list)
    """Levels from the nodes upwards. The uplinks of the last level meet in one switch."""
    hop_latency_seconds: float = 0.0
    """Latency that each link between two switches adds."""
    routing: Literal["static", "packet"] = "static"
    """`static`: each pair of nodes keeps one uplink. `packet`: packets use all uplinks in turn."""


TIMEOUT_SHARE = 0.008
"""Measured with `linkworth bench incast`: 2 to 12 senders of 16 KiB to 1 MiB, Open MPI 4.1.4, ports of 32 to
512 KiB at 1 Gbit/s. The emulated cluster (`linkworth lab`, cubic of Linux 6.18) was used on 2026-11-22
(benchmarks/lab/bench_incast.py). At 100 Mbit/s it is 0.001: the longer round trips give the kernel's other
timers time to detect a loss."""


class Tcp(msgspec.Struct, frozen=True, kw_only=True):
    """Behaviour of TCP under bursts."""

    restart_after_seconds: float = float("inf")
    """Idle time after which a connection restarts with the initial window (RFC 5681, 4.1). `inf`: never."""
    initial_window_bytes: int = 14600
    """Ten segments of 1460 bytes (RFC 6928)."""
    port_buffer_bytes: float = float("inf")
    """Bytes that the switch buffers for one node's link before it drops packets. `inf`: it never drops."""
    retransmission_timeout_seconds: float = 0.2
    """Wait of a connection that detects its losses only by the timer: Linux's TCP_RTO_MIN (`rto_min` in
    ip-route(8))."""
    timeout_share: float = TIMEOUT_SHARE
    """Probability that a connection waits for that timeout, for each refill of the buffer. It applies to a
    connection that loses packets at a full port with few segments in flight. Fitted by `linkworth calibrate`."""
    burst_seconds: float = float("inf")
    """Seconds of its share of the link that a connection hands its NIC at once (Linux, tcp_tso_autosize). It
    is at least two segments and at most `chunk_bytes`. The link has as many shares as the node has ranks.
    `inf`: always `chunk_bytes`."""
    send_buffer_bytes: int = 0
    """Bytes of a connection's data that the kernel buffers. The sender of a message above the eager limit
    continues when no more than this is left. 0: it waits until all data have left."""
    one_stream: bool = False
    """True: all data from one rank to another form one stream of bytes (RFC 9293). A request to send and its
    answer queue behind earlier data. False: they pass it, as if the MPI had a separate path."""


COMBINE_BYTES_PER_SECOND = 8e9
"""MPI_Reduce_local of MPI_SUM on doubles, 1 to 16 MiB, MPICH 4.0.2 on one core of an Intel Xeon, measured
2026-11-22. The range is 7.2 to 8.1 GB/s of received data (Open MPI 4.1.4, which sums with AVX: 12 to 20
GB/s)."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Uncertainty of the parameters: relative standard deviations (0.1: 10 %). 0 if nothing is known."""

    latency: float = 0.0
    bandwidth: float = 0.0
    overhead: float = 0.0
    computation: float = 0.0
    """Deviation of the program's computation from run to run."""


WORST_MISS = 0.5
"""A calibration with a larger `worst_miss` does not describe its results. Each use of it warns."""


class Fabric(msgspec.Struct, frozen=True, kw_only=True):
    """A network between nodes, and the memory path inside a node of the same MPI transport."""

    name: str
    title: str
    link: Path
    """Path between nodes. Its bandwidth is that of one rail in one direction."""
    intranode: Path
    """Path between two ranks of a node. Its bandwidth is that of one pair."""
    rails: int = 1
    """NICs of a node that carry messages together."""
    rail_efficiency: float = 1.0
    """Share of the added rails' bandwidth that striping delivers, 0 to 1: K rails give 1 + (K - 1) x this."""
    stripe_min_bytes: int = 65536
    """Messages at least this long are striped over all rails. A shorter one uses one rail."""
    stripe_rest_bytes: int = 0
    """`stripe` deals 1/K of a message to one rail after the other. Once the rest is at most this long, it
    goes over one rail as a whole. 0: every rail has an equal share."""
    stripe_step: int = 0
    """`stripe`: each message advances its connection (sending and receiving rank) by this many rails. A
    message that is not striped uses the connection's current rail. 0: it uses the rail that is free first."""
    aggregation: Literal["stripe", "packet", "connection", "message"] = "stripe"
    """Distribution of the messages over rails. `stripe`: long messages on all rails in fragments. `packet`:
    all messages packet by packet over all rails. `connection`: each pair of ranks on one rail, by a hash.
    `message`: each message on the rail that is free first."""
    chunk_bytes: int = 65536
    """Bytes that a NIC sends of one connection before it serves the next."""
    progress: Literal["asynchronous", "calls"] = "asynchronous"
    """Handler of requests to send. `asynchronous`: a NIC or a thread, at any time. `calls`: the rank itself,
    while it waits inside its MPI calls."""
    unexpected_copy_bytes_per_second: float = float("inf")
    """Copy rate of a message that arrived before its receive was posted."""
    intranode_total_bytes_per_second: float = float("inf")
    """Upper limit of all messages inside one node together."""
    combine_bytes_per_second: float = COMBINE_BYTES_PER_SECOND
    """Rate at which one core's reduction combines received data with its own."""
    topology: Topology = Topology()
    tcp: Tcp = Tcp()
    spread: Spread = Spread()
    worst_miss: float = 0.0
    """Largest relative error of the calibration's results when replayed. 0: not calibrated."""
    sources: list[SourceNote] = msgspec.field(default_factory=list)
    origin: str = "catalog"
    """`catalog`, or the path of the file that it comes from."""
