"""Named requirements of tests. Each check returns None, or the reason why this machine lacks it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import network_namespaces
import virtual_machine


def _program(*names: str) -> str | None:
    if any(shutil.which(name) for name in names):
        return None
    return f"{' or '.join(names)} is not installed"


def _quantum_espresso() -> str | None:
    if not Path("/usr/share/espresso/pseudo/H.pz-vbc.UPF").exists():
        return "quantum-espresso-data is not installed"
    return _program("pw.x")


def _mpi(kind: str | None = None) -> str | None:
    from linkworth.mpi import find

    kinds = {mpi.kind for mpi in find.find_all()}
    if not kinds:
        return "no MPI was found"
    if kind is not None and kind not in kinds:
        return f"no {kind} was found"
    return None


def _several_mpis() -> str | None:
    from linkworth.mpi import find

    return None if len(find.find_all()) > 1 else "fewer than two MPIs were found"


def _cores(least: int) -> str | None:
    here = len(os.sched_getaffinity(0))
    return None if here >= least else f"{here} cores here, {least} needed"


def _system_python(module: str) -> str | None:
    """A module of the system's Python: Debian's bindings of OTF2, or PyYAML, which comes with netplan."""
    if not Path("/usr/bin/python3").exists():
        return "there is no /usr/bin/python3"
    tried = subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], capture_output=True, check=False)
    return None if tried.returncode == 0 else f"the system's Python has no module {module}"


def _slurm() -> str | None:
    """Slurm's daemons, and the right to give each of a test cluster's nodes namespaces of its own."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    for program in ("slurmctld", "slurmd", "munged", "sbatch", "unshare", "setpriv"):
        if not shutil.which(program, path=places):
            return f"{program} is not installed"
    return _namespaces()


def _namespaces() -> str | None:
    """The right to give a process a name, a file system and shared memory of its own."""
    if os.geteuid() != 0:
        return "not root, which gives a process namespaces of its own"
    unshare = ["unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "true"]
    tried = subprocess.run(unshare, capture_output=True, check=False)
    return None if tried.returncode == 0 else "the kernel forbids namespaces"


def _reframe() -> str | None:
    """ReFrame, in the Python environment of the tests."""
    place = Path(sys.executable).parent / "reframe"
    return None if place.exists() else "reframe is not installed"


def _device_full() -> str | None:
    return None if Path("/dev/full").exists() else "/dev/full does not exist"


def _lab() -> str | None:
    """Namespaces, veth pairs, bridges and token buckets, tried together."""
    from linkworth.errors import LinkworthError
    from linkworth.lab import labs
    from linkworth.lab.spec import LabSpec

    try:
        with labs.up(LabSpec(nodes=1, rate=1e9)):
            return None
    except LinkworthError as error:
        return str(error)


def _isolation(kind: str) -> str | None:
    """Containers as nodes: root, the tool, and a kernel that lets it start one here."""
    from linkworth.errors import LinkworthError
    from linkworth.lab import labs
    from linkworth.lab.spec import LabSpec

    try:
        with labs.up(LabSpec(nodes=1, isolation=kind)):  # type: ignore[arg-type]
            return None
    except LinkworthError as error:
        return str(error)


def _mptcp() -> str | None:
    return None if Path("/proc/sys/net/mptcp/enabled").exists() else "the kernel was built without MPTCP"


def _networkd() -> str | None:
    if not Path("/lib/systemd/systemd-networkd").exists():
        return "systemd-networkd is not installed"
    tried = subprocess.run(
        ["unshare", "--net", "--mount", "mount", "-t", "sysfs", "-o", "ro", "none", "/sys"],
        capture_output=True,
        check=False,
    )
    return None if tried.returncode == 0 else "no network and mount namespaces to run systemd-networkd in"


def _works_for_users(*words: str) -> bool:
    """Say whether a command succeeds as an ordinary user, whom root becomes for it."""
    user = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--bounding-set=-all",
        "--inh-caps=-all",
    ]
    tried = subprocess.run(
        [*(user if os.geteuid() == 0 else []), *words], capture_output=True, cwd="/", check=False
    )
    return tried.returncode == 0


def _user_namespaces() -> str | None:
    if _works_for_users("unshare", "--user", "--map-root-user", "--net", "true"):
        return None
    return "the kernel gives users no user namespaces"


def _users_tap() -> str | None:
    if _works_for_users("sh", "-c", "exec 3<>/dev/net/tun"):
        return None
    return "only root may open /dev/net/tun here"


def _root() -> str | None:
    return None if os.geteuid() == 0 else "not root"


CHECKS: dict[str, Callable[[], str | None]] = {
    "mpi": _mpi,
    "mpich": partial(_mpi, "mpich"),
    "openmpi": partial(_mpi, "openmpi"),
    "several-mpis": _several_mpis,
    "c++": partial(_program, "c++", "g++", "clang++"),
    "flock": partial(_program, "flock"),
    "gfortran": partial(_program, "gfortran"),
    "quantum-espresso": _quantum_espresso,
    "hpcc": partial(_program, "hpcc"),
    "chromium": partial(_program, "chromium", "chromium-browser", "google-chrome"),
    "netpipe": partial(_program, "NPopenmpi"),
    "lammps": partial(_program, "lmp"),
    "smpirun": partial(_program, "smpirun"),
    "pj_dump": partial(_program, "pj_dump"),
    "otf2": partial(_program, "otf2-config"),
    "otf2-print": partial(_program, "otf2-print"),
    "python-otf2": partial(_system_python, "otf2"),
    "eztrace": partial(_program, "eztrace"),
    "namespaces": _namespaces,
    "reframe": _reframe,
    "slurm": _slurm,
    "two-cores": partial(_cores, 2),
    "dev-full": _device_full,
    "root": _root,
    "lab": _lab,
    "user-namespaces": _user_namespaces,
    "nspawn": partial(_isolation, "nspawn"),
    "lxc": partial(_isolation, "lxc"),
    "nft": partial(_program, "nft"),
    "mptcp": _mptcp,
    "networkd": _networkd,
    "lua": partial(_program, "lua"),
    "netplan": partial(_program, "netplan"),
    "ifupdown": partial(_program, "ifquery"),
    "system-yaml": partial(_system_python, "yaml"),
    "tap": network_namespaces.lacking,
    "users-tap": _users_tap,
    "virtual-machine": virtual_machine.lacking,
}


@cache
def lacking(name: str) -> str | None:
    """Return why the capability is absent here, or None where it is present; KeyError for an unknown name."""
    return CHECKS[name]()
