"""Names and addresses inside a lab. Labs never meet, so all use the same ones."""

from linkworth.lab.plan import HEAD
from linkworth.lab.spec import LabSpec

LAUNCH_NIC = "m0"
LAUNCH_NETWORK = "10.200.0.0/16"
"""Unshaped network for starting programs and their out-of-band traffic."""
BRIDGE_MAC = "02:00:00:00:00:01"
"""Locally administered MAC address of every bridge. A bridge without its own takes a port's address, and another one when
that port's node disappears. What the other nodes send to the old address is lost."""


def launch_address(number: int) -> str:
    """Return the address of node `number` on the launch network (1, 2, ...; 0 is the head)."""
    return f"10.200.0.{number}" if number else "10.200.255.254"


def data_address(nic: int, number: int) -> str:
    """Return the address of node `number` (1, 2, ...) on the network of NIC `nic` (0, 1, ...)."""
    return f"10.{nic}.0.{number}"


def data_network(nic: int) -> str:
    """Return the network of NIC `nic`."""
    return f"10.{nic}.0.0/16"


def hosts_file(spec: LabSpec) -> str:
    """Return /etc/hosts. A node's name is its first data NIC, `node1-m0` and `node1-d1` its others."""
    lines = ["127.0.0.1 localhost", f"{launch_address(0)} {HEAD}"]
    for number, name in enumerate(spec.node_names, 1):
        lines.append(f"{launch_address(number)} {name}-{LAUNCH_NIC}")
        for nic, nic_name in enumerate(spec.nic_names):
            own = f" {name}" if nic == 0 else ""
            lines.append(f"{data_address(nic, number)}{own} {name}-{nic_name}")
    return "\n".join(lines) + "\n"
