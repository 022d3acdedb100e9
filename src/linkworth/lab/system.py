"""Linux system calls that a lab needs and that Python 3.11 lacks."""

import array
import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

# <linux/sched.h>, <sys/mount.h>, <linux/prctl.h>, <linux/ethtool.h>, <linux/sockios.h>
CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
MS_BIND = 0x1000
MS_MOVE = 0x2000
MS_REC = 0x4000
MS_UNBINDABLE = 0x20000
MS_PRIVATE = 0x40000
_SIOCETHTOOL = 0x8946
_ETHTOOL_SETTERS = (0x1F, 0x24, 0x2C)  # ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this process new namespaces. Raises OSError."""
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount `source` at `target`. Raises OSError."""
    arguments = (
        os.fsencode(source),
        os.fsencode(target),
        kind.encode(),
        ctypes.c_ulong(flags),
        os.fsencode(data),
    )
    _check(_libc.mount(*arguments), f"mount {target}")


def set_hostname(name: str) -> None:
    """Set the name of this UTS namespace."""
    encoded = name.encode()
    _check(_libc.sethostname(encoded, ctypes.c_size_t(len(encoded))), "sethostname")


def become_root_of_own_namespace() -> None:
    """Enter a new user namespace with root's rights. Raises OSError if the kernel forbids it."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def switch_offloads_off(interface: str) -> None:
    """Keep the kernel from joining or splitting packets of an interface, so that none exceeds its MTU."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for setter in _ETHTOOL_SETTERS:
            value = array.array("B", struct.pack("II", setter, 0))
            request = struct.pack("16sP", interface.encode(), value.buffer_info()[0])
            fcntl.ioctl(control, _SIOCETHTOOL, request)


def namespace_of(pid: int | str) -> int:
    """Return the number of a process's network namespace, 0 if the process has ended or cannot be read."""
    try:
        return Path(f"/proc/{pid}/ns/net").stat().st_ino
    except OSError:
        return 0
