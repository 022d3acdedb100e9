"""How the several NICs of a node are used as one."""

from typing import Protocol

from linkworth.lab.plan import LabPlan
from linkworth.lab.spec import LabSpec


class Aggregation(Protocol):
    """One way to use several NICs."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with what the aggregation needs in the nodes and the head."""

    def interfaces(self, spec: LabSpec) -> list[str]:
        """Return the interfaces that an MPI library is to use for its messages."""

    def environment(self, spec: LabSpec) -> dict[str, str]:
        """Return variables that the ranks need for it."""


class Striping:
    """The MPI library is given every NIC and spreads a message over them by itself (Open MPI's tcp, UCX's rails)."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan as it is."""
        return plan

    def interfaces(self, spec: LabSpec) -> list[str]:
        """Return all data NICs."""
        return spec.nic_names

    def environment(self, spec: LabSpec) -> dict[str, str]:
        """Return nothing."""
        return {}


def aggregation_for(spec: LabSpec) -> Aggregation:
    """Return the way that a lab asks for; one NIC needs none. Raises EnvironmentLacksError where it cannot be had here."""
    if spec.nics == 1 or spec.aggregate == "stripe":
        return Striping()
    if spec.aggregate == "mptcp":
        from linkworth.lab.mptcp import Mptcp

        return Mptcp()
    if spec.aggregate == "roundrobin":
        from linkworth.lab.round_robin import RoundRobin

        return RoundRobin()
    from linkworth.lab.bonding import Bonding

    return Bonding()
