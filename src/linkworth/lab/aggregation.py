"""Aggregations of the NICs of a node: by the MPI library, by MPTCP, packet by packet in turn, and by bonding."""

import sys
from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import addresses, kernel, links, network
from linkworth.lab.native import compiled
from linkworth.lab.plan import LabPlan, PlanCommand
from linkworth.lab.spec import LabSpec
from linkworth.mpi import preload

MOST_SUBFLOWS = 8
"""The kernel's limit of subflows per connection besides the first (MPTCP_SUBFLOWS_MAX, Linux 6.1)."""
FIRST_TABLE = 100
"""First routing table of packets in turn, one per NIC. The kernel's own begin at 253."""
BOND = "bond0"


class Aggregation:
    """One kind of aggregation.

    This one is by the MPI library, which spreads a message over all NICs (Open MPI's tcp, UCX's rails).
    """

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with the aggregation's parts in the nodes and the head."""
        return plan

    def interfaces(self, spec: LabSpec) -> list[str]:
        """Return the interfaces that an MPI library uses for its messages."""
        return spec.nic_names

    def environment(self, spec: LabSpec) -> dict[str, str]:
        """Return the variables that the ranks need for it."""
        return {}


class Mptcp(Aggregation):
    """Multipath TCP (RFC 8684): one connection of a program goes over all NICs.

    A preload library makes the ranks' sockets MPTCP sockets. The kernel opens a subflow over each further NIC.
    It suits MPI libraries on plain sockets (Open MPI's tcp). UCX binds its sockets to one NIC and stays on it.
    """

    def __init__(self, enabled: Path = Path("/proc/sys/net/mptcp/enabled")) -> None:
        if not enabled.exists():
            raise EnvironmentLacksError(
                "this kernel was built without MPTCP (CONFIG_MPTCP); use `aggregate` stripe or roundrobin"
            )

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with the endpoints of every node. Raises UsageError for too many NICs."""
        further = list(enumerate(spec.nic_names))[1:]
        if len(further) > MOST_SUBFLOWS:
            raise EnvironmentLacksError(
                f"the kernel gives an MPTCP connection {MOST_SUBFLOWS + 1} NICs at most; use fewer `nics`"
            )
        for number, name in enumerate(spec.node_names, 1):
            node = plan.nodes[name]
            node.settings["mptcp/enabled"] = "1"
            node.ip.append(f"mptcp limits set subflows {len(further)} add_addr_accepted {len(further)}")
            # Both sides announce them and the connecting side uses them. The first NIC is the connection's
            # own path.
            node.ip += [
                f"mptcp endpoint add {addresses.data_address(nic, number)} dev {nic_name} signal"
                for nic, nic_name in further
            ]
        return plan

    def interfaces(self, spec: LabSpec) -> list[str]:
        """Return the NIC over which connections begin."""
        return spec.nic_names[:1]

    def environment(self, spec: LabSpec) -> dict[str, str]:
        """Return the variables with the preload library, compiling it if needed. Raises EnvironmentLacksError."""
        library = compiled("mptcp", "liblinkworth-mptcp.so", "-shared", "-fPIC", libraries=("dl",))
        return preload.loading([library])


class RoundRobin(Aggregation):
    """Sends packets to the nodes over the NICs in turn, like bonding's balance-rr, on kernels without bonding.

    Every node has one address, that of its first NIC. A packet mark that counts up with every packet chooses one
    of the routing tables, one per NIC. The other node answers for its address on each of them.
    """

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with the marks and routes of every node. Raises EnvironmentLacksError without nft."""
        nft = kernel.tool("nft")
        for number, name in enumerate(spec.node_names, 1):
            node = plan.nodes[name]
            for interface in ("all", *spec.nic_names):
                # Packets may arrive on another NIC than the answer's own.
                node.settings[f"ipv4/conf/{interface}/rp_filter"] = "0"
                node.settings[f"ipv4/conf/{interface}/arp_ignore"] = "0"
            for nic, nic_name in enumerate(spec.nic_names):
                table = FIRST_TABLE + nic
                source = addresses.data_address(0, number)
                node.ip += [
                    f"rule add fwmark {nic + 1} lookup {table}",
                    f"route add {addresses.data_network(0)} dev {nic_name} scope link src {source} table {table}",
                ]
            node.commands.append(
                PlanCommand(words=[nft, _rules(spec.nics)], purpose="packet marks for round robin")
            )
        return plan

    def interfaces(self, spec: LabSpec) -> list[str]:
        """Return the NIC with the address."""
        return spec.nic_names[:1]


class Bonding(Aggregation):
    """Kernel bonding: the data NICs of a node become one interface.

    With 802.3ad the switch has another at its end, as LACP needs a partner.
    """

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
        if mode == "802.3ad" and network.needs_switch(spec):
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


def aggregation_for(spec: LabSpec) -> Aggregation:
    """Return the aggregation of a lab. Raises EnvironmentLacksError if it is unavailable."""
    if spec.nics == 1 or spec.aggregate == "stripe":
        return Aggregation()
    if spec.aggregate == "mptcp":
        return Mptcp()
    if spec.aggregate == "roundrobin":
        return RoundRobin()
    return Bonding()


def _rules(nics: int) -> str:
    mark = f"meta mark set numgen inc mod {nics} offset 1"
    return (
        "add table ip linkworth; "
        "add chain ip linkworth out { type route hook output priority mangle; }; "
        f"add rule ip linkworth out ip daddr {addresses.data_network(0)} {mark}"
    )


def _bond(name: str, mode: str, nics: list[str], mtu: int) -> list[str]:
    """Lines that put interfaces, which are down, into a bond. Each keeps its own rate limit."""
    hashing = "" if mode == "balance-rr" else " xmit_hash_policy layer3+4"
    fast = " lacp_rate fast" if mode == "802.3ad" else ""
    return [
        f"link add {name} type bond mode {mode} miimon 100{hashing}{fast}",
        *(f"link set {nic} master {name}" for nic in nics),
        f"link set {name} mtu {mtu} up",
    ]
