"""Isolation of the nodes of a lab: plain namespaces, or containers in them."""

import os
import sys

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import kernel
from linkworth.lab.plan import LabPlan, PlanCommand
from linkworth.lab.spec import LabSpec

_TOOLS = {"nspawn": "systemd-nspawn", "lxc": "lxc-execute"}


def tool_of(spec: LabSpec) -> str:
    """Return the tool that starts a lab's containers, "" without containers. Raises EnvironmentLacksError."""
    if spec.isolation == "namespace":
        return ""
    if not _is_root():
        raise EnvironmentLacksError(
            f"`isolation` {spec.isolation} needs root: {_TOOLS[spec.isolation]} starts containers only for it"
        )
    return kernel.tool(_TOOLS[spec.isolation])


def _is_root() -> bool:
    """Return whether this process is root with all rights that namespaces need. Root in a container may lack them."""
    return os.geteuid() == 0 and kernel.may_make_namespaces()


def extend(plan: LabPlan, spec: LabSpec) -> LabPlan:
    """Return the plan with a system container of systemd-nspawn or LXC in every node, if the lab asks for them.

    They are on the same links. Programs enter only the container's namespaces. Its limits of cgroups, system calls
    and capabilities do not apply. Raises EnvironmentLacksError if this machine cannot start them.
    """
    tool = tool_of(spec)
    for name in spec.node_names if tool else ():
        words = [sys.executable, "-P", "-m", "linkworth.lab.container", spec.isolation, tool, name]
        command = PlanCommand(words=words, purpose=f"the container ({spec.isolation})", stays=True)
        plan.nodes[name].commands.append(command)
    return plan
