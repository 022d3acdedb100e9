"""What keeps the nodes of a lab apart: plain namespaces, or containers in them."""

from typing import Protocol

from linkworth.errors import EnvironmentLacksError
from linkworth.lab.plan import LabPlan
from linkworth.lab.spec import LabSpec


class Isolation(Protocol):
    """One way to keep nodes apart."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with what starts the containers."""


class Namespaces:
    """Each node has a network, host name, mounts and shared memory of its own; nothing more is started."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan as it is."""
        return plan


def isolation_for(spec: LabSpec) -> Isolation:
    """Return the way that a lab asks for. Raises EnvironmentLacksError where it cannot be had here."""
    if spec.isolation == "namespace":
        return Namespaces()
    raise EnvironmentLacksError(f"--isolation {spec.isolation} cannot be had here; use namespace")
