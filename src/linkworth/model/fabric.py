"""A network between nodes, as the replay uses it."""

from typing import Literal

import msgspec


class SourceNote(msgspec.Struct, frozen=True, kw_only=True):
    """Where a number comes from."""

    fields: list[str]
    """Dotted names of the fields that this source gives, `link.latency_seconds` for instance."""
    source: str
    """Paper, data sheet or measurement, precise enough to be found."""
    date: str
    """ISO date of the source (year or year-month where no more is known)."""
    note: str = ""


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """One way for messages: the network between nodes, or the memory inside a node. LogGP by message size."""

    latency_seconds: float
    """One way, from the sender's NIC to the receiver's, with one switch; without any overhead."""
    bandwidth_bytes_per_second: float
    """Of one rail, data and headers together. `inf` is allowed."""
    gap_seconds: float = 0.0
    """Least time between the starts of two messages at one rail (1 / message rate)."""
    send_overhead: list[tuple[int, float]] = msgspec.field(default_factory=list)
    """(bytes, seconds) points: CPU time of the sender by message size, linear between points, flat outside."""
    receive_overhead: list[tuple[int, float]] = msgspec.field(default_factory=list)
    """(bytes, seconds) points: CPU time of the receiver by message size."""
    eager_limit_bytes: int = 0
    """Largest message sent without waiting for the receiver; larger ones use the rendezvous protocol."""
    mtu_bytes: int = 0
    """Bytes of data and transport headers in one packet; 0: packets are not modelled."""
    header_bytes: int = 0
    """Bytes on the wire of each packet that are not message data."""
    header_in_mtu_bytes: int = 0
    """Those of `header_bytes` that the MTU counts (IP and TCP headers)."""
    burst_bytes: int = 0
    """What an idle link lets through at once before its bandwidth holds: the token bucket of a shaped NIC."""


class SwitchLevel(msgspec.Struct, frozen=True, kw_only=True):
    """Switches of one level, by the links that leave them upwards."""

    nodes_per_group: int
    """Nodes below one switch (or pod) of this level; consecutive nodes share one."""
    uplinks: int
    """Links from such a switch to the next level, in each direction."""
    bandwidth_bytes_per_second: float
    """Of one of these links in one direction."""


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """The switches between nodes. Without levels all nodes are on one switch of full bisection."""

    levels: list[SwitchLevel] = msgspec.field(default_factory=list)
    """From the nodes upwards; the uplinks of the last level meet in one switch."""
    hop_latency_seconds: float = 0.0
    """Latency that each link between two switches adds."""
    routing: Literal["static", "packet"] = "static"
    """`static`: a pair of nodes keeps one uplink; `packet`: packets take all uplinks in turn."""


TIMEOUT_SHARE = 0.008
"""`linkworth bench incast` of 2 to 12 senders of 16 KiB to 1 MiB with Open MPI 4.1.4 through ports of 32 to 512 KiB at
1 Gbit/s in the emulated cluster (`linkworth lab`, cubic of Linux 6.18), measured 2026-11-22 (benchmarks/lab/bench_incast.py);
0.001 at 100 Mbit/s, whose longer round trips leave the kernel's other timers time to find a loss."""


class Tcp(msgspec.Struct, frozen=True, kw_only=True):
    """What TCP adds to a link under bursts."""

    restart_after_seconds: float = float("inf")
    """A connection silent for so long begins anew with the initial window (RFC 5681, 4.1); `inf`: never."""
    initial_window_bytes: int = 14600
    """Ten segments of 1460 bytes (RFC 6928)."""
    port_buffer_bytes: float = float("inf")
    """What the switch holds for one node's link before it drops packets; `inf`: it never drops."""
    retransmission_timeout_seconds: float = 0.2
    """What a connection waits for whose losses nothing but its timer tells: Linux's TCP_RTO_MIN (`rto_min` in ip-route(8))."""
    timeout_share: float = TIMEOUT_SHARE
    """How often a connection that loses at a full port with few segments under way has to wait for that, each time that the
    buffer is filled again. `linkworth calibrate` fits it."""
    burst_seconds: float = float("inf")
    """A connection hands its NIC so much of its share of the link at once (Linux, tcp_tso_autosize), at least two segments and at
    most `chunk_bytes`; its share is one of as many as the node has ranks. `inf`: always `chunk_bytes`."""
    send_buffer_bytes: int = 0
    """What the kernel holds of a connection's data. The sender of a message above the eager limit goes on when all but so much of
    it has left. 0: it waits until all has left."""
    one_stream: bool = False
    """All that one rank sends another is one stream of bytes (RFC 9293): a request to send and its answer stand behind the data
    before them. False: they pass it, as on a network whose MPI keeps a way for them."""


