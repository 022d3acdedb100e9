"""Control groups of a lab, below one group with its mark: those that count each node's CPU time, if the user may make
them, and those of container tools."""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

PATIENCE_SECONDS = 10.0
"""Time that the kernel may take to release killed processes."""


def marked(mark: str) -> str:
    """Return the name of the group with everything of a lab."""
    return f"linkworth-{mark}"


def make(mark: str, names: list[str]) -> dict[str, str]:
    """Make a group per place inside this process's group, so that its limits apply. Return {} on failure."""
    parent = _accounting()
    if parent is None:
        return {}
    made: dict[str, str] = {}
    try:
        for name in names:
            folder = parent / marked(mark) / name
            folder.mkdir(parents=True)
            made[name] = str(folder)
    except OSError:
        _remove_tree(parent / marked(mark))
        return {}
    return made


def core_seconds(group: str) -> list[float]:
    """Return the CPU time of a group on each core, in seconds. [] if there is none or it is unreadable."""
    if not group:
        return []
    with contextlib.suppress(OSError, ValueError):
        return [int(word) * 1e-9 for word in Path(group, "cpuacct.usage_percpu").read_text().split()]
    return []


def enter_marked(mark: str, name: str, kinds: Iterable[str]) -> None:
    """Move this process into its own group in these hierarchies, if permitted."""
    groups = _own_groups()
    for kind in kinds:
        if kind in groups:
            with contextlib.suppress(OSError):
                folder = groups[kind] / marked(mark) / name
                folder.mkdir(parents=True)
                (folder / "cgroup.procs").write_text(str(os.getpid()))


def remove_marked(mark: str, anywhere: bool = False) -> None:
    """Remove the groups of an ended lab. `anywhere`: also below other processes' groups."""
    if not anywhere:
        bases = list(_own_groups().values())
    else:
        bases = [Path(folder) for mount in _mounts().values() for folder, _, _ in os.walk(mount)]
    for base in bases:
        _remove_tree(base / marked(mark))


def _remove_tree(top: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while top.is_dir() and time.monotonic() < until:
        for folder, _, _ in os.walk(top, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()
        if top.is_dir():
            time.sleep(0.01)


def _accounting() -> Path | None:
    """Return this process's group of CPU accounting, if it may be written. Only cgroup 1 counts by core."""
    for controllers, folder in _own_groups().items():
        if "cpuacct" in controllers.split(","):
            return folder if os.access(folder, os.W_OK) else None
    return None


def _own_groups() -> dict[str, Path]:
    """Return this process's group in every hierarchy: controllers (or `name=systemd`; "" for cgroup 2) -> folder."""
    mounts = _mounts()
    found = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in mounts:
                found[controllers] = mounts[controllers] / path.lstrip("/")
    return found


def _mounts() -> dict[str, Path]:
    """Return the mount points of the hierarchies: controllers as in /proc/self/cgroup -> folder."""
    found = {}
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            place = Path(before.split(" ")[4])
            if kind == "cgroup2":
                found[""] = place
            elif kind == "cgroup":
                about = set(options.rpartition(" ")[2].split(","))
                for listed in _hierarchies():
                    if listed and set(listed.split(",")) <= about:
                        found[listed] = place
    return found


def _hierarchies() -> list[str]:
    return [line.split(":", 2)[1] for line in Path("/proc/self/cgroup").read_text().splitlines()]
