"""The plan of a lab's network: plain data for each namespace, which the supervisor carries out."""

import msgspec

MARK = "LINKWORTH_LAB"
"""Variable in the environment of everything that is started in a lab. Its value is the lab's mark."""
HEAD = "head"
"""Place that is no node. It has the bridges, and launchers start there."""


class PlanCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A program that makes or serves a part of the network."""

    words: list[str]
    """Command line. `{node1}` and `{head}` become the PID of that place's holder."""
    purpose: str
    """Description for the error message: `packet marks for round robin`."""
    stays: bool = False
    """True if it serves as long as the lab is up. It prints one line when it is ready: `ready`, or what is
    wrong.

    The line `inside PID` also means that the place is entered through that process, a container's first one.
    """


class PlacePlan(msgspec.Struct, kw_only=True):
    """Plan of one place (the head or a node), in the order of the fields."""

    settings: dict[str, str] = msgspec.field(default_factory=dict)
    """Settings of the place's network namespace: file below /proc/sys/net -> value."""
    ip: list[str] = msgspec.field(default_factory=list)
    """Lines for `ip -batch`. `{node1}` becomes the PID of that place's holder."""
    offloads_off: list[str] = msgspec.field(default_factory=list)
    """Interfaces that must neither join nor split packets (GSO, TSO, GRO)."""
    tc: list[str] = msgspec.field(default_factory=list)
    """Lines for `tc -batch`."""
    commands: list[PlanCommand] = msgspec.field(default_factory=list)


class LabPlan(msgspec.Struct, kw_only=True):
    """Plan of the whole network: first the head, then all nodes at once, then the head's final part."""

    head: PlacePlan = msgspec.field(default_factory=PlacePlan)
    nodes: dict[str, PlacePlan] = msgspec.field(default_factory=dict)
    head_last: PlacePlan = msgspec.field(default_factory=PlacePlan)


class SupervisorRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request to the supervisor of a lab."""

    lab: str
    """Mark of the lab, unique on this machine."""
    folder: str
    """Folder of the lab, removed when the lab ends."""
    hosts: str
    """Text of /etc/hosts in every place."""
    plan: LabPlan
    ip: str
    """Path of the `ip` command."""
    tc: str
    own_user_namespace: bool
    """True if the user is not root, so that a user namespace must give the rights."""


class HeldPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place that is up."""

    pid: int
    """PID of its holder. `/proc/<pid>/ns` has its namespaces."""
    started: int
    """Start time of the holder in clock ticks since boot. It distinguishes the holder from a later process
    with its PID."""
    cgroup: str = ""
    """Folder of the place's own cgroup, "" if none could be made."""
    inside: int = 0
    """PID of the first process of the container that the node is. 0 if it is none."""
    own: int = 1
    """Processes of the lab itself in it: the holder, and those of a container."""


class SupervisorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of the supervisor once the lab is up or has failed."""

    places: dict[str, HeldPlace] = msgspec.field(default_factory=dict)
    error: str = ""
    lacks: bool = False
    """True if the error is something that this machine lacks."""
