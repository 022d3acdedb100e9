"""Kernel features that an emulated network needs, tried in a network namespace of their own."""

from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import kernel
from linkworth.model.environment import Check

_TRIED = {
    "veth": ("links of an emulated cluster", "ip link add lw0 type veth peer name lw1"),
    "bridge": ("switches of an emulated cluster", "ip link add lw0 type bridge"),
    "tbf": (
        "bandwidth of an emulated link",
        "tc qdisc add dev lo root tbf rate 1gbit burst 128kb latency 20ms",
    ),
    "netem": ("latency and loss of an emulated link", kernel.NETEM),
    "bonding": ("several links used as one", kernel.BONDING),
}
_CONTAINERS = {"systemd-nspawn": "systemd-nspawn", "LXC": "lxc-execute"}


def features(proc: Path = Path("/proc")) -> list[Check]:
    """Try each feature; `present` is None if it could not be tried."""
    users = _feature("user namespaces", "an emulated cluster without root", "true", only_user=True)
    networks = _feature("network namespaces", "an emulated cluster", "true")
    if networks.present:
        others = [_feature(name, *of) for name, of in _TRIED.items()]
    else:
        others = [
            _check(name, purpose, None, "could not be tried here") for name, (purpose, _) in _TRIED.items()
        ]
    return [users, networks, *others, _mptcp(proc), *(_container(*of) for of in _CONTAINERS.items())]


def _feature(name: str, purpose: str, command: str, *, only_user: bool = False) -> Check:
    try:
        trouble = kernel.trouble(command, only_user=only_user)
    except EnvironmentLacksError as error:
        return _check(name, purpose, None, f"not tried: {error}")
    return _check(name, purpose, not trouble, trouble)


def _container(name: str, tool: str) -> Check:
    purpose = "containers as nodes of an emulated cluster"
    try:
        return _check(name, purpose, True, kernel.tool(tool))
    except EnvironmentLacksError:
        return _check(
            name,
            purpose,
            False,
            f"{tool} is not on PATH",
            remedy=f"apt-get install {kernel.package_of(tool)}",
        )


def _mptcp(proc: Path) -> Check:
    purpose = "one connection over links"
    try:
        enabled = (proc / "sys/net/mptcp/enabled").read_text().strip() == "1"
    except OSError:
        return _check("MPTCP", purpose, False, "the kernel was built without it")
    if enabled:
        return _check("MPTCP", purpose, True, "")
    return _check("MPTCP", purpose, False, "switched off", remedy="sysctl net.mptcp.enabled=1")


def _check(name: str, purpose: str, present: bool | None, detail: str, *, remedy: str = "") -> Check:
    return Check(group="kernel", name=name, present=present, detail=detail, purpose=purpose, remedy=remedy)
