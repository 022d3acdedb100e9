"""Starts a container in a node: run in the node's namespaces as `python -m linkworth.lab.container KIND TOOL NODE`.

The container has the node's network and its own file system: an overlay of the machine's, with changes in
memory. Home folders and all else outside the system are the machine's, as on a cluster with a shared file
system. The program prints `inside PID` when the container is up, and lives as long as the container.
"""

import contextlib
import os
import sys
from pathlib import Path

from linkworth.lab import cgroups, system
from linkworth.lab.plan import MARK
from linkworth.places import proc

SCRATCH = "/dev/shm/linkworth-container"
"""Inside the node's own memory file system, so that it vanishes with the node's mounts."""
MARK_FILE = "/etc/linkworth-container"
"""File in the container with its kind and the node's name."""

_SYSTEM = {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "lost+found", "proc", "run", "sbin", "sys",
           "usr", "var"}  # fmt: skip
_KEPT_ALONE = ("/etc/", "/usr/", "/var/", "/boot/")
_PAYLOAD = ["/bin/sh", "-c", "echo up; exec sleep infinity"]


def main(words: list[str]) -> int:
    """Run as the parent of a container."""
    kind, tool, node = words
    try:
        root = _file_system(kind, node)
        command = _nspawn(tool, node, root) if kind == "nspawn" else _lxc(tool, node, root)
    except OSError as error:
        _say(f"cannot make its file system: {error}")
        return 1
    process = proc.dependent(command)
    assert process.stdout is not None
    said = ""
    while line := process.stdout.readline().decode(errors="replace").strip():
        if line == "up":
            _say(f"inside {_first_inside(process.pid)}")
            return process.wait()
        said = line
    process.wait()
    _say(said or f"{tool} ended with exit code {process.returncode}")
    return 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _file_system(kind: str, node: str) -> Path:
    """Mount the container's file system and return its path."""
    scratch = Path(SCRATCH)
    scratch.mkdir()
    system.mount("tmpfs", SCRATCH, "tmpfs")
    root = scratch / "root"
    for name in ("upper", "work", "root", "run", "run-work"):
        (scratch / name).mkdir()
    _overlay("/", scratch / "upper", scratch / "work", root)
    # The tools' lock files would remain on the machine otherwise.
    _overlay("/run", scratch / "run", scratch / "run-work", Path("/run"))
    # Keep the binds below from including this mount again.
    system.mount("none", SCRATCH, flags=system.MS_UNBINDABLE)
    for folder in sorted(Path("/").iterdir()):
        if folder.is_dir() and not folder.is_symlink() and folder.name not in _SYSTEM:
            system.mount(str(folder), str(root / folder.name), flags=system.MS_BIND | system.MS_REC)
    for place in _mount_points():
        if place.startswith(_KEPT_ALONE) and (root / place[1:]).exists():
            system.mount(place, str(root / place[1:]), flags=system.MS_BIND)
    (root / MARK_FILE[1:]).write_text(f"{kind} {node}\n")
    return root


def _overlay(lower: str, upper: Path, work: Path, target: Path) -> None:
    system.mount("overlay", str(target), "overlay", data=f"lowerdir={lower},upperdir={upper},workdir={work}")


def _mount_points() -> list[str]:
    lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    return [line.split()[1].replace("\\040", " ") for line in lines]


def _nspawn(tool: str, node: str, root: Path) -> list[str]:
    # Its groups are below the lab's mark, by which the lab finds them at its end.
    cgroups.enter_marked(os.environ[MARK], f"{node}-nspawn", ["name=systemd", ""])
    return [
        tool,
        "--quiet",
        "--register=no",
        "--keep-unit",
        "--link-journal=no",
        "--resolv-conf=off",
        "--timezone=off",
        "--as-pid2",
        "--console=pipe",
        f"--directory={root}",
        f"--machine={node}",
        "--network-namespace-path=/proc/self/ns/net",
        f"--setenv={MARK}={os.environ[MARK]}",
        *_PAYLOAD,
    ]


def _lxc(tool: str, node: str, root: Path) -> list[str]:
    config = Path(SCRATCH, "lxc.conf")
    folder = Path(SCRATCH, "lxc")
    (folder / node).mkdir(parents=True)
    config.write_text(
        f"lxc.rootfs.path = dir:{root}\n"
        f"lxc.uts.name = {node}\n"
        "lxc.net.0.type = none\n"
        "lxc.mount.auto = proc:rw sys:ro\n"
        "lxc.mount.entry = tmpfs dev/shm tmpfs rw,nosuid,nodev,create=dir,mode=1777 0 0\n"
        "lxc.autodev = 1\n"
        "lxc.apparmor.profile = unconfined\n"
        "lxc.cgroup.relative = 1\n"
        f"lxc.cgroup.dir = {cgroups.marked(os.environ[MARK])}/{node}-lxc\n"
        f"lxc.environment = {MARK}={os.environ[MARK]}\n"
    )
    return [tool, "-n", node, "-P", str(folder), "-f", str(config), "--", *_PAYLOAD]


def _first_inside(tool: int) -> int:
    """Return the PID on the machine of the container's process 1."""
    parents = {}
    for pid in proc.all_pids():
        with contextlib.suppress(OSError, KeyError):
            status = Path(f"/proc/{pid}/status").read_text(errors="replace")
            fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
            parents[pid] = (int(fields["PPid"]), fields["NSpid"].split())
    depth = len(parents[os.getpid()][1])
    for pid, (_, numbers) in sorted(parents.items()):
        ancestor = pid
        while ancestor in parents and ancestor != tool:
            ancestor = parents[ancestor][0]
        if ancestor == tool and len(numbers) == depth + 1 and numbers[-1] == "1":
            return pid
    raise SystemExit("the container's first process cannot be found")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
