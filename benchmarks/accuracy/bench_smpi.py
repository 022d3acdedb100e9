"""An independent referee: the same traces replayed by linkworth and by SimGrid's SMPI on an equivalent platform.

    .venv/bin/python benchmarks/accuracy/bench_smpi.py [--programs cg,ft] [--ranks 16,64] [--fabrics gbe] [--collectives calls]

Class A of the bundled NAS programs (skeletons, with the reference rates where there are such) on two nodes.
The platform has a full-duplex NIC a node, a memory path that is not shared, the fabric's latency, net bandwidth, overheads and
eager limit, and nothing else of either model: no correction factors, TCP windows, cross traffic, copies or arithmetic. SMPI
shares a NIC byte by byte, which linkworth comes near in chunks of 512 bytes; "shipped" is in the chunks of the fabric.
`--collectives messages` (the default) gives both the same messages; `calls` lets SMPI expand collectives by the algorithms of the
same names.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import smpi

from linkworth.catalog import fabrics
from linkworth.catalog import rates as reference_rates
from linkworth.cli.replay_options import parse_forced
from linkworth.convert import convert
from linkworth.model.conversion import ConversionOptions
from linkworth.model.fabric import Fabric, Tcp
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay
from linkworth.skeleton.rates import REFERENCE_MACHINE, RateRequest
from linkworth.skeleton.request import record_on_request
from linkworth.trace.read import open_trace

NODES = 2
LIMIT = 0.10
FINE_CHUNK = 512
"""Bytes; a message has at most 64 chunks."""
REPEATS = 3
"""Repetitions of our replay, which takes milliseconds. The fastest counts. SMPI runs once."""
LIBRARY: Literal["mpich-flat"] = "mpich-flat"
"""Without node-aware collectives: a time-independent trace does not know the nodes."""
SAME_ALGORITHMS = {
    "barrier=recursive_doubling": "smpi/barrier:ompi_recursivedoubling",
    "bcast=binomial": "smpi/bcast:binomial_tree",
    "reduce=binomial": "smpi/reduce:binomial",
    "allreduce=recursive_doubling": "smpi/allreduce:rdb",
    "allgather=recursive_doubling": "smpi/allgather:rdb",
    "alltoall=pairwise": "smpi/alltoall:ring",
    "alltoallv=pairwise": "smpi/alltoallv:ring",
}
"""linkworth's name, SMPI's setting."""


class Row(NamedTuple):
    program: str
    ranks: int
    fabric: str
    smpi_seconds: float
    seconds: float
    """By linkworth in fine chunks."""
    shipped_seconds: float
    """By linkworth in the fabric's own chunks."""
    messages: int
    smpi_messages_per_second: float
    messages_per_second: float
    """Rate in the fabric's own chunks."""

    @property
    def ratio(self) -> float:
        return self.seconds / self.smpi_seconds

    @property
    def shipped_ratio(self) -> float:
        return self.shipped_seconds / self.smpi_seconds


def plain(fabric: Fabric) -> Fabric:
    """Return the fabric with only the parameters that both models have."""
    link = fabric.link
    payload = link.mtu_bytes - link.header_in_mtu_bytes
    share = payload / (payload + link.header_bytes) if link.mtu_bytes else 1.0
    bare = {"gap_seconds": 0.0, "mtu_bytes": 0, "header_bytes": 0, "header_in_mtu_bytes": 0}
    net = msgspec.structs.replace(
        link, bandwidth_bytes_per_second=link.bandwidth_bytes_per_second * share, **bare
    )
    # SMPI's overheads and eager limit are the same for all paths.
    memory = msgspec.structs.replace(
        fabric.intranode,
        send_overhead=link.send_overhead,
        receive_overhead=link.receive_overhead,
        eager_limit_bytes=link.eager_limit_bytes,
        **bare,
    )
    return msgspec.structs.replace(
        fabric,
        link=net,
        intranode=memory,
        combine_bytes_per_second=float("inf"),
        unexpected_copy_bytes_per_second=float("inf"),
        intranode_total_bytes_per_second=float("inf"),
        tcp=Tcp(burst_seconds=fabric.tcp.burst_seconds),
    )


