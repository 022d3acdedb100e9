"""A place of a lab: a process that keeps the namespaces of a node (or of the head) and sets them up."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

from linkworth.lab import system
from linkworth.lab.plan import PlacePlan, PlanCommand
from linkworth.places import proc

NAMESPACES = system.CLONE_NEWNET | system.CLONE_NEWUTS | system.CLONE_NEWNS | system.CLONE_NEWIPC
"""There is no PID namespace, since launchers of one node could not start or signal processes on another."""


READY = ("ready", "inside ")
"""Starts of the line that a program prints when it serves. Any other line is a reason for failure."""


class PlaceError(Exception):
    """A place cannot be made. `lacks` is true if the kernel lacks something."""

    def __init__(self, message: str, *, lacks: bool) -> None:
        super().__init__(message)
        self.lacks = lacks

    @classmethod
    def of(cls, error: "PlaceError | OSError") -> "PlaceError":
        """Return the error itself, or one with what the system refused: a full disk, a limit of processes."""
        if isinstance(error, PlaceError):
            return error
        what = f"{error.filename}: " if error.filename else ""
        return cls(f"{what}{error.strerror}", lacks=True)


def enter_namespaces(name: str, hosts: Path, scratch: Path) -> None:
    """Give this process its own namespaces, and the files that differ between nodes.

    Everything else (programs, home folders, traces, also /tmp) is the machine's, like a cluster's shared file
    system. `scratch` is a folder of the lab, used while mounting.
    """
    try:
        system.unshare(NAMESPACES)
        system.set_hostname(name)
        system.mount("none", "/", flags=system.MS_REC | system.MS_PRIVATE)
    except OSError as error:
        raise PlaceError(f"the kernel gives no namespaces: {error.strerror}", lacks=True) from None
    try:
        # Ranks of two nodes must not find each other in shared memory.
        system.mount("tmpfs", "/dev/shm", "tmpfs", data="mode=1777")
        _replace_file("/etc/hosts", hosts)
        hostname = scratch / f"{name}.hostname"
        hostname.write_text(f"{name}\n")
        _replace_file("/etc/hostname", hostname)
        _own_sys(scratch / f"{name}.sys")
    except OSError as error:
        raise PlaceError(f"cannot mount the file systems of {name}: {error.strerror}", lacks=True) from None


def _replace_file(path: str, source: Path) -> None:
    if Path(path).exists():
        system.mount(str(source), path, flags=system.MS_BIND)


def _own_sys(scratch: Path) -> None:
    """Show the node's own NICs below /sys (UCX and libfabric look there), and keep the machine's cgroups."""
    scratch.mkdir()
    system.mount("sysfs", str(scratch), "sysfs")
    cgroups = scratch / "fs/cgroup"
    if cgroups.is_dir():
        with contextlib.suppress(OSError):
            system.mount("/sys/fs/cgroup", str(cgroups), flags=system.MS_BIND | system.MS_REC)
    system.mount(str(scratch), "/sys", flags=system.MS_MOVE)


class Staying(NamedTuple):
    """A program that serves as long as the lab is up."""

    process: subprocess.Popen[bytes]
    said: str
    """Line that it printed when it was ready."""

    @property
    def inside(self) -> str:
        """PID of the container's first process if the program is a container, else ""."""
        return self.said.removeprefix("inside ") if self.said.startswith("inside ") else ""


def carry_out(plan: PlacePlan, pids: dict[str, int], tools: dict[str, str]) -> list[Staying]:
    """Carry out the plan in this place, and return the programs that stay. Raises PlaceError."""
    for file, value in plan.settings.items():
        with contextlib.suppress(FileNotFoundError):  # a kernel without IPv6 has nothing to switch off
            Path("/proc/sys/net", file).write_text(value)
    _batch(tools["ip"], [_with_pids(line, pids) for line in plan.ip])
    for interface in plan.offloads_off:
        try:
            system.switch_offloads_off(interface)
        except OSError as error:
            raise PlaceError(f"cannot switch GSO, TSO and GRO off: {error.strerror}", lacks=True) from None
    _batch(tools["tc"], plan.tc)
    staying = []
    for command in plan.commands:
        started = _command(command, [_with_pids(word, pids) for word in command.words])
        if started is not None:
            staying.append(started)
    return staying


def _with_pids(text: str, pids: dict[str, int]) -> str:
    for place, pid in pids.items():
        text = text.replace(f"{{{place}}}", str(pid))
    return text


def _batch(tool: str, lines: list[str]) -> None:
    if not lines:
        return
    done = subprocess.run(
        [tool, "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return
    words = done.stderr.strip().splitlines() or ["it failed"]
    # The last line of its output is "Command failed -:<line number>".
    number = words[-1].rpartition(":")[2]
    failed = lines[int(number) - 1] if number.isdecimal() and 0 < int(number) <= len(lines) else lines[0]
    raise PlaceError(f"the kernel refuses `{Path(tool).name} {failed}`: {words[0]}", lacks=True)


def _command(command: PlanCommand, words: list[str]) -> Staying | None:
    try:
        return _started(command, words)
    except OSError as error:
        raise PlaceError(
            f"{command.purpose}: cannot start {words[0]}: {error.strerror}", lacks=True
        ) from None


def _started(command: PlanCommand, words: list[str]) -> Staying | None:
    if not command.stays:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            reason = (done.stderr or done.stdout).strip().splitlines()
            raise PlaceError(f"{command.purpose}: {reason[-1] if reason else 'it failed'}", lacks=True)
        return None
    process = proc.dependent(words)
    assert process.stdout is not None
    ready = process.stdout.readline().decode(errors="replace").strip()
    if not ready.startswith(READY):
        process.wait()
        raise PlaceError(f"{command.purpose}: {ready or 'it ended at once'}", lacks=True)
    return Staying(process, ready)


def stay(staying: list[Staying], until: int) -> None:
    """Keep the namespaces until the supervisor closes the pipe `until`. Reap the staying programs that end."""

    def reap(_number: int, _frame: object) -> None:
        for one in staying:
            one.process.poll()

    signal.signal(signal.SIGCHLD, reap)
    reap(0, None)
    while os.read(until, 1):
        pass
