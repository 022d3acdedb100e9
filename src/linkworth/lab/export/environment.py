"""Description of real hosts: the NICs of each network, over a bond or alone, to the host or a container."""

import ipaddress
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from linkworth.errors import UsageError
from linkworth.lab.aggregation import BOND
from linkworth.lab.spec import LabSpec

ContainerKind = Literal["none", "nspawn", "lxc", "lxd", "opennebula"]

_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,14}")


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One network of the hosts: one NIC, or several bonded ones."""

    number: int
    carrier: str
    """Interface of the host that carries it: the NIC, or the bond."""
    members: list[str] = msgspec.field(default_factory=list)
    """NICs of the bond. Empty if the carrier is the NIC itself."""
    bridge: str = ""
    """Bridge between the carrier and the container's NIC. "" without containers."""
    container_nic: str = ""
    network: str
    """Address range, such as 10.10.0.0/24."""


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A real machine."""

    name: str
    number: int
    """Number of the host (1, 2, ...) and last part of its addresses."""

    @property
    def container(self) -> str:
        """Name of the container on it."""
        return f"{self.name}-c"


class HostConfiguration(msgspec.Struct, frozen=True, kw_only=True):
    """Configuration to write for real hosts."""

    hosts: list[Host]
    lanes: list[Lane]
    mtu: int
    bond_mode: str = ""
    """Mode of the bond. The empty string without a bond."""
    mptcp: bool = False
    containers: ContainerKind = "none"
    remarks: list[str] = msgspec.field(default_factory=list)
    """Limits of the files, and notes for the user."""

    @property
    def nics(self) -> list[str]:
        """All NICs in use."""
        return [nic for lane in self.lanes for nic in (lane.members or [lane.carrier])]

    @property
    def owner_nics(self) -> list[str]:
        """Interfaces with the addresses: of the container if there is one, else of the host."""
        return [lane.container_nic or lane.carrier for lane in self.lanes]

    def address(self, host: Host, lane: Lane) -> str:
        """Return the address of a host (or of its container) in a network, with the prefix length."""
        network = ipaddress.ip_network(lane.network)
        return f"{network[host.number]}/{network.prefixlen}"


def of_spec(
    spec: LabSpec, *, containers: ContainerKind, interfaces: Sequence[str] = (), network: str = "10.10.0.0/16"
) -> HostConfiguration:
    """Return a lab's environment for real hosts with those NICs (default: eth0, eth1, ...).

    Raises UsageError if there are too few NICs or addresses.
    """
    nics = list(interfaces) or [f"eth{number}" for number in range(spec.nics)]
    for nic in nics:
        if not _INTERFACE.fullmatch(nic):
            raise UsageError(
                f"`interface` {nic}: an interface's name has 1 to 15 letters, digits, dots or dashes"
            )
    if len(set(nics)) != spec.nics:
        raise UsageError(
            f"`interface` names {len(set(nics))} NICs, and the environment has {spec.nics} a node"
        )
    bonded = spec.aggregate in ("bond", "roundrobin") and spec.nics > 1
    if bonded and BOND in nics:
        raise UsageError(f"`interface` {BOND}: the files make a bond of that name; name its NICs")
    networks = _networks(network, 1 if bonded else spec.nics, spec.nodes)
    lanes = [
        Lane(
            number=number,
            carrier=BOND if bonded else nics[number],
            members=nics if bonded else [],
            bridge=f"lwbr{number}" if containers != "none" else "",
            container_nic=f"d{number}" if containers != "none" else "",
            network=subnet,
        )
        for number, subnet in enumerate(networks)
    ]
    mode = "" if not bonded else spec.bond_mode if spec.aggregate == "bond" else "balance-rr"
    return HostConfiguration(
        hosts=[Host(name=name, number=number) for number, name in enumerate(spec.node_names, 1)],
        lanes=lanes,
        mtu=spec.packet_bytes,
        bond_mode=mode,
        mptcp=spec.aggregate == "mptcp" and spec.nics > 1,
        containers=containers,
        remarks=_remarks(spec, mode),
    )


def _networks(text: str, count: int, hosts: int) -> list[str]:
    try:
        whole = ipaddress.IPv4Network(text)
    except ValueError as error:
        raise UsageError(f"`network` {text}: {error}; give one such as 10.10.0.0/16") from None
    if whole.prefixlen > 24:
        subnets = [whole]
    else:
        subnets = [net for net, _ in zip(whole.subnets(new_prefix=24), range(count), strict=False)]
    if len(subnets) < count:
        raise UsageError(
            f"`network` {text} has room for {len(subnets)} networks of 254 hosts, and {count} are needed"
        )
    if subnets[0].num_addresses - 2 < hosts:
        raise UsageError(
            f"`network` {text} has room for {subnets[0].num_addresses - 2} hosts, and {hosts} are needed"
        )
    return [str(net) for net in subnets]


def _remarks(spec: LabSpec, mode: str) -> list[str]:
    said = [
        "Leave the interface by which you reach the hosts out of these files; only the NICs named are touched."
    ]
    if spec.packet_bytes > 1500:
        said.append(
            f"The ports of the physical switch must pass frames for an MTU of {spec.packet_bytes}, too."
        )
    if spec.aggregate == "roundrobin" and mode:
        said.append(
            "roundrobin in the lab stands in for bonding with balance-rr, which is what real hosts get."
        )
    if mode == "802.3ad":
        said.append(
            "802.3ad needs a link aggregation group with LACP on the switch, over the ports of each host."
        )
    if mode in ("balance-rr", "balance-xor"):
        said.append(
            f"{mode} needs a static link aggregation group on the switch, or a switch (or VLAN) of its own for each "
            "NIC of a host."
        )
    if spec.aggregate == "mptcp" and spec.nics > 1:
        said.append("MPTCP is used by programs that ask for it, or that are started by mptcpize run COMMAND.")
    if spec.latency or spec.moderation or spec.loss or spec.buffer is not None:
        said.append(
            "Latency, jitter, moderation, loss and buffers of the lab are not written: a real network has its own."
        )
    if spec.rate is not None:
        said.append("The rate of the lab is not written: it is the speed of the NICs and of the switch.")
    return said
