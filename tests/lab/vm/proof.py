"""Runs in the virtual machine: makes labs with what its kernel has, and prints what was seen, one JSON document a line."""

import json
import re
import subprocess
import sys

import msgspec

from linkworth.lab import kernel, labs
from linkworth.lab.labs import Lab
from linkworth.lab.place import LabPlace
from linkworth.lab.spec import LabSpec
from linkworth.model.place import Place
from linkworth.places.counters import difference

BYTES = 3_000_000
LISTENING = (
    "for i in $(seq 6000); do cat /proc/net/tcp /proc/net/tcp6 | grep -q ' 0A ' && break; sleep 0.05; done"
)


def tell(what: str, **facts: object) -> None:
    print("PROOF " + json.dumps({"what": what, **facts}), flush=True)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False)


def round_trip(lab: Lab) -> float:
    """Return the shortest round trip between the two nodes in seconds."""
    done = run(*lab.enter("node1", ["busybox", "ping", "-c", "10", "-W", "30", "10.0.0.2"]))
    found = re.findall(r"min/avg/max = ([\d.]+)/", done.stdout)
    if not found:
        raise RuntimeError(f"no answer: {done.stdout} {done.stderr}")
    return float(found[0]) * 1e-3


def carried(lab: Lab) -> dict[str, object]:
    """Send bytes from node1 to node2, and return what each NIC sent and received of them."""
    opened = LabPlace(lab, Place(kind="lab", name=lab.name), [])
    before = opened.counters()
    listener = subprocess.Popen(
        lab.enter("node2", ["sh", "-c", "busybox nc -l -p 5000 | wc -c"]), stdout=subprocess.PIPE
    )
    run(*lab.enter("node2", ["sh", "-c", LISTENING]))
    run(*lab.enter("node1", ["sh", "-c", f"head -c {BYTES} /dev/zero | busybox nc 10.0.0.2 5000"]))
    assert int(listener.communicate()[0]) == BYTES
    first, second = difference(before, opened.counters())
    sent = {nic.nic: nic.sent_bytes for nic in first.nics}
    received = {nic.nic: nic.received_bytes for nic in second.nics}
    return {"sent": sent, "received": received, "out_of_order": second.tcp_out_of_order}


def main() -> None:
    for module in ("bonding", "sch_netem", "sch_tbf", "rdma_rxe", "bridge", "veth"):
        run("modprobe", module)
    tell("kernel", bonding=kernel.has_bonding(), netem=kernel.has_netem())
    spec = LabSpec(nodes=2, nics=2, rate=100e6, latency=50e-3, aggregate="bond", bond_mode="balance-rr")
    with labs.up(spec) as lab:
        shown = run(*lab.enter("node1", ["cat", "/proc/net/bonding/bond0"])).stdout
        tell("balance-rr", round_trip=round_trip(lab), bond=shown, **carried(lab))
    jittery = msgspec.structs.replace(spec, latency=5e-3, jitter=1e-3, bond_mode="802.3ad")
    with labs.up(jittery) as lab:
        shown = run(*lab.enter("node1", ["cat", "/proc/net/bonding/bond0"])).stdout
        tell("802.3ad", bond=shown, **carried(lab))
    run("ip", "link", "add", "r0", "type", "veth", "peer", "name", "r1")
    run("ip", "link", "set", "r0", "up")
    added = run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "r0")
    tell("rxe", said=added.stderr, links=run("rdma", "link").stdout)


if __name__ == "__main__":
    sys.exit(main())
