"""Sends packets to the nodes over the NICs in turn, like bonding's balance-rr, on kernels without bonding.

Every node has one address, that of its first NIC. A packet mark that counts up with every packet chooses one
of the routing tables, one per NIC. The other node answers for its address on each of them.
"""

from linkworth.lab import addresses
from linkworth.lab.aggregation import Aggregation
from linkworth.lab.kernel import tool
from linkworth.lab.plan import LabPlan, PlanCommand
from linkworth.lab.spec import LabSpec

FIRST_TABLE = 100
"""First routing table, one per NIC. The kernel's own begin at 253."""


class RoundRobin(Aggregation):
    """Aggregation that sends each packet over the next NIC."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with the marks and routes of every node. Raises EnvironmentLacksError without nft."""
        nft = tool("nft")
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


def _rules(nics: int) -> str:
    mark = f"meta mark set numgen inc mod {nics} offset 1"
    return (
        "add table ip linkworth; "
        "add chain ip linkworth out { type route hook output priority mangle; }; "
        f"add rule ip linkworth out ip daddr {addresses.data_network(0)} {mark}"
    )
