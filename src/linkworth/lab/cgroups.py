"""Control groups that count the CPU time of each node, if the user may make them."""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path


def make(lab: str, names: list[str]) -> dict[str, str]:
    """Make a group per place inside this process's group, so that its limits apply. Return {} on failure."""
    parent = _own_group()
    if parent is None:
        return {}
    base = parent / f"linkworth-{lab}"
    made: dict[str, str] = {}
    try:
        base.mkdir()
        for name in names:
            (base / name).mkdir()
            made[name] = str(base / name)
    except OSError:
        remove(made.values())
        with contextlib.suppress(OSError):
            base.rmdir()
        return {}
    return made


def remove(groups: Iterable[str]) -> None:
    """Remove the groups and the folder above them. Their processes have ended."""
    folders = [Path(group) for group in groups]
    for folder in [*folders, *{folder.parent for folder in folders}]:
        # The kernel takes a moment to release a killed process.
        for _ in range(100):
            try:
                folder.rmdir()
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.01)
            else:
                break


def core_seconds(group: str) -> list[float]:
    """Return the CPU time of a group on each core, in seconds. [] if there is none or it is unreadable."""
    if not group:
        return []
    with contextlib.suppress(OSError, ValueError):
        return [int(word) * 1e-9 for word in Path(group, "cpuacct.usage_percpu").read_text().split()]
    return []


def _own_group() -> Path | None:
    """This process's group of CPU accounting. Cgroup 1 is preferred, since only it counts by core."""
    mounts = _mounts()
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if "cpuacct" in controllers.split(",") and "cpuacct" in mounts:
                folder = mounts["cpuacct"] / path.lstrip("/")
                return folder if os.access(folder, os.W_OK) else None
    return None


def _mounts() -> dict[str, Path]:
    found = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            kind, _, options = after.split(" ", 2)
            if kind == "cgroup" and "cpuacct" in options.rpartition(" ")[2].split(","):
                found["cpuacct"] = Path(before.split(" ")[4])
    return found