def compare(trace: Path, program: str, ranks: int, fabric: Fabric, collectives: str, folder: Path) -> Row:
    """Replay one trace by both."""
    by_call = collectives == "calls"
    options = ConversionOptions(
        flops_per_second=smpi.HOST_FLOPS, collectives="calls" if by_call else "messages", mpi_library=LIBRARY
    )
    written = convert(trace, "ti", folder / f"{trace.stem}.ti", options=options, replace=True)
    forced = [parse_forced(name) for name in SAME_ALGORITHMS] if by_call else []
    settings = ReplaySettings(
        mpi_library=LIBRARY, forced_collectives=forced, noise=0.0, progress="asynchronous"
    )
    layout = block(ranks, NODES)
    both = plain(fabric)
    engine = open_trace(trace).engine
    ours = replay(engine, msgspec.structs.replace(both, chunk_bytes=FINE_CHUNK), layout, settings=settings)
    walls = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        shipped = replay(engine, both, layout, settings=settings)
        walls.append(time.perf_counter() - began)
    entry = Path(written.entry)
    theirs = smpi.simulate(
        entry.parent, entry.name, both, layout.node_of_rank, list(SAME_ALGORITHMS.values()) if by_call else []
    )
    return Row(
        program=program,
        ranks=ranks,
        fabric=fabric.name,
        smpi_seconds=theirs.seconds,
        seconds=ours.seconds,
        shipped_seconds=shipped.seconds,
        messages=ours.messages,
        smpi_messages_per_second=ours.messages / theirs.wall_seconds,
        messages_per_second=ours.messages / min(walls),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", default="is,ft,cg,mg,lu,bt,sp")
    parser.add_argument("--class", dest="letter", default="A")
    parser.add_argument("--ranks", default="16,64")
    parser.add_argument("--fabrics", default="gbe,ib-fdr")
    parser.add_argument("--collectives", choices=["messages", "calls"], default="messages")
    given = parser.parse_args()
    found = smpi.version()
    if not found:
        print("SKIPPED SMPI as a referee: smpirun is not installed (Debian: apt-get install libsimgrid-dev)")
        return
    print(f"SimGrid {found}, class {given.letter}, {NODES} nodes, collectives as {given.collectives}, "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(f"{'program':8} {'ranks':>5} {'fabric':8} {'SMPI':>10} {'linkworth':>10} {'ratio':>6} {'shipped':>10} {'ratio':>6}"
          f"{'messages':>10} {'M/s SMPI':>9} {'M/s ours':>9}")  # fmt: skip
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for ranks in map(int, given.ranks.split(",")):
            for program in given.programs.split(","):
                trace = folder / f"{program}-{ranks}.lwt"
                record_on_request([f"npb:{program}.{given.letter}"], ranks, rates_of(program), trace)
                for name in given.fabrics.split(","):
                    row = compare(trace, program, ranks, fabrics.get(name), given.collectives, folder)
                    rows.append(row)
                    show(row)
    for title, ratios in (
        ("in fine chunks", [row.ratio for row in rows]),
        ("as it ships", [row.shipped_ratio for row in rows]),
    ):
        errors = [abs(ratio - 1) for ratio in ratios]
        print(f"{title}: median difference {statistics.median(errors):.1%}, worst {max(errors):.1%}, "
              f"{sum(error <= LIMIT for error in errors)} of {len(errors)} within {LIMIT:.0%}")  # fmt: skip
    faster = statistics.median(row.messages_per_second / row.smpi_messages_per_second for row in rows)
    print(f"speed: {faster:.0f} times SMPI's (median; ours as it ships)")


def rates_of(program: str) -> RateRequest:
    """Return the published computation where there is one, else that of a short run here."""
    known = program in reference_rates.reference().programs
    return RateRequest(machine=REFERENCE_MACHINE if known else None)


def show(row: Row) -> None:
    print(
        f"{row.program:8} {row.ranks:5d} {row.fabric:8} {row.smpi_seconds:8.4f} s {row.seconds:8.4f} s {row.ratio:6.3f} "
        f"{row.shipped_seconds:8.4f} s {row.shipped_ratio:6.3f} {row.messages:9d} {row.smpi_messages_per_second / 1e6:9.3f} "
        f"{row.messages_per_second / 1e6:9.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
