"""What is done in each namespace of a lab to make its network: plain data, which the keeper carries out."""

import msgspec

HEAD = "head"
"""The place that is no node: it holds the bridges, and launchers start there."""


class PlanCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A program that makes or serves a part of the network."""

    words: list[str]
    """`{node1}` and `{head}` in a word become the pid of that place's holder."""
    purpose: str
    """For the error message: `packet marks for round robin`."""
    stays: bool = False
    """It serves as long as the lab is up; it writes one line to its standard output when it is ready: `ready`, or what is wrong.

    The line `inside PID` says, too, that the place is entered by that process, a container's first one.
    """


class PlacePlan(msgspec.Struct, kw_only=True):
    """What is done in one place (the head or a node), in the order of the fields."""

    settings: dict[str, str] = msgspec.field(default_factory=dict)
    """Of the place's own network namespace: file below /proc/sys/net -> value."""
    ip: list[str] = msgspec.field(default_factory=list)
    """Lines for `ip -batch`; `{node1}` stands for the pid of that place's holder."""
    offloads_off: list[str] = msgspec.field(default_factory=list)
    """Interfaces that must neither join nor split packets (GSO, TSO, GRO)."""
    tc: list[str] = msgspec.field(default_factory=list)
    """Lines for `tc -batch`."""
    commands: list[PlanCommand] = msgspec.field(default_factory=list)


class LabPlan(msgspec.Struct, kw_only=True):
    """The whole network: first the head, then all nodes at once, then what the head can do only then."""

    head: PlacePlan = msgspec.field(default_factory=PlacePlan)
    nodes: dict[str, PlacePlan] = msgspec.field(default_factory=dict)
    head_last: PlacePlan = msgspec.field(default_factory=PlacePlan)


class KeeperRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the keeper of a lab is asked to hold."""

    lab: str
    """The lab's mark, unique on this machine."""
    folder: str
    """The lab's folder, removed when the lab ends."""
    hosts: str
    """Text of /etc/hosts in every place."""
    plan: LabPlan
    ip: str
    """Path of the `ip` command."""
    tc: str
    own_user_namespace: bool
    """The user is not root, so that a user namespace must give the rights."""


class HeldPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place that is up."""

    pid: int
    """Of its holder; `/proc/<pid>/ns` has its namespaces."""
    started: int
    """Start time of the holder in clock ticks since boot: tells it from a later process of the same number."""
    cgroup: str = ""
    """Folder of the place's own cgroup, "" where none could be made."""
    inside: int = 0
    """Of the first process of the container that the node is; 0 where it is none."""


class KeeperAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the keeper answers once the lab is up, or could not be made."""

    places: dict[str, HeldPlace] = msgspec.field(default_factory=dict)
    error: str = ""
    lacks: bool = False
    """The error is something that this machine lacks."""
