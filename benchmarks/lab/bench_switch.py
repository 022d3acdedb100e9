"""Latency of the lab's user-space switch compared with the requested one, and its throughput with and without offload.

    .venv/bin/python benchmarks/lab/bench_switch.py [--seconds 2]

Two network namespaces; round trips are ICMP echoes that the other kernel answers. The baseline of the latency is a pair of
virtual NICs of the kernel: what the switch takes more than that and the latency asked for is its own (`OWN_SECONDS`).
"""

import argparse
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from network_namespaces import Namespace
from user_switch import Switch

from linkworth.lab.switch import SwitchPort

ECHOES = 1000
SEND = """
import socket, sys, time
own = socket.create_connection((sys.argv[1], 5000)); data = bytes(1 << 17); until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until: own.sendall(data)
"""
RECEIVE = """
import socket, time
own = socket.create_server(('', 5000)); print('listening', flush=True); peer, _ = own.accept()
total, began = 0, time.monotonic()
buffer = bytearray(1 << 18)
while got := peer.recv_into(buffer): total += got
print(total * 8 / (time.monotonic() - began))
"""


def addressed(nodes: list[Namespace], mtu: int = 1500) -> None:
    for number, node in enumerate(nodes, 1):
        node.ip(f"address add 10.0.0.{number}/24 dev d0", f"link set d0 mtu {mtu} up")


def echoes(node: Namespace) -> tuple[float, float]:
    """Return the tenth of the way up and the median of the round trips, in microseconds."""
    times = node.round_trips("10.0.0.2", ECHOES)
    return times[ECHOES // 10] * 1e6, times[ECHOES // 2] * 1e6


def kernel_pair() -> tuple[float, float]:
    with Namespace() as first, Namespace() as second:
        holder = re.findall(r"/proc/(\d+)/", str(second.file))[0]
        first.ip(f"link add d0 type veth peer name d0 netns {holder}")
        addressed([first, second])
        return echoes(first)


def with_switch(
    folder: Path, mtu: int, seconds: float, **port: Any
) -> tuple[tuple[float, float], float, str]:
    with ExitStack() as stack:
        nodes = [stack.enter_context(Namespace()) for _ in range(2)]
        ports = [
            SwitchPort(name=f"n{n}", namespace=node.file, device="d0", **port) for n, node in enumerate(nodes)
        ]
        running = stack.enter_context(Switch(ports, folder / "counters"))
        addressed(nodes, mtu)
        trip = echoes(nodes[0])
        rate = 0.0
        if seconds:
            there: subprocess.Popen[str] = nodes[1].start(sys.executable, "-c", RECEIVE)
            assert there.stdout and there.stdout.readline()
            nodes[0].run(sys.executable, "-c", SEND, "10.0.0.2", str(seconds))
            rate = float(there.communicate()[0])
        class_of = "SCHED_FIFO" if running.real_time else "no real-time scheduling"
    dropped = sum(one.up_dropped + one.down_dropped for one in running.counted().values())
    return trip, rate, f"{class_of}, {dropped} dropped"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of each stream")
    given = parser.parse_args()
    base = kernel_pair()
    print(f"round trip of the kernel's own pair: {base[0]:.1f} us (tenth), {base[1]:.1f} us (median)")
    with tempfile.TemporaryDirectory() as folder:
        print("asked one way   round trip: tenth  median   beyond the pair and the latency, one way (median)")
        for latency in (0.0, 30e-6, 100e-6, 300e-6, 1e-3):
            (tenth, median), _, _ = with_switch(Path(folder), 1500, 0.0, latency=latency, down_rate=125e6)
            own = (median - base[1] - 2 * latency * 1e6) / 2
            print(f"{latency * 1e6:10.0f} us {tenth:18.1f} {median:7.1f} us {own:+8.1f} us")
        print("rate      latency   MTU  offload   delivered (TCP payload)")
        for rate, mtu, offload in (
            (125e6, 1500, True),
            (125e6, 1500, False),
            (125e6, 9000, False),
            (1.25e9, 1500, True),
        ):
            _, got, more = with_switch(
                Path(folder), mtu, given.seconds, latency=50e-6, down_rate=rate, offload=offload
            )
            print(f"{rate * 8 / 1e9:4.1f} Gbit/s  50 us {mtu:6}  {offload!s:7} {got / 1e6:8.0f} Mbit/s  "
                  f"({got / rate / 8:.3f} of the rate; {more})")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
