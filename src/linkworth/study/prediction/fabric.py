"""Fabric of an environment's predictions."""

import msgspec

from linkworth.catalog import fabrics, virtual
from linkworth.errors import UsageError
from linkworth.lab.spec import LabSpec, with_options
from linkworth.model.fabric import Fabric
from linkworth.model.study import Environment
from linkworth.mpi.transports import SHARED_MEMORY, SINGLE_COPY, SOCKETS

_AGGREGATION = {
    "stripe": "stripe",
    "mptcp": "packet",
    "roundrobin": "roundrobin",
    "bond": "roundrobin",
    "bond:balance-rr": "roundrobin",
    "bond:balance-xor": "connection",
    "bond:802.3ad": "connection",
    "packet": "packet",
    "connection": "connection",
    "message": "message",
}
"""Unit of traffic that each aggregation spreads over the NICs. MPTCP splits a connection and orders it again."""

_INSIDE = (
    dict.fromkeys(SOCKETS, "loopback")
    | dict.fromkeys(SHARED_MEMORY, "shm-copies")
    | dict.fromkeys(SINGLE_COPY, "shm")
)
"""Fabric whose link is the path inside a node, by transport."""


def takes_transport(environment: Environment) -> bool:
    """Return whether a prediction takes the environment's transport.

    It has figures of shared memory for the catalog's node only. A path that was measured stays as it is.
    """
    return environment.transport in SOCKETS or (
        environment.transport in _INSIDE
        and fabrics.get(environment.fabric).intranode
        in (fabrics.get(inside).link for inside in ("shm", "shm-ucx"))
    )


def fabric_of(environment: Environment) -> Fabric:
    """Return the environment's fabric with its rate, latency, MTU, NICs, aggregation and transport.

    Raises UsageError for contradictory values.
    """
    fabric = fabrics.get(environment.fabric)
    if environment.nics is not None and environment.nics > 1:
        fabric = fabrics.get(f"{environment.fabric}x{environment.nics}")
    link = fabric.link
    given = {"rate": environment.rate, "latency": environment.latency}
    asked = with_options(LabSpec(), {name: text for name, text in given.items() if text})
    if asked.rate is not None:
        link = msgspec.structs.replace(link, bandwidth_bytes_per_second=asked.rate / 8)
    if asked.latency is not None:
        link = msgspec.structs.replace(link, latency_seconds=asked.latency)
    if environment.mtu is not None:
        if link.mtu_bytes == 0 or environment.mtu <= link.header_in_mtu_bytes:
            raise UsageError(
                f"{environment.name}: {fabric.name} has no packets with an MTU of {environment.mtu}"
            )
        link = msgspec.structs.replace(link, mtu_bytes=environment.mtu)
    fabric = msgspec.structs.replace(fabric, link=link)
    if environment.aggregation:
        if environment.aggregation not in _AGGREGATION:
            raise UsageError(
                f"{environment.name}: the replay has no aggregation {environment.aggregation!r}; "
                f"choose {', '.join(_AGGREGATION)}"
            )
        fabric = msgspec.structs.replace(fabric, aggregation=_AGGREGATION[environment.aggregation])
    if environment.isolation in virtual.KINDS:
        fabric = virtual.virtualised(fabric, environment.isolation)
    if takes_transport(environment):
        fabric = msgspec.structs.replace(fabric, intranode=fabrics.get(_INSIDE[environment.transport]).link)
    return msgspec.structs.replace(fabric, name=environment.name)
