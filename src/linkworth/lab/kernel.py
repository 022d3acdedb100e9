"""Kernel features and tools that a lab needs."""

import contextlib
import functools
import os
import shutil
import subprocess
from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.mpi.identify import patience

_SBIN = "/usr/local/sbin:/usr/sbin:/sbin"
# CAP_NET_ADMIN and CAP_SYS_ADMIN of <linux/capability.h>
_NEEDED = 1 << 12 | 1 << 21
_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2 (or iproute-tc)",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "nft": "nftables",
    "systemd-nspawn": "systemd-container",
    "lxc-execute": "lxc",
}


NETEM = "tc qdisc add dev lo root netem delay 1ms"
BONDING = "ip link add lw0 type bond"


def tool(name: str) -> str:
    """Return the path of a system tool. Raises EnvironmentLacksError if it is not installed."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{_SBIN}")
    if found is None:
        raise EnvironmentLacksError(f"a lab needs the command {name}; install {package_of(name)}")
    return found


def package_of(name: str) -> str:
    """Return the package of a system tool, as Debian names it."""
    return _PACKAGES.get(name, name)


def may_make_namespaces() -> bool:
    """Return whether this process has the rights itself, so that no user namespace is needed (root in a
    container may not)."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "CapEff":
                return int(value, 16) & _NEEDED == _NEEDED
    return False


@functools.cache
def has_netem() -> bool:
    """Return whether the kernel can delay and lose packets."""
    return not trouble(NETEM)


@functools.cache
def has_bonding() -> bool:
    """Return whether the kernel can bond NICs."""
    return not trouble(BONDING)


def trouble(command: str, *, only_user: bool = False) -> str:
    """Try a command in a new network namespace (`only_user`: user namespace). Return why it fails, "" if it does not.

    Raises EnvironmentLacksError if the tool is not installed.
    """
    name, *words = command.split()
    user = [] if may_make_namespaces() else ["--user", "--map-root-user"]
    new = ["--user"] if only_user else [*user, "--net"]
    tried = [tool("unshare"), *new, tool(name), *words]
    try:
        done = subprocess.run(tried, capture_output=True, text=True, check=False, timeout=patience(20.0))
    except subprocess.TimeoutExpired:
        return "it does not end"
    said = (done.stderr or done.stdout).strip().splitlines()
    return "" if done.returncode == 0 else (said[-1] if said else "it failed")
