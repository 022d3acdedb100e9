"""Kernel features that an emulated network needs, tried in a network namespace of their own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from linkworth.model.environment import Check

# CLONE_NEWUSER and CLONE_NEWNET of <linux/sched.h>. A separate process is needed: it cannot leave a namespace.
_PROBE = """
import contextlib, ctypes, json, os, pathlib, subprocess, sys
NEWUSER, NEWNET = 0x10000000, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
result = {}
def unshare(flags):
    return "" if libc.unshare(flags) == 0 else os.strerror(ctypes.get_errno())
if os.fork() == 0:
    os._exit(0 if not unshare(NEWUSER) else 1)
result["user namespaces"] = "" if os.wait()[1] == 0 else "the kernel or its settings forbid them"
def own_network():
    if not unshare(NEWNET):
        return ""
    user, group = os.getuid(), os.getgid()
    trouble = unshare(NEWUSER | NEWNET)
    # A user without a number in the namespace loses all rights when another program starts.
    for name, text in {"setgroups": "deny", "uid_map": f"0 {user} 1", "gid_map": f"0 {group} 1"}.items():
        with contextlib.suppress(OSError):
            pathlib.Path("/proc/self", name).write_text(text)
    return trouble
result["network namespaces"] = own_network()
def tried(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    words = (done.stderr or done.stdout).strip().splitlines()
    return "" if done.returncode == 0 else (words[-1] if words else "it failed")
ip, tc = sys.argv[1:3]
if not result["network namespaces"] and ip:
    result["veth"] = tried(ip, "link", "add", "lw0", "type", "veth", "peer", "name", "lw1")
    result["bonding"] = tried(ip, "link", "add", "lwb", "type", "bond")
    if tc and not result["veth"]:
        result["netem"] = tried(tc, "qdisc", "add", "dev", "lw0", "root", "netem", "delay", "1ms")
        result["tbf"] = tried(tc, "qdisc", "add", "dev", "lw1", "root", "tbf", "rate", "1gbit", "burst", "128kb",
                              "latency", "20ms")
print(json.dumps(result))
"""
_PURPOSES = {
    "user namespaces": "an emulated cluster without root",
    "network namespaces": "an emulated cluster",
    "veth": "links of an emulated cluster",
    "tbf": "bandwidth of an emulated link",
    "netem": "latency and loss of an emulated link",
    "bonding": "several links used as one",
}
_CONTAINERS = {"systemd-nspawn": ("systemd-nspawn", "systemd-container"), "LXC": ("lxc-execute", "lxc")}
_GET_TOOLS = "apt-get install iproute2 (or: dnf install iproute iproute-tc)"


def features(proc: Path = Path("/proc")) -> list[Check]:
    """Try each feature; `present` is None if it could not be tried."""
    ip, tc = (
        shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or ""
        for tool in ("ip", "tc")
    )
    trouble: dict[str, str] = {}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROBE, ip, tc],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        trouble = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        pass
    checks = [_feature(name, trouble.get(name), ip, tc) for name in _PURPOSES]
    return [*checks, _mptcp(proc), *(_container(name, *of) for name, of in _CONTAINERS.items())]


def _feature(name: str, trouble: str | None, ip: str, tc: str) -> Check:
    tool_missing = trouble is None and (not ip or (name in ("netem", "tbf") and not tc))
    detail = trouble or ""
    if trouble is None:
        detail = "not tried: the ip or tc command is missing" if tool_missing else "could not be tried here"
    return Check(
        group="kernel",
        name=name,
        present=None if trouble is None else not trouble,
        detail=detail,
        purpose=_PURPOSES[name],
        remedy=_GET_TOOLS if tool_missing else "",
    )


def _container(name: str, tool: str, package: str) -> Check:
    path = shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    return Check(
        group="kernel",
        name=name,
        present=path is not None,
        detail=path or f"{tool} is not on PATH",
        purpose="containers as nodes of an emulated cluster",
        remedy="" if path else f"apt-get install {package} (or: dnf install {package})",
    )


def _mptcp(proc: Path) -> Check:
    file = proc / "sys/net/mptcp/enabled"
    try:
        enabled = file.read_text().strip() == "1"
        detail = "" if enabled else "switched off"
        remedy = "" if enabled else "sysctl net.mptcp.enabled=1"
    except OSError:
        enabled, detail, remedy = False, "the kernel was built without it", ""
    return Check(
        group="kernel",
        name="MPTCP",
        present=enabled,
        detail=detail,
        purpose="one connection over links",
        remedy=remedy,
    )
