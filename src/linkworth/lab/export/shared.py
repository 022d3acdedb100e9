"""Files common to all formats: kernel settings, MPTCP endpoints, names, container descriptions."""

from collections.abc import Callable, Mapping

from linkworth.lab.aggregation import MOST_SUBFLOWS
from linkworth.lab.export.environment import Host, HostConfiguration

HostFiles = Callable[[HostConfiguration, Host], dict[str, str]]
"""Returns a format's files on a host or in its container: path -> text."""

CLOSE_ARP = """# Written by linkworth. With several NICs in one switch, an address must be answered for by its own NIC only.
net.ipv4.conf.all.arp_ignore = 1
net.ipv4.conf.all.arp_announce = 2
net.ipv4.conf.all.rp_filter = 2
"""


def files_of_hosts(
    environment: HostConfiguration,
    of_host: HostFiles,
    of_container: HostFiles,
    *,
    beside_nspawn: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the files of every host and container, those of all formats included: path -> text.

    `beside_nspawn` are extra files of hosts with systemd-nspawn containers.
    """
    found: dict[str, str] = {}
    for host in environment.hosts:
        own = of_host(environment, host)
        inside = owner_files(environment, host)
        if environment.containers == "none":
            own |= inside
        else:
            inside |= of_container(environment, host)
            found |= {f"{host.container}/{name}": text for name, text in inside.items()}
            if environment.containers == "lxc":
                own[f"var/lib/lxc/{host.container}/linkworth.conf"] = lxc_config(environment, host)
            else:
                own[f"etc/systemd/nspawn/{host.container}.nspawn"] = nspawn_config(environment)
                own |= beside_nspawn or {}
        found |= {f"{host.name}/{name}": text for name, text in own.items()}
    return found


def owner_files(environment: HostConfiguration, host: Host) -> dict[str, str]:
    """Return the files of the owner of the addresses, the host or its container: path -> text."""
    found = {"etc/hosts.linkworth": hosts(environment)}
    if len(environment.lanes) > 1:
        found["etc/sysctl.d/60-linkworth.conf"] = CLOSE_ARP
    if environment.mptcp:
        found["etc/systemd/system/linkworth-mptcp.service"] = mptcp_unit(environment, host)
    return found


def hosts(environment: HostConfiguration) -> str:
    """Return lines for /etc/hosts."""
    lines = ["# Written by linkworth: append to /etc/hosts."]
    for host in environment.hosts:
        name = host.container if environment.containers != "none" else host.name
        for lane in environment.lanes:
            own = f" {name}" if lane.number == 0 else ""
            lines.append(f"{environment.address(host, lane).partition('/')[0]}{own} {name}-{lane.number}")
    return "\n".join(lines) + "\n"


def mptcp_unit(environment: HostConfiguration, host: Host) -> str:
    """Return the unit that announces the MPTCP addresses to the kernel."""
    count = min(len(environment.lanes), MOST_SUBFLOWS)
    endpoints = "\n".join(
        f"ExecStart=ip mptcp endpoint add {environment.address(host, lane).partition('/')[0]} dev {nic} signal"
        for lane, nic in zip(environment.lanes, environment.owner_nics, strict=True)
    )
    return f"""# Written by linkworth.
[Unit]
Description=Use every NIC for one MPTCP connection
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=sysctl -w net.mptcp.enabled=1
ExecStart=ip mptcp endpoint flush
ExecStart=ip mptcp limits set subflows {count} add_addr_accepted {count}
{endpoints}
ExecStop=ip mptcp endpoint flush

[Install]
WantedBy=multi-user.target
"""


def lxc_config(environment: HostConfiguration, host: Host) -> str:
    """Return the network part of a container of LXC (lxc.container.conf)."""
    lines = [f"# Written by linkworth: lxc.include this file in /var/lib/lxc/{host.container}/config."]
    for lane in environment.lanes:
        key = f"lxc.net.{lane.number}"
        lines += [
            f"{key}.type = veth",
            f"{key}.link = {lane.bridge}",
            f"{key}.name = {lane.container_nic}",
            f"{key}.mtu = {environment.mtu}",
            f"{key}.ipv4.address = {environment.address(host, lane)}",
            f"{key}.flags = up",
        ]
    return "\n".join(lines) + "\n"


def nspawn_config(environment: HostConfiguration) -> str:
    """Return the settings of a container of systemd-nspawn (systemd.nspawn)."""
    extra = "\n".join(
        f"VirtualEthernetExtra={veth(lane.number)}:{lane.container_nic}" for lane in environment.lanes
    )
    return f"# Written by linkworth.\n[Network]\nPrivate=yes\nVirtualEthernet=no\n{extra}\n"


def veth(lane: int) -> str:
    """Return the name of the host's end of a container's NIC."""
    return f"lw-d{lane}"
