"""Aggregation of the NICs of a node."""

from linkworth.lab.plan import LabPlan
from linkworth.lab.spec import LabSpec


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


def aggregation_for(spec: LabSpec) -> Aggregation:
    """Return the aggregation of a lab. Raises EnvironmentLacksError if it is unavailable."""
    if spec.nics == 1 or spec.aggregate == "stripe":
        return Aggregation()
    if spec.aggregate == "mptcp":
        from linkworth.lab.mptcp import Mptcp

        return Mptcp()
    if spec.aggregate == "roundrobin":
        from linkworth.lab.round_robin import RoundRobin

        return RoundRobin()
    from linkworth.lab.bonding import Bonding

    return Bonding()
