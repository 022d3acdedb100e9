"""Throughput of several emulated NICs used as one, by way and number, against one NIC and against their sum.

    .venv/bin/python benchmarks/lab/bench_aggregation.py [--rate 1gbit] [--nics 1,2,4] [--bytes 1048576] [--ways stripe,mptcp]
        [--ranks 2] [--latency 25us] [--moderation 250us]

Two nodes with half of the ranks of Open MPI on each; every way that this kernel has. The baseline is one NIC in the same run. Two
ranks run the bandwidth test (a window of 64 messages). With --both-ways, each rank exchanges messages with one of the other node,
which show what NICs with moderated interrupts make of packets in turn.
"""

import argparse
import statistics
import sys

import msgspec

from linkworth import units
from linkworth.bench.run import execute, prepare
from linkworth.bench.settings import BenchSettings
from linkworth.errors import EnvironmentLacksError
from linkworth.lab import labs
from linkworth.lab.place import LabPlace
from linkworth.lab.spec import LabSpec, parse_rate, parse_time
from linkworth.model.place import Place

WAYS = ["stripe", "mptcp", "roundrobin", "bond"]


def measure(spec: LabSpec, given: argparse.Namespace) -> tuple[float, float, int, dict[str, int]]:
    """Return bits per second, TCP's share of segments sent again, segments out of order, and the first node's bytes by NIC."""
    with labs.up(spec) as lab:
        opened = LabPlace(lab, Place(kind="lab", name=lab.name), [])
        result = execute(
            prepare(
                "pingpong" if given.both_ways else "bandwidth",
                opened=opened,
                mpi="openmpi",
                ranks=given.ranks,
                settings=BenchSettings(
                    sizes=[given.bytes], bidirectional=given.both_ways, pairs=given.both_ways
                ),
            )
        )
    counters = result.carried.counters if result.carried else []
    again = sum(node.tcp_retransmits for node in counters)
    disordered = sum(node.tcp_out_of_order for node in counters)
    sent = {nic.nic: nic.sent_bytes for nic in counters[0].nics if nic.nic.startswith("d")}
    rate = statistics.median(row.bandwidth_bytes_per_second or 0.0 for row in result.rows)
    segments = sum(node.tcp_segments_sent for node in counters)
    return rate * 8, again / max(1, segments), disordered, sent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=parse_rate, default=1e9, help="of each NIC")
    parser.add_argument("--nics", default="1,2,4", help="numbers of NICs")
    parser.add_argument("--bytes", type=int, default=1 << 20, help="message size")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--mtu", type=int, help="switches the joining of packets off")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument(
        "--both-ways", action="store_true", help="each rank exchanges messages with another node's"
    )
    parser.add_argument("--latency", type=parse_time, help="of a link, one way")
    parser.add_argument("--moderation", type=parse_time, default=0.0, help="time between a NIC's interrupts")
    given = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    one = LabSpec(nodes=2, rate=given.rate, mtu=given.mtu, latency=given.latency, moderation=given.moderation)
    base, *_ = measure(one, given)
    print(
        f"NICs of {units.bit_rate(given.rate)}, messages of {given.bytes} bytes; one NIC: {base / 1e6:.0f} Mbit/s"
    )
    print(
        "way          NICs  Mbit/s  of one NIC  of the sum  sent again  out of order  least and most loaded NIC"
    )
    for way in given.ways.split(","):
        for nics in (int(text) for text in given.nics.split(",")):
            if nics == 1:
                continue
            spec = msgspec.structs.replace(one, nics=nics, aggregate=way)
            try:
                rate, again, disordered, sent = measure(spec, given)
            except EnvironmentLacksError as error:
                print(f"{way:12} not here: {error}")
                break
            total = sum(sent.values())
            shares = f"{min(sent.values()) / total:.1%} {max(sent.values()) / total:.1%}"
            print(f"{way:12} {nics:4} {rate / 1e6:7.0f} {rate / base:11.2f} {rate / (nics * given.rate):11.2f} "
                  f"{again:11.2%} {disordered:13}  {shares}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
