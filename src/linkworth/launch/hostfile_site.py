"""Hosts of a file as a place for runs. The MPI's launcher reaches them by ssh for the ranks, linkworth for
the counters."""

import platform
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.launch import hostfile
from linkworth.launch.base import Job, JobEnd, Observer
from linkworth.launch.binding import mpiexec_options
from linkworth.launch.hostfile import Host
from linkworth.launch.job_folder import parse_reading
from linkworth.launch.job_script import COUNTED
from linkworth.launch.local import ROOT_ALLOWED, set_for_ranks
from linkworth.launch.process import run_session
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.where import Binding, Where
from linkworth.mpi import transports

HYDRA = ("mpich", "intel", "mvapich")
ANSWER_SECONDS = 20.0
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
"""BatchMode: nobody would see a question for a password."""
_READ = "; ".join(f"echo '==> {name}'; cat /proc/{name}" for name in COUNTED)


class HostfileSite:
    """Hosts that share a file system with this machine, including the program's folder."""

    def __init__(self, where: Where) -> None:
        hosts = hostfile.read(Path(where.name))
        if where.nodes is not None and where.nodes > len(hosts):
            raise UsageError(f"--nodes {where.nodes}: {where.name} has {len(hosts)} hosts")
        self.name = "hostfile"
        self.hosts = hosts[: where.nodes]
        self.transport = where.transport
        self.binding = where.binding
        self._each = where.ranks_per_node
        self._spread = where.nodes is not None
        self._cores: dict[str, int] = {}

    @property
    def nodes(self) -> list[str]:
        """Names of the hosts, in the order of the ranks."""
        return [host.name for host in self.hosts]

    @property
    def cores(self) -> int:
        """Cores of the hosts, or the slots in the file if those are fewer."""
        return sum(min(host.slots or self._cores[host.name], self._cores[host.name]) for host in self.hosts)

    def launcher(self, mpi: MpiInstallation) -> "HostfileLauncher":
        """Return a launcher for jobs of an MPI on the hosts."""
        return HostfileLauncher(
            self.hosts,
            mpi,
            each=self._each,
            cores=self.cores,
            transport=self.transport,
            binding=self.binding,
            spread=self._spread,
        )

    def counters(self) -> list[NodeCounters]:
        """Read the counters of all hosts at the same time. A host that does not answer is left out."""
        with ThreadPoolExecutor(max_workers=32) as pool:
            texts = list(pool.map(lambda name: _ask(name, _READ), self.nodes))
        return [
            parse_reading(name, answer.stdout)
            for name, answer in zip(self.nodes, texts, strict=True)
            if answer.returncode == 0
        ]

    def facts(self) -> dict[str, str]:
        """Return the local kernel and the hosts' number of cores."""
        found = {
            "kernel here": platform.release(),
            "cores": ", ".join(f"{name} {count}" for name, count in self._cores.items()),
        }
        return found | ({"binding": self.binding} if self.binding else {})

    def __enter__(self) -> Self:
        """Query the cores of every host. Raises EnvironmentLacksError for one that cannot be reached."""
        with ThreadPoolExecutor(max_workers=32) as pool:
            answers = list(pool.map(lambda name: _ask(name, "getconf _NPROCESSORS_ONLN"), self.nodes))
        for name, answer in zip(self.nodes, answers, strict=True):
            if answer.returncode != 0 or not answer.stdout.strip().isdecimal():
                said = (answer.stderr.strip() or answer.stdout.strip() or "no answer").splitlines()[-1]
                raise EnvironmentLacksError(
                    f"{name} cannot be reached by ssh without a password: {said}; try: ssh {name} true"
                )
            self._cores[name] = int(answer.stdout)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release nothing."""


class HostfileLauncher:
    """Launcher of an MPI over ssh."""

    name = "hostfile"

    def __init__(
        self,
        hosts: Sequence[Host],
        mpi: MpiInstallation,
        *,
        each: int | None,
        cores: int,
        transport: str,
        binding: Binding = "",
        spread: bool = False,
    ) -> None:
        if mpi.kind != "openmpi" and mpi.kind not in HYDRA:
            raise EnvironmentLacksError(
                f"{mpi.name} cannot be started over ssh here: its launcher is neither Open MPI's nor Hydra"
            )
        if not mpi.mpiexec:
            raise EnvironmentLacksError(f"{mpi.name} ({mpi.library}) has no launcher (mpiexec) here")
        self.hosts = list(hosts)
        self.mpi = mpi
        self.spins_when_crowded = mpi.kind != "openmpi"
        self._each = each
        self._spread = spread
        self._cores = cores
        self._settings = transports.settings(transport, mpi)
        self._binding = binding

    def arguments(self, job: Job) -> list[str]:
        """Return the command line of mpiexec."""
        shared = hostfile.share(self.hosts, job.ranks, self._each, spread=self._spread)
        hosts = ",".join(f"{name}:{count}" for name, count in shared.items())
        crowded = job.ranks > self._cores
        if self.mpi.kind == "openmpi":
            newer = int(self.mpi.version.partition(".")[0]) >= 5
            prefix = ["--prtemca", "plm_ssh_agent", "ssh"] if newer else ["--mca", "plm_rsh_agent", "ssh"]
            options = [*prefix, "--host", hosts, "--map-by", "slot"]
        else:
            options = ["-launcher", "ssh", "-hosts", hosts]
        options += mpiexec_options(self._binding, self.mpi, crowded=crowded)
        if crowded and self.mpi.kind == "openmpi":
            options += ["--mca", "mpi_yield_when_idle", "1"]
        variables = self._settings.environment | job.environment
        start = [self.mpi.mpiexec, "-n", str(job.ranks), *options, *self._settings.arguments]
        return [*start, *set_for_ranks(variables), *job.command]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Run the job to its end."""
        return run_session(
            self.arguments(job),
            observer,
            environment=ROOT_ALLOWED if self.mpi.kind == "openmpi" else {},
            timeout=job.timeout,
            folder=job.folder,
            inherit_stdin=job.inherit_stdin,
        )


def _ask(host: str, command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [*SSH, host, command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentLacksError("ssh is not on PATH; it reaches the hosts of --hostfile") from None
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess([], 255, "", f"no answer within {ANSWER_SECONDS:g} s")
