"""What keeps the nodes of a lab apart: plain namespaces, or containers in them."""

import os
import sys
from typing import Literal, Protocol

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import kernel
from linkworth.lab.plan import LabPlan, PlanCommand
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


class Containers:
    """Each node is a container on the same links: system containers of systemd-nspawn or LXC.

    Programs enter the container's namespaces; its limits of cgroups, system calls and capabilities are not theirs.
    """

    def __init__(self, kind: Literal["nspawn", "lxc"]) -> None:
        self.kind = kind
        if os.geteuid() != 0 or not kernel.may_make_namespaces():
            raise EnvironmentLacksError(
                f"--isolation {kind} needs root: {_TOOLS[kind]} starts containers only for it"
            )
        self.tool = kernel.tool(_TOOLS[kind])

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with a container in every node."""
        for name in spec.node_names:
            words = [sys.executable, "-P", "-m", "linkworth.lab.container", self.kind, self.tool, name]
            command = PlanCommand(words=words, purpose=f"the container ({self.kind})", stays=True)
            plan.nodes[name].commands.append(command)
        return plan


_TOOLS = {"nspawn": "systemd-nspawn", "lxc": "lxc-execute"}


def isolation_for(spec: LabSpec) -> Isolation:
    """Return the way that a lab asks for. Raises EnvironmentLacksError where it cannot be had here."""
    if spec.isolation == "namespace":
        return Namespaces()
    return Containers(spec.isolation)
