"""Kernel bonding: the data NICs of a node become one interface."""

import sys

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import addresses, kernel, links
from linkworth.lab.aggregation import Aggregation
from linkworth.lab.plan import LabPlan, PlanCommand
from linkworth.lab.spec import LabSpec

BOND = "bond0"


class Bonding(Aggregation):
    """One bond per node. With 802.3ad the switch has another at its end, as LACP needs a partner."""

    def __init__(self) -> None:
        if not kernel.has_bonding():
            raise EnvironmentLacksError(
                "this kernel has no bonding (load the module: modprobe bonding); "
                "`aggregate` roundrobin does what its mode balance-rr does"
            )

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with the NICs of every node in a bond, which has the first NIC's address.

        Raises EnvironmentLacksError for links that cannot be bonded.
        """
        mode = spec.bond_mode
        in_switch = []
        if mode == "802.3ad" and links.needs_switch(spec):
            raise EnvironmentLacksError(
                "802.3ad needs the kernel's own links, and not moderated interrupts, nor latency and loss "
                "without netem; leave these out, or use `bond_mode` balance-rr or balance-xor"
            )
        for number, name in enumerate(spec.node_names, 1):
            node = plan.nodes[name]
            for nic_name in spec.nic_names:
                node.ip += [f"address flush dev {nic_name}", f"link set {nic_name} down"]
            node.ip += _bond(BOND, mode, spec.nic_names, spec.packet_bytes)
            node.ip += links.address_lines(BOND, addresses.data_address(0, number), addresses.data_network(0))
            if mode == "802.3ad":
                ends = [f"{nic}-{name}" for nic in spec.nic_names]
                bond = f"bond-{name}"
                plan.head.ip += [f"link set {end} nomaster down" for end in ends]
                plan.head.ip += _bond(bond, mode, ends, spec.packet_bytes)
                plan.head.ip.append(f"link set {bond} master bridge-{spec.nic_names[0]}")
                in_switch.append(bond)
        if in_switch:
            plan.head_last.commands.append(
                PlanCommand(
                    words=[sys.executable, "-P", "-m", "linkworth.lab.lacp", kernel.tool("ip"), *in_switch],
                    purpose="LACP between the nodes and the switch",
                )
            )
        return plan

    def interfaces(self, spec: LabSpec) -> list[str]:
        """Return the bond."""
        return [BOND]


def _bond(name: str, mode: str, nics: list[str], mtu: int) -> list[str]:
    """Lines that put interfaces, which are down, into a bond. Each keeps its own rate limit."""
    hashing = "" if mode == "balance-rr" else " xmit_hash_policy layer3+4"
    fast = " lacp_rate fast" if mode == "802.3ad" else ""
    return [
        f"link add {name} type bond mode {mode} miimon 100{hashing}{fast}",
        *(f"link set {nic} master {name}" for nic in nics),
        f"link set {name} mtu {mtu} up",
    ]
