"""Netplan: one YAML file per host (netplan(5)), rendered by systemd-networkd."""

from linkworth.lab.export import shared, systemd_networkd
from linkworth.lab.export.environment import Host, HostConfiguration, Lane

PATH = "etc/netplan/60-linkworth.yaml"


def files(environment: HostConfiguration) -> dict[str, str]:
    """Return the files of every host and container: path -> text."""
    return shared.files_of_hosts(
        environment,
        lambda environment, host: {PATH: host_yaml(environment, host)},
        lambda environment, host: {PATH: container_yaml(environment, host)},
        beside_nspawn=systemd_networkd.nspawn_bridges(environment),
    )


def host_yaml(environment: HostConfiguration, host: Host) -> str:
    """Return the file of a host."""
    lines = ["# Written by linkworth.", "network:", "  version: 2", "  renderer: networkd", "  ethernets:"]
    alone = {lane.carrier: lane for lane in environment.lanes if not lane.members}
    for nic in environment.nics:
        lines += _device(nic, environment.mtu)
        lines += _address(environment, host, alone[nic]) if nic in alone else []
    bonds = [lane for lane in environment.lanes if lane.members]
    if bonds:
        lines.append("  bonds:")
    for lane in bonds:
        lines += [*_device(lane.carrier, environment.mtu), f"      interfaces: [{', '.join(lane.members)}]"]
        lines += [
            "      parameters:",
            f"        mode: {environment.bond_mode}",
            "        mii-monitor-interval: 100",
        ]
        if environment.bond_mode != "balance-rr":
            lines.append("        transmit-hash-policy: layer3+4")
        if environment.bond_mode == "802.3ad":
            lines.append("        lacp-rate: fast")
        lines += _address(environment, host, lane)
    bridged = [lane for lane in environment.lanes if lane.bridge]
    if bridged:
        lines.append("  bridges:")
    for lane in bridged:
        lines += [*_device(lane.bridge, environment.mtu), f"      interfaces: [{lane.carrier}]"]
        lines += ["      parameters:", "        stp: false", "        forward-delay: 0"]
    return "\n".join(lines) + "\n"


def container_yaml(environment: HostConfiguration, host: Host) -> str:
    """Return the file inside a container."""
    lines = ["# Written by linkworth.", "network:", "  version: 2", "  renderer: networkd", "  ethernets:"]
    for lane in environment.lanes:
        lines += _device(lane.container_nic, environment.mtu)
        lines.append(f"      addresses: [{environment.address(host, lane)}]")
    return "\n".join(lines) + "\n"


def _device(name: str, mtu: int) -> list[str]:
    return [
        f"    {name}:",
        f"      mtu: {mtu}",
        "      dhcp4: false",
        "      dhcp6: false",
        "      accept-ra: false",
        "      link-local: []",
        "      optional: true",
    ]


def _address(environment: HostConfiguration, host: Host, lane: Lane) -> list[str]:
    return [] if lane.bridge else [f"      addresses: [{environment.address(host, lane)}]"]
