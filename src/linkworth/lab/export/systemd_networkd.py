"""systemd-networkd: .netdev and .network files (systemd.netdev(5), systemd.network(5))."""

from linkworth.lab.export import shared
from linkworth.lab.export.environment import Host, HostConfiguration, Lane

FOLDER = "etc/systemd/network"
_HEAD = "# Written by linkworth.\n"


def files(environment: HostConfiguration) -> dict[str, str]:
    """Return the files of every host and container: path -> text."""
    bridges = nspawn_bridges(environment)
    return shared.files_of_hosts(environment, host_networks, container_networks, beside_nspawn=bridges)


def host_networks(environment: HostConfiguration, host: Host) -> dict[str, str]:
    """Return the bonds, bridges and networks of a host."""
    found: dict[str, str] = {}
    for lane in environment.lanes:
        found |= _lane(environment, host, lane)
    return found


def container_networks(environment: HostConfiguration, host: Host) -> dict[str, str]:
    """Return the networks inside a container that runs systemd-networkd."""
    return {
        f"{FOLDER}/20-linkworth-{lane.container_nic}.network": _network(
            lane.container_nic, environment.mtu, f"Address={environment.address(host, lane)}"
        )
        for lane in environment.lanes
    }


def nspawn_bridges(environment: HostConfiguration) -> dict[str, str]:
    """Return the files that join the host's ends of a container's NICs to their bridges."""
    return {
        f"{FOLDER}/12-linkworth-{shared.veth(lane.number)}.network": _network(
            shared.veth(lane.number), environment.mtu, f"Bridge={lane.bridge}"
        )
        for lane in environment.lanes
    }


def _lane(environment: HostConfiguration, host: Host, lane: Lane) -> dict[str, str]:
    mtu = environment.mtu
    found: dict[str, str] = {}
    if lane.members:
        bond = f"[Bond]\nMode={environment.bond_mode}\nMIIMonitorSec=100ms\n"
        if environment.bond_mode != "balance-rr":
            bond += "TransmitHashPolicy=layer3+4\n"
        if environment.bond_mode == "802.3ad":
            bond += "LACPTransmitRate=fast\n"
        found[f"{FOLDER}/10-linkworth-{lane.carrier}.netdev"] = (
            _netdev(lane.carrier, "bond", mtu) + "\n" + bond
        )
        for nic in lane.members:
            found[f"{FOLDER}/10-linkworth-{nic}.network"] = _network(nic, mtu, f"Bond={lane.carrier}")
    own = f"Bridge={lane.bridge}" if lane.bridge else f"Address={environment.address(host, lane)}"
    found[f"{FOLDER}/11-linkworth-{lane.carrier}.network"] = _network(lane.carrier, mtu, own)
    if lane.bridge:
        bridge = _netdev(lane.bridge, "bridge", mtu) + "\n[Bridge]\nSTP=no\nMulticastSnooping=no\n"
        found[f"{FOLDER}/11-linkworth-{lane.bridge}.netdev"] = bridge
        found[f"{FOLDER}/11-linkworth-{lane.bridge}.network"] = _network(
            lane.bridge, mtu, "ConfigureWithoutCarrier=yes"
        )
    return found


def _netdev(name: str, kind: str, mtu: int) -> str:
    return f"{_HEAD}[NetDev]\nName={name}\nKind={kind}\nMTUBytes={mtu}\n"


def _network(name: str, mtu: int, line: str) -> str:
    return (
        f"{_HEAD}[Match]\nName={name}\n\n[Link]\nMTUBytes={mtu}\nRequiredForOnline=no\n\n"
        f"[Network]\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n{line}\n"
    )
