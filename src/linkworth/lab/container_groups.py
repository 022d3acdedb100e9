"""Control groups of container tools, kept below a group with the lab's mark for their removal."""

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


def own_groups() -> dict[str, Path]:
    """Return this process's group in every hierarchy: controllers (or `name=systemd`; "" for cgroup 2) -> folder."""
    mounts = _mounts()
    found = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in mounts:
                found[controllers] = mounts[controllers] / path.lstrip("/")
    return found


def enter_marked(mark: str, name: str, kinds: Iterable[str]) -> None:
    """Move this process into its own group in these hierarchies, if permitted."""
    groups = own_groups()
    for kind in kinds:
        if kind in groups:
            with contextlib.suppress(OSError):
                folder = groups[kind] / marked(mark) / name
                folder.mkdir(parents=True)
                (folder / "cgroup.procs").write_text(str(os.getpid()))


def remove_marked(mark: str, anywhere: bool = False) -> None:
    """Remove the groups of an ended lab. `anywhere`: also below other processes' groups."""
    if not anywhere:
        bases = list(own_groups().values())
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