COMBINE_BYTES_PER_SECOND = 8e9
"""MPI_Reduce_local of MPI_SUM on doubles, 1 to 16 MiB, MPICH 4.0.2 on one core of an Intel Xeon, measured 2026-11-22: 7.2 to
8.1 GB/s of received data (Open MPI 4.1.4, whose sums use AVX: 12 to 20 GB/s)."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How far the parameters may be off: relative standard deviations (0.1: 10 %); 0 where nothing is known."""

    latency: float = 0.0
    bandwidth: float = 0.0
    overhead: float = 0.0
    computation: float = 0.0
    """Of the program's computation from run to run."""


WORST_MISS = 0.5
"""A calibration with a larger `worst_miss` does not describe its results: each use of the fabric warns of it."""


class Fabric(msgspec.Struct, frozen=True, kw_only=True):
    """A network between nodes, and the memory path inside a node that goes with its MPI transport."""

    name: str
    title: str
    link: Path
    """Between nodes. Its bandwidth is that of one rail in one direction."""
    intranode: Path
    """Between two ranks of a node; its bandwidth is that of one pair."""
    rails: int = 1
    """NICs of a node that carry messages together."""
    rail_efficiency: float = 1.0
    """Share of the added rails' bandwidth that striping delivers, 0 to 1: K rails give 1 + (K - 1) x this."""
    stripe_min_bytes: int = 65536
    """Messages at least this long are striped over all rails; a shorter one takes one rail."""
    stripe_rest_bytes: int = 0
    """`stripe` deals 1/K of a message to one rail after the other; what is left goes whole over one rail as soon as it is at most
    this long. 0: every rail has an equal share."""
    stripe_step: int = 0
    """`stripe`: each message moves its connection (sending and receiving rank) so many rails on, and one that is not striped goes
    over the rail where its connection stands then. 0: over the rail that is free first."""
    aggregation: Literal["stripe", "packet", "connection", "message"] = "stripe"
    """What the rails carry. `stripe`: long messages on all rails in fragments. `packet`: all messages packet by packet over all
    rails. `connection`: each pair of ranks on one rail, by a hash. `message`: each message on the rail that is free first."""
    chunk_bytes: int = 65536
    """A NIC sends this much of one connection before the next has its turn."""
    progress: Literal["asynchronous", "calls"] = "asynchronous"
    """Who answers requests to send: a NIC or a thread at any time, or the rank itself while it waits inside its MPI `calls`."""
    unexpected_copy_bytes_per_second: float = float("inf")
    """Rate at which a message that came before its receive was posted is copied to it."""
    intranode_total_bytes_per_second: float = float("inf")
    """Ceiling of all messages inside one node together."""
    combine_bytes_per_second: float = COMBINE_BYTES_PER_SECOND
    """Received data that one core's reduction combines with its own."""
    topology: Topology = Topology()
    tcp: Tcp = Tcp()
    spread: Spread = Spread()
    worst_miss: float = 0.0
    """Largest relative error of the replay of the results that it was calibrated to; 0: it was not calibrated."""
    sources: list[SourceNote] = msgspec.field(default_factory=list)
    origin: str = "catalog"
    """`catalog`, or the path of the file that it was read from."""
