"""Files that every format needs beside its own: kernel settings, MPTCP endpoints, names, container descriptions."""

from linkworth.lab.export.environment import Environment, Host

CLOSE_ARP = """# Written by linkworth. With several NICs in one switch, an address must be answered for by its own NIC only.
net.ipv4.conf.all.arp_ignore = 1
net.ipv4.conf.all.arp_announce = 2
net.ipv4.conf.all.rp_filter = 2
"""

MOST_SUBFLOWS = 8
"""The kernel's own limit of `ip mptcp limits` (MPTCP_SUBFLOWS_MAX, Linux 6.1)."""


def owner_files(environment: Environment, host: Host) -> dict[str, str]:
    """Return what belongs to whoever has the addresses, the host or its container: path -> text."""
    found = {"etc/hosts.linkworth": hosts(environment)}
    if len(environment.lanes) > 1:
        found["etc/sysctl.d/60-linkworth.conf"] = CLOSE_ARP
    if environment.mptcp:
        found["etc/systemd/system/linkworth-mptcp.service"] = mptcp_unit(environment, host)
    return found


def hosts(environment: Environment) -> str:
    """Return lines for /etc/hosts."""
    lines = ["# Written by linkworth: append to /etc/hosts."]
    for host in environment.hosts:
        name = host.container if environment.containers != "none" else host.name
        for lane in environment.lanes:
            own = f" {name}" if lane.number == 0 else ""
            lines.append(f"{environment.address(host, lane).partition('/')[0]}{own} {name}-{lane.number}")
    return "\n".join(lines) + "\n"


def mptcp_unit(environment: Environment, host: Host) -> str:
    """Return the unit that tells the kernel which addresses take part in MPTCP."""
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


def lxc_config(environment: Environment, host: Host) -> str:
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


def nspawn_config(environment: Environment) -> str:
    """Return the settings of a container of systemd-nspawn (systemd.nspawn)."""
    extra = "\n".join(
        f"VirtualEthernetExtra={veth(lane.number)}:{lane.container_nic}" for lane in environment.lanes
    )
    return f"# Written by linkworth.\n[Network]\nPrivate=yes\nVirtualEthernet=no\n{extra}\n"


def veth(lane: int) -> str:
    """Return the name of the host's end of a container's NIC."""
    return f"lw-d{lane}"
