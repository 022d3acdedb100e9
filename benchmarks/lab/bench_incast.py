"""Time of bursts from several senders through a switch port with a bounded buffer: measured, counted and predicted.

    .venv/bin/python benchmarks/lab/bench_incast.py [--mpi openmpi] [--senders 12] [--buffers 0,32,64,128,512]
        [--kib 16,64,256,1024] [--rate 1gbit] [--seconds 1] [-o results.json]

Real TCP of this kernel in the emulated cluster: `linkworth bench incast`, one rank a node, in which 1, 2, 4, 8, ... ranks send
the first one a message when it asks them. The buffers are in KiB, 0 is a port that drops nothing. Printed are, for each burst,
the median, mean and 99th percentile of its time in ms, the replay's on Gigabit Ethernet of that rate with `timeout_share` as
given (or fitted to these results, as `linkworth calibrate` does), and predicted over measured mean; beside it, counted by the
kernel for each burst: packets that the port dropped, segments sent again, tail loss probes and retransmission timeouts. (A row
is counted until it is printed, so that a little of a count may stand at the next one.)

Ranks share the cores of this machine: run it on a quiet one, or in a cpu cgroup of high shares.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

import msgspec

from linkworth.bench import run
from linkworth.bench.settings import BenchSettings
from linkworth.bench.store import ResultFile
from linkworth.calibrate.incast import TEST, fit_incast, with_buffer
from linkworth.calibrate.measured import Origin
from linkworth.calibrate.replayed import message_seconds
from linkworth.catalog import fabrics
from linkworth.lab import labs
from linkworth.lab.place import LabPlace
from linkworth.lab.spec import LabSpec, parse_rate
from linkworth.model.bench import BenchResult
from linkworth.model.fabric import Fabric
from linkworth.model.place import Place

COUNTED = ("RetransSegs", "TCPLossProbes", "TCPTimeouts")
PATIENCE_SECONDS = 600.0


class Counters:
    """The kernel's counters of all nodes, and the drops of the switch's port towards the first node."""

    def __init__(self, lab: labs.Lab) -> None:
        self.lab = lab
        self.before = self.read()

    def read(self) -> list[int]:
        """Return the drops and then the sums of `COUNTED`."""
        sums = dict.fromkeys(COUNTED, 0)
        for node in self.lab.spec.node_names:
            for name in ("snmp", "netstat"):
                lines = Path(f"/proc/{self.lab.state.places[node].pid}/net/{name}").read_text().splitlines()
                for titles, values in zip(lines[::2], lines[1::2], strict=True):
                    for title, value in zip(titles.split(), values.split(), strict=True):
                        if title in sums and titles.startswith("Tcp"):
                            sums[title] += int(value)
        words = self.lab.enter("head", ["tc", "-s", "-j", "qdisc", "show", "dev", "d0-node1"])
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return [sum(queue["drops"] for queue in json.loads(done.stdout)), *sums.values()]

    def since(self) -> list[int]:
        """Return the differences since the last call."""
        now = self.read()
        different = [new - old for new, old in zip(now, self.before, strict=True)]
        self.before = now
        return different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--senders", type=int, default=12)
    parser.add_argument("--buffers", default="0,32,64,128,512")
    parser.add_argument("--kib", default="16,64,256,1024")
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument(
        "--timeout-share", type=float, help="of the predictions; default: fitted to the results"
    )
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    # The precision is out of reach, so that every row has its seconds: timeouts are rare.
    sizes = [int(text) * 1024 for text in given.kib.split(",")]
    settings = BenchSettings(sizes=sizes, seconds=given.seconds, precision=1e-4)
    rate = parse_rate(given.rate)
    gbe = fabrics.get("gbe")
    link = msgspec.structs.replace(gbe.link, bandwidth_bytes_per_second=rate / 8)
    fabric = msgspec.structs.replace(gbe, link=link)
    kept = ResultFile(given.output) if given.output else None
    measured = []
    for kib in map(int, given.buffers.split(",")):
        spec = LabSpec(nodes=given.senders + 1, rate=rate, mtu=1500, buffer=kib * 1024 or None)
        print(f"{given.mpi}, {given.rate}, a port of {kib or 'unbounded'} KiB: measured", flush=True)
        result, counted = measure(spec, given.mpi, settings)
        if kept:
            kept.add(result)
        measured.append((kib * 1024, result, counted))
    bounded = [(held, result) for held, result, _ in measured if held]
    if given.timeout_share is None and bounded:
        origins = [Origin(result, "measured now") for _, result in bounded]
        fabric = fit_incast(fabric, origins, port_buffer=bounded[0][0]).fabric
    elif given.timeout_share is not None:
        tcp = msgspec.structs.replace(fabric.tcp, timeout_share=given.timeout_share)
        fabric = msgspec.structs.replace(fabric, tcp=tcp)
    print(f"predicted with timeout_share = {fabric.tcp.timeout_share:g}")
    for held, result, counted in measured:
        show(held, fabric, result, counted)


def measure(spec: LabSpec, mpi: str, settings: BenchSettings) -> tuple[BenchResult, list[list[int]]]:
    """Return the result in a lab of its own, which is gone afterwards, and what was counted in each row."""
    with labs.up(spec) as lab:
        counters = Counters(lab)
        counted: list[list[int]] = []
        result = run.execute(
            run.prepare(
                TEST,
                opened=LabPlace(lab, Place(kind="lab", name=lab.name, ranks_per_node=1), []),
                mpi=mpi,
                ranks=spec.nodes,
                settings=settings,
            ),
            on_row=lambda row: counted.append(counters.since()),
            timeout=PATIENCE_SECONDS,
        )
        return result, counted


def show(held: int, fabric: Fabric, result: BenchResult, counted: list[list[int]]) -> None:
    """Print the rows of one buffer."""
    on = with_buffer(fabric, held) if held else msgspec.structs.replace(fabric, tcp=fabrics.get("gbe").tcp)
    print(f"{result.mpi}, {result.facts['rate']}, a port of {held >> 10 or 'unbounded'} KiB")
    print(
        "   senders    KiB bursts    median      mean       p99 predicted  ratio    drops    again   probes timeouts"
    )
    ratios = []
    for row, counts in zip(result.rows, counted, strict=True):
        senders = int(row.label.split()[0])
        predicted = message_seconds(on, TEST, row.bytes, pairs=senders)
        assert row.mean is not None and row.median is not None and row.p99 is not None
        ratios.append(predicted / row.mean)
        times = "".join(f"{seconds * 1e3:10.3f}" for seconds in (row.median, row.mean, row.p99, predicted))
        each = "".join(f"{count / row.samples:9.2f}" for count in counts)
        print(
            f"{senders:10d} {row.bytes >> 10:6d} {row.samples:6d}{times} {ratios[-1]:6.2f}{each}", flush=True
        )
    lower, middle, upper = statistics.quantiles(ratios, n=4)
    print(
        f"ratio: median {middle:.2f}, quartiles {lower:.2f} and {upper:.2f}, {min(ratios):.2f} to {max(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
