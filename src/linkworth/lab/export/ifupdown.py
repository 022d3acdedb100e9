"""ifupdown: one file below /etc/network/interfaces.d (interfaces(5)), with ifenslave's and bridge-utils' options."""

from linkworth.lab.export import shared
from linkworth.lab.export.environment import Host, HostConfiguration, Lane

PATH = "etc/network/interfaces.d/linkworth"


def files(environment: HostConfiguration) -> dict[str, str]:
    """Return the files of every host and container: path -> text."""
    return shared.files_of_hosts(
        environment,
        lambda environment, host: {PATH: interfaces(environment, host)},
        lambda environment, host: {PATH: container_interfaces(environment, host)},
    )


def interfaces(environment: HostConfiguration, host: Host) -> str:
    """Return the file of a host."""
    needs = ["ifenslave"] if environment.bond_mode else []
    needs += ["bridge-utils"] if environment.containers != "none" else []
    head = "# Written by linkworth." + (f" Needs the packages {', '.join(needs)}." if needs else "")
    stanzas = [head]
    for lane in environment.lanes:
        stanzas += [
            _stanza(nic, "manual", environment.mtu, [f"bond-master {lane.carrier}"]) for nic in lane.members
        ]
        stanzas.append(_carrier(environment, host, lane))
        if lane.bridge:
            options = [f"bridge_ports {lane.carrier}", "bridge_stp off", "bridge_fd 0"]
            stanzas.append(_stanza(lane.bridge, "manual", environment.mtu, options))
        if environment.containers == "nspawn":
            joins = f"up ip link set dev {shared.veth(lane.number)} master {lane.bridge}"
            stanzas.append(
                _stanza(shared.veth(lane.number), "manual", environment.mtu, [joins], start="allow-hotplug")
            )
    return "\n\n".join(stanzas) + "\n"


def container_interfaces(environment: HostConfiguration, host: Host) -> str:
    """Return the file inside a container."""
    stanzas = [
        _stanza(lane.container_nic, "static", environment.mtu, [f"address {environment.address(host, lane)}"])
        for lane in environment.lanes
    ]
    return "\n\n".join(["# Written by linkworth.", *stanzas]) + "\n"


def _carrier(environment: HostConfiguration, host: Host, lane: Lane) -> str:
    options = []
    if lane.members:
        options = [
            f"bond-slaves {' '.join(lane.members)}",
            f"bond-mode {environment.bond_mode}",
            "bond-miimon 100",
        ]
        if environment.bond_mode != "balance-rr":
            options.append("bond-xmit-hash-policy layer3+4")
        if environment.bond_mode == "802.3ad":
            options.append("bond-lacp-rate fast")
    if lane.bridge:
        return _stanza(lane.carrier, "manual", environment.mtu, options)
    return _stanza(
        lane.carrier, "static", environment.mtu, [f"address {environment.address(host, lane)}", *options]
    )


def _stanza(name: str, method: str, mtu: int, options: list[str], *, start: str = "auto") -> str:
    return "\n".join(
        [f"{start} {name}", f"iface {name} inet {method}", *(f"    {o}" for o in [f"mtu {mtu}", *options])]
    )
