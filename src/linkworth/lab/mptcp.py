"""Multipath TCP (RFC 8684): one connection of a program goes over all NICs, as subflows of the kernel."""

from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import addresses
from linkworth.lab.aggregation import Aggregation
from linkworth.lab.native import compiled
from linkworth.lab.plan import LabPlan
from linkworth.lab.spec import LabSpec

MOST_SUBFLOWS = 8
"""The kernel's limit of subflows per connection besides the first (MPTCP_SUBFLOWS_MAX, Linux 6.1)."""


class Mptcp(Aggregation):
    """Makes the ranks' sockets MPTCP sockets by a preload library. The kernel opens a subflow over each
    further NIC.

    It suits MPI libraries on plain sockets (Open MPI's tcp). UCX binds its sockets to one NIC and stays on
    it.
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
        """Return the variable that makes the ranks' sockets MPTCP sockets."""
        return {"LD_PRELOAD": str(library())}


def library() -> Path:
    """Return the preload library, compiling it if needed. Raises EnvironmentLacksError."""
    return compiled("mptcp", "liblinkworth-mptcp.so", "-shared", "-fPIC", libraries=("dl",))
