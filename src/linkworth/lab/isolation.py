"""Isolation of the nodes of a lab: plain namespaces, or containers in them."""

import os
import sys
from typing import Literal, Protocol

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import kernel
from linkworth.lab.plan import LabPlan, PlanCommand
from linkworth.lab.spec import LabSpec


class Isolation(Protocol):
    """One kind of isolation."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan with the commands that start the containers."""


class Namespaces:
    """Isolation by namespaces: each node has its own network, host name, mounts and shared memory."""

    def extend(self, plan: LabPlan, spec: LabSpec) -> LabPlan:
        """Return the plan unchanged."""
        return plan


class Containers:
    """Isolation by containers on the same links: system containers of systemd-nspawn or LXC.

    Programs enter only the container's namespaces. Its limits of cgroups, system calls and capabilities do
    not apply.
    """

    def __init__(self, kind: Literal["nspawn", "lxc"]) -> None:
        self.kind = kind
        if os.geteuid() != 0 or not kernel.may_make_namespaces():
            raise EnvironmentLacksError(
                f"`isolation` {kind} needs root: {_TOOLS[kind]} starts containers only for it"
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
    """Return the isolation that a lab requests. Raises EnvironmentLacksError if it is unavailable."""
    if spec.isolation == "namespace":
        return Namespaces()
    return Containers(spec.isolation)
