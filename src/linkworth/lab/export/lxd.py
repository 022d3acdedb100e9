"""LXD (and Incus): netplan files for the hosts, a profile with the NICs, and each instance's own networks."""

from linkworth.lab.export import netplan, shared
from linkworth.lab.export.environment import Host, HostConfiguration

PROFILE = "linkworth-profile.yaml"


def files(environment: HostConfiguration) -> dict[str, str]:
    """Return the files of every host and the input of LXD: path -> text."""
    found: dict[str, str] = {PROFILE: profile(environment)}
    for host in environment.hosts:
        found[f"{host.name}/{netplan.PATH}"] = netplan.host_yaml(environment, host)
        found[f"{host.name}/{host.container}.yaml"] = instance(environment, host)
    return found


def profile(environment: HostConfiguration) -> str:
    """Return the profile, input of `lxc profile edit linkworth`."""
    lines = [
        "# Written by linkworth: lxc profile create linkworth; lxc profile edit linkworth < " + PROFILE,
        "name: linkworth",
        "description: NICs on the hosts' bridges",
        "config: {}",
        "devices:",
    ]
    for lane in environment.lanes:
        lines += [
            f"  {lane.container_nic}:",
            "    type: nic",
            "    nictype: bridged",
            f"    parent: {lane.bridge}",
            f"    name: {lane.container_nic}",
            f'    mtu: "{environment.mtu}"',
        ]
    return "\n".join(lines) + "\n"


def instance(environment: HostConfiguration, host: Host) -> str:
    """Return an instance's configuration, input of `lxc init`. Addresses and files come from cloud-init."""
    name = host.container
    lines = [
        f"# Written by linkworth: lxc init IMAGE {name} -p default -p linkworth < {name}.yaml; IMAGE with cloud-init",
        "config:",
        "  cloud-init.network-config: |",
        *_indented(netplan.container_yaml(environment, host).replace("network:\n", "", 1), cut=2),
        "  cloud-init.user-data: |",
        "    #cloud-config",
        "    write_files:",
    ]
    inside = shared.owner_files(environment, host)
    for path, text in inside.items():
        lines += [f"      - path: /{path}", "        content: |", *_indented(text, by=10)]
    lines.append("    runcmd:")
    lines.append("      - cat /etc/hosts.linkworth >> /etc/hosts")
    if len(environment.lanes) > 1:
        lines.append("      - sysctl --system")
    if environment.mptcp:
        lines.append("      - systemctl enable --now linkworth-mptcp.service")
    return "\n".join(lines) + "\n"


def _indented(text: str, *, by: int = 4, cut: int = 0) -> list[str]:
    """Return lines moved to the right, after removing up to `cut` leading blanks."""
    return [
        " " * by + line.removeprefix(" " * cut)
        for line in text.splitlines()
        if not line.startswith("# Written")
    ]
