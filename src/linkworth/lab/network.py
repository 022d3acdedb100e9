"""The network of a lab: links that the kernel shapes, or a switch in user space."""

from linkworth.lab import addresses, kernel, links
from linkworth.lab.plan import LabPlan
from linkworth.lab.spec import LabSpec
from linkworth.lab.switch import switched_head


def plan_of(spec: LabSpec) -> LabPlan:
    """Return the plan of a lab's links, after which every node's NIC is up and has its address.

    Raises EnvironmentLacksError if the kernel does not support them.
    """
    # Token buckets at both ends of a veth pair give the rate, and netem at the head's end latency and loss.
    # A packet passes two pairs, from its node and to the other one, and one netem.
    bridged = [addresses.LAUNCH_NIC, *spec.nic_names]
    head = switched_head(spec) if needs_switch(spec) else links.bridges(spec, bridged)
    nodes = {name: links.node_network(spec, number) for number, name in enumerate(spec.node_names, 1)}
    return LabPlan(head=head, nodes=nodes)


def needs_switch(spec: LabSpec) -> bool:
    """Return whether a lab needs moderated interrupts, or latency or loss that this kernel does not support."""
    return bool(spec.moderation) or (bool(spec.latency or spec.loss) and not kernel.has_netem())
