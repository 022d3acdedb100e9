"""A network between nodes: the parameters of a fabric file, which the replay uses."""

from typing import Annotated, Literal

import msgspec

from linkworth.model.number_range import BYTES_PER_SECOND, LATENCY_SECONDS, SPREAD, NumberRange
from linkworth.model.parameter import Parameter

RAILS_MAX = 64
_RATE = msgspec.structs.replace(BYTES_PER_SECOND, infinity=True)
_BYTES = NumberRange(least=1, most=2**63 - 1, zero=True)
_SOME_BYTES = NumberRange(least=1, most=2**63 - 1)
_SHARE = NumberRange(least=1e-9, most=1, zero=True)
_TCP_SECONDS = NumberRange(least=1e-9, most=1e9, infinity=True)

Points = list[tuple[int, float]]
"""(bytes, seconds) by message size, linear between points and flat outside."""


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a catalog file."""


class SourceNote(_Table, frozen=True, kw_only=True):
    """Origin of a number."""

    fields: list[str]
    """Dotted names of the fields that this source gives, such as `link.latency_seconds`."""
    source: str
    """Paper, data sheet or measurement, precise enough to be found."""
    date: str
    """ISO date of the source (year or year-month if no more is known)."""
    note: str = ""


class Path(_Table, frozen=True, kw_only=True):
    """Path of messages: the network between nodes, or the memory inside a node. LogGP by message size."""

    latency_seconds: Annotated[
        float,
        Parameter(
            help="One-way latency from the sender's NIC to the receiver's, through one switch, without overheads.",
            allowed=LATENCY_SECONDS,
        ),
    ]
    bandwidth_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Bandwidth of one rail in one direction, for data and headers together. `inf` is allowed.",
            allowed=_RATE,
        ),
    ]
    gap_seconds: Annotated[
        float,
        Parameter(
            help="Least time between the starts of two messages at one rail (1 / message rate).",
            allowed=LATENCY_SECONDS,
        ),
    ] = 0.0
    send_overhead: Annotated[
        Points,
        Parameter(
            help="CPU time of the sender: `[bytes, seconds]` points in order of bytes, linear between points and "
            "flat outside.",
            allowed=LATENCY_SECONDS,
        ),
    ] = msgspec.field(default_factory=list)
    receive_overhead: Annotated[
        Points, Parameter(help="CPU time of the receiver, as points.", allowed=LATENCY_SECONDS)
    ] = msgspec.field(default_factory=list)
    added_latency: Annotated[
        Points,
        Parameter(
            help="Latency that the size of a message adds, as points. It occupies neither CPUs nor the link: a stream "
            "hides it (PCIe, store and forward in adapters and switches).",
            allowed=LATENCY_SECONDS,
        ),
    ] = msgspec.field(default_factory=list)
    eager_limit_bytes: Annotated[
        int,
        Parameter(
            help="Largest message sent without waiting for the receiver. Larger ones use the rendezvous protocol.",
            allowed=_BYTES,
        ),
    ] = 0
    mtu_bytes: Annotated[
        int,
        Parameter(
            help="Bytes of data and transport headers in one packet. 0: packets are not modelled.",
            allowed=_BYTES,
        ),
    ] = 0
    header_bytes: Annotated[
        int, Parameter(help="Bytes on the wire of each packet that are not message data.", allowed=_BYTES)
    ] = 0
    header_in_mtu_bytes: Annotated[
        int,
        Parameter(
            help="Part of `header_bytes` that counts towards the MTU (IP and TCP headers).", allowed=_BYTES
        ),
    ] = 0
    burst_bytes: Annotated[
        int,
        Parameter(
            help="Bytes that an idle link passes before the bandwidth limit applies, at both ends: the token bucket "
            "of a shaped NIC (Linux's tbf, many cloud nodes).",
            allowed=_BYTES,
        ),
    ] = 0


class SwitchLevel(_Table, frozen=True, kw_only=True):
    """One level of switches, described by their uplinks."""

    nodes_per_group: Annotated[
        int,
        Parameter(
            help="Nodes below one switch (or pod) of this level. Consecutive nodes share one.",
            allowed=NumberRange(least=1, most=2**24),
        ),
    ]
    uplinks: Annotated[
        int,
        Parameter(
            help="Links from such a switch to the next level, in each direction.",
            allowed=NumberRange(least=1, most=2**16),
        ),
    ]
    bandwidth_bytes_per_second: Annotated[
        float, Parameter(help="Bandwidth of one of these links in one direction.", allowed=_RATE)
    ]


class Topology(_Table, frozen=True, kw_only=True):
    """The switches between nodes. Without levels, all nodes are on one switch of full bisection."""

    levels: Annotated[
        list[SwitchLevel],
        Parameter(help="Levels from the nodes upwards. The uplinks of the last level meet in one switch."),
    ] = msgspec.field(default_factory=list)
    hop_latency_seconds: Annotated[
        float, Parameter(help="Latency that each link between two switches adds.", allowed=LATENCY_SECONDS)
    ] = 0.0
    routing: Annotated[
        Literal["static", "packet"],
        Parameter(
            help="`static`: each pair of nodes keeps one uplink. `packet`: packets use all uplinks in turn."
        ),
    ] = "static"


TIMEOUT_SHARE = 0.008
"""Measured with `linkworth bench incast`: 2 to 12 senders of 16 KiB to 1 MiB, Open MPI 4.1.4, ports of 32 to
512 KiB at 1 Gbit/s. The emulated cluster (`linkworth lab`, cubic of Linux 6.18) was used on 2026-11-22
(benchmarks/lab/bench_incast.py). At 100 Mbit/s it is 0.001: the longer round trips give the kernel's other
timers time to detect a loss."""


class Tcp(_Table, frozen=True, kw_only=True):
    """Behaviour of TCP under bursts."""

    restart_after_seconds: Annotated[
        float,
        Parameter(
            help="Idle time after which a connection restarts with the initial window (RFC 5681, 4.1). `inf`: never.",
            allowed=_TCP_SECONDS,
        ),
    ] = float("inf")
    initial_window_bytes: Annotated[
        int, Parameter(help="Initial window: ten segments of 1460 bytes (RFC 6928).", allowed=_SOME_BYTES)
    ] = 14600
    port_buffer_bytes: Annotated[
        float,
        Parameter(
            help="Bytes that the switch buffers for one node's link before it drops packets. `inf`: it never drops.",
            allowed=NumberRange(least=1, most=1e15, infinity=True),
        ),
    ] = float("inf")
    retransmission_timeout_seconds: Annotated[
        float,
        Parameter(
            help="Wait of a connection that detects its losses only by the timer: Linux's TCP_RTO_MIN (`rto_min` in "
            "ip-route(8)).",
            allowed=LATENCY_SECONDS,
        ),
    ] = 0.2
    timeout_share: Annotated[
        float,
        Parameter(
            help="Probability that a connection waits for that timeout, for each refill of the buffer. It applies to "
            "a connection that loses packets at a full port with few segments in flight. Fitted by `linkworth "
            "calibrate`.",
            allowed=_SHARE,
        ),
    ] = TIMEOUT_SHARE
    burst_seconds: Annotated[
        float,
        Parameter(
            help="Seconds of its share of the link that a connection hands its NIC at once (Linux, "
            "tcp_tso_autosize). It is at least two segments and at most `chunk_bytes`. The link has as many shares "
            "as the node has ranks. `inf`: always `chunk_bytes`.",
            allowed=_TCP_SECONDS,
        ),
    ] = float("inf")
    share_ratio: Annotated[
        float,
        Parameter(
            help="Ratio of the largest to the smallest share that connections get of a link which they fill together. "
            "Each connection draws one between them, and every other message gets the opposite one. 1: all shares are equal.",
            allowed=NumberRange(least=1, most=100),
        ),
    ] = 1.0
    send_buffer_bytes: Annotated[
        int,
        Parameter(
            help="Bytes of a connection's data that the kernel buffers. The sender of a message above the eager "
            "limit continues when no more than this is left. 0: it waits until all data have left.",
            allowed=_BYTES,
        ),
    ] = 0
    one_stream_below_bytes: Annotated[
        int,
        Parameter(
            help="Requests to send of messages shorter than this, and their answers, queue behind earlier data of "
            "their connection, since TCP carries one stream of bytes (RFC 9293). Under Open MPI it is at least 196,608. "
            "0: they pass the data.",
            allowed=_BYTES,
        ),
    ] = 0
    pair_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Upper limit, on one rail, of both directions between two ranks together while each has two or more "
            "messages of `pair_from_bytes` or more under way to the other. Under Open MPI it is at most the link's bandwidth "
            "in one direction. `inf`: no limit.",
            allowed=_RATE,
        ),
    ] = float("inf")
    pair_from_bytes: Annotated[
        int,
        Parameter(
            help="Least length of the messages that `pair_bytes_per_second` limits. The default is Open MPI's "
            "btl_tcp_eager_limit, which includes the header.",
            allowed=_BYTES,
        ),
    ] = 65536


COMBINE_BYTES_PER_SECOND = 8e9
"""MPI_Reduce_local of MPI_SUM on doubles, 1 to 16 MiB, MPICH 4.0.2 on one core of an Intel Xeon, measured
2026-11-22. The range is 7.2 to 8.1 GB/s of received data (Open MPI 4.1.4, which sums with AVX: 12 to 20
GB/s)."""


BLOCK_SECONDS = 1.65e-8
"""MPI_Type_indexed of 32 blocks of 1 to 16 bytes, MPI_Type_commit, MPI_Pack, MPI_Unpack and MPI_Type_free took
1.06 us with Open MPI 4.1.4 and 0.9 to 1.5 us with MPICH 4.0.2, one core of an AMD EPYC, measured 2026-11-25."""


DATATYPE_SECONDS = 1.4e-6
"""MPI_Sendrecv of 8 and 32 blocks of 1 and 8 bytes, with MPI_Type_indexed, MPI_Type_commit, MPI_Unpack and
MPI_Type_free, less the same without blocks and `BLOCK_SECONDS` for each of them. Open MPI 4.1.4: 0.7 to 1.4 us, over
UCX 1.9 to 2.3. MPICH 4.0.2: 1.4 to 1.9. One core of an AMD EPYC, measured 2026-11-26."""


POST_SECONDS = 5e-8
"""MPI_Sendrecv of 8 bytes between two ranks of a node, less a message of a ping-pong: 20 to 60 ns with Open MPI 4.1.4 (20 to
30 over UCX), 60 to 70 with 5.0.11, 30 to 90 with MPICH 4.0.2 and 5.0.2. Two cores of an AMD EPYC, measured 2026-11-30."""


class Spread(_Table, frozen=True, kw_only=True):
    """Uncertainty of the parameters: relative standard deviations (0.1: 10 %). 0 if nothing is known."""

    latency: Annotated[float, Parameter(help="Relative standard deviation of latencies.", allowed=SPREAD)] = (
        0.0
    )
    bandwidth: Annotated[
        float, Parameter(help="Relative standard deviation of bandwidths.", allowed=SPREAD)
    ] = 0.0
    overhead: Annotated[
        float, Parameter(help="Relative standard deviation of overheads.", allowed=SPREAD)
    ] = 0.0
    computation: Annotated[
        float,
        Parameter(
            help="Relative standard deviation of the program's computation from run to run.", allowed=SPREAD
        ),
    ] = 0.0


WORST_MISS = 0.5
"""A calibration with a larger `worst_miss` does not describe its results. Each use of it warns."""


class Fabric(_Table, frozen=True, kw_only=True):
    """A network between nodes, and the memory path inside a node of the same MPI transport."""

    name: Annotated[
        str,
        msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]*$"),
        Parameter(help="Name: small letters, digits, `.`, `_` and `-`."),
    ]
    title: Annotated[str, Parameter(help="Name in words.")]
    link: Annotated[Path, Parameter(help="Path between nodes.")]
    intranode: Annotated[
        Path,
        Parameter(
            help="Path between two ranks of a node: a table like `[link]`, whose bandwidth is that of one receiver, or "
            "the name of a catalog fabric whose link it is (`shm`)."
        ),
    ]
    rails: Annotated[
        int,
        Parameter(
            help="NICs of a node that carry messages together.", allowed=NumberRange(least=1, most=RAILS_MAX)
        ),
    ] = 1
    rail_efficiency: Annotated[
        float,
        Parameter(
            help="Share of the added rails' bandwidth that striping delivers, 0 to 1: K rails give "
            "1 + (K - 1) x this.",
            allowed=_SHARE,
        ),
    ] = 1.0
    duplex_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Upper limit of both directions of one rail together, such as that of the adapter's bus. `inf`: each "
            "direction has its full bandwidth at any time.",
            allowed=_RATE,
        ),
    ] = float("inf")
    stripe_min_bytes: Annotated[
        int,
        Parameter(
            help="Messages at least this long are striped over all rails. A shorter one uses one rail.",
            allowed=_BYTES,
        ),
    ] = 65536
    stripe_rest_bytes: Annotated[
        int,
        Parameter(
            help="`stripe` deals 1/K of a message to one rail after the other. Once the rest is at most this long, "
            "it goes over one rail as a whole. 0: every rail has an equal share.",
            allowed=_BYTES,
        ),
    ] = 0
    stripe_step: Annotated[
        int,
        Parameter(
            help="`stripe`: each message advances its connection (sending and receiving rank) by this many rails. A "
            "message that is not striped uses the connection's current rail. 0: it uses the rail that is free first.",
            allowed=NumberRange(least=1, most=RAILS_MAX, zero=True),
        ),
    ] = 0
    aggregation: Annotated[
        Literal["stripe", "packet", "roundrobin", "connection", "message"],
        Parameter(
            help="Distribution of the messages over rails. `stripe`: long messages on all rails in fragments, as "
            "Open MPI does. `packet`: all messages packet by packet over all rails and in order, as MPTCP does. "
            "`roundrobin`: the same, but packets overtake each other, as on Linux's balance-rr. "
            "`connection`: each pair of ranks on one rail by a hash, as LACP does. `message`: each message on the "
            "rail that is free first."
        ),
    ] = "stripe"
    chunk_bytes: Annotated[
        int,
        Parameter(
            help="Bytes that a NIC sends of one connection before it serves the next.", allowed=_SOME_BYTES
        ),
    ] = 65536
    progress: Annotated[
        Literal["asynchronous", "calls"],
        Parameter(
            help="Handler of requests to send. `asynchronous`: a NIC or a thread, at any time. `calls`: the rank "
            "itself, while it waits inside its MPI calls, as with MPI over TCP."
        ),
    ] = "asynchronous"
    unexpected_copy_bytes_per_second: Annotated[
        float,
        Parameter(help="Copy rate of a message that arrived before its receive was posted.", allowed=_RATE),
    ] = float("inf")
    intranode_total_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Upper limit of all messages inside one node together.",
            allowed=_RATE,
            default="that of the fabric named by `intranode`, else none",
        ),
    ] = float("inf")
    intranode_duplex_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Upper limit of what one rank sends and receives inside its node together. It is about the bandwidth if both "
            "ranks of a message copy it, through memory that they share. `inf`: only the receiver copies.",
            allowed=_RATE,
            default="that of the fabric named by `intranode`, else none",
        ),
    ] = float("inf")
    combine_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Rate at which one core's reduction (`MPI_SUM`, ...) combines received data with its own.",
            allowed=_RATE,
        ),
    ] = COMBINE_BYTES_PER_SECOND
    block_seconds: Annotated[
        float,
        Parameter(
            help="CPU time of a collective for each block that it packs or unpacks, beside the copy of its bytes.",
            allowed=LATENCY_SECONDS,
        ),
    ] = BLOCK_SECONDS
    datatype_seconds: Annotated[
        float,
        Parameter(
            help="CPU time of a collective that makes a datatype of blocks for a message, and frees it.",
            allowed=LATENCY_SECONDS,
        ),
    ] = DATATYPE_SECONDS
    post_seconds: Annotated[
        float,
        Parameter(
            help="CPU time of a collective for each receive that it posts. A ping-pong hides it, since its receive is posted "
            "before the message comes.",
            allowed=LATENCY_SECONDS,
        ),
    ] = POST_SECONDS
    topology: Annotated[
        Topology, Parameter(help="Switches between nodes.", default="one switch of full bisection")
    ] = Topology()
    tcp: Annotated[Tcp, Parameter(help="Behaviour of TCP under bursts.", default="none")] = Tcp()
    spread: Annotated[
        Spread,
        Parameter(help="Relative standard deviations of the parameters (0.1: 10 %).", default="0: not known"),
    ] = Spread()
    worst_miss: Annotated[
        float,
        Parameter(
            help="Largest relative error of the calibration's results when replayed. Above 0.5 each use of the file "
            "prints a warning. 0: not calibrated.",
            allowed=NumberRange(least=1e-300, most=1e300, zero=True),
        ),
    ] = 0.0
    mpi: Annotated[
        str,
        Parameter(
            help="MPI library of the results that it was calibrated to. Under another library the overheads are "
            "uncertain by a factor of 3: a warning names both, and intervals are wider. Empty: not known."
        ),
    ] = ""
    sources: list[SourceNote] = msgspec.field(default_factory=list)
    origin: str = "catalog"
    """`catalog`, or the path of the file that it comes from. A file does not have this field."""
