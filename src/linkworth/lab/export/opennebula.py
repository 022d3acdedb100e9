"""OpenNebula with LXC: netplan files for the hosts, a virtual network per bridge, and a template per container."""

import ipaddress

from linkworth.lab.export import netplan, shared
from linkworth.lab.export.environment import Host, HostConfiguration


def files(environment: HostConfiguration) -> dict[str, str]:
    """Return the files of every host and the input of the front end: path -> text."""
    found: dict[str, str] = {}
    for number in range(len(environment.lanes)):
        found[f"frontend/linkworth-{number}.net"] = virtual_network(environment, number)
    for host in environment.hosts:
        found[f"frontend/{host.container}.tmpl"] = template(environment, host)
        found[f"{host.name}/{netplan.PATH}"] = netplan.host_yaml(environment, host)
        found |= {
            f"{host.container}/{path}": text for path, text in shared.owner_files(environment, host).items()
        }
    return found


def virtual_network(environment: HostConfiguration, number: int) -> str:
    """Return a virtual network's template for an existing bridge of the hosts, input of `onevnet create`."""
    lane = environment.lanes[number]
    network = ipaddress.ip_network(lane.network)
    return f"""# Written by linkworth: onevnet create linkworth-{number}.net
NAME = "linkworth-{number}"
VN_MAD = "bridge"
BRIDGE = "{lane.bridge}"
MTU = "{environment.mtu}"
GUEST_MTU = "{environment.mtu}"
NETWORK_ADDRESS = "{network.network_address}"
NETWORK_MASK = "{network.netmask}"
AR = [
  TYPE = "IP4",
  IP = "{network[1]}",
  SIZE = "{len(environment.hosts)}"
]
"""


def template(environment: HostConfiguration, host: Host) -> str:
    """Return the part of a virtual machine's template for its networks and its host."""
    nics = "\n".join(
        f'NIC = [\n  NETWORK = "linkworth-{lane.number}",\n'
        f'  IP = "{environment.address(host, lane).partition("/")[0]}"\n]'
        for lane in environment.lanes
    )
    return f"""# Written by linkworth: add CPU, MEMORY and DISK of your image, then onetemplate create {host.container}.tmpl
NAME = "{host.container}"
HYPERVISOR = "lxc"
SCHED_REQUIREMENTS = "NAME=\\"{host.name}\\""
CONTEXT = [
  NETWORK = "YES",
  SET_HOSTNAME = "{host.container}"
]
{nics}
"""
