"""Nodes of linkworth's own Slurm job, as a place for runs. Every run is a step of that job."""

import os
import re
import shlex
import subprocess
from typing import Self

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.mpi import build
from linkworth.places import pairing
from linkworth.places.batch import BatchSystem, JobShape
from linkworth.places.batch_place import transport_variables
from linkworth.places.host_list import expand
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.job_folder import parse_reading
from linkworth.places.job_script import PROBE_SECONDS, READ_COUNTED
from linkworth.places.mpiexec import ROOT_ALLOWED, set_for_ranks
from linkworth.places.pairing import Remembered
from linkworth.places.place import check_layout
from linkworth.places.process import run_session
from linkworth.units import plural

_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?")


def per_node(text: str) -> list[int]:
    """Expand Slurm's counts by node: `16(x2),8` gives 16, 16, 8."""
    return [int(count) for count, times in _COUNT.findall(text) for _ in range(int(times or 1))]


class SlurmSteps:
    """Nodes of a running job."""

    name = "slurm"

    def __init__(self, place: Place, system: BatchSystem) -> None:
        if place.name or place.options:
            raise UsageError(
                f"this is inside the Slurm job {os.environ[system.job_variable]}, whose partition, limits and constraints "
                "are settled; leave `partition`, `constraint`, `account`, `time` and `batch_option` out"
            )
        every = expand(os.environ["SLURM_JOB_NODELIST"])
        if place.nodes is not None and place.nodes > len(every):
            raise UsageError(f"`nodes` {place.nodes}: this Slurm job has {plural(len(every), 'node')}")
        self.nodes = every[: place.nodes]
        self.transport = place.transport
        self._place = place
        self.system = system
        cpus = per_node(os.environ.get("SLURM_JOB_CPUS_PER_NODE", ""))
        self._cpus = cpus[: len(self.nodes)]

    @property
    def cores(self) -> int:
        """Cores of the job on those nodes."""
        each = self._place.ranks_per_node
        return sum(self._cpus) if each is None else min(each * len(self.nodes), sum(self._cpus))

    def shape(self, ranks: int) -> JobShape:
        """Spread ranks over the nodes, as the user requested. Raises UsageError if that is impossible."""
        nodes, each = self._place.nodes, self._place.ranks_per_node
        check_layout(ranks, nodes, each)
        used = -(-ranks // each) if each else min(len(self.nodes), ranks)
        if used > len(self.nodes):
            raise UsageError(
                f"`ppn` {each}: {ranks} ranks need {used} nodes; this Slurm job has {len(self.nodes)}"
            )
        return JobShape(ranks=ranks, nodes=used, ranks_per_node=each, binding=self._place.binding)

    def launcher(self, mpi: MpiInstallation) -> "StepLauncher":
        """Return a launcher that runs programs of an MPI as steps of the job."""
        self.system.check_binding(self._place.binding)
        return StepLauncher(self, mpi)

    def counters(self) -> list[NodeCounters]:
        """Read the counters of all nodes with one step. Empty if the step fails."""
        count = str(len(self.nodes))
        step = [
            "srun",
            "--mpi=none",
            f"--nodes={count}",
            f"--ntasks={count}",
            "--ntasks-per-node=1",
            "--label",
            "--overlap",
        ]
        try:
            done = subprocess.run(
                [*step, f"--nodelist={','.join(self.nodes)}", "sh", "-c", f"uname -n; {READ_COUNTED}"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return []
        texts: dict[str, list[str]] = {}
        for line in done.stdout.splitlines():
            task, _, rest = line.partition(": ")
            texts.setdefault(task.strip(), []).append(rest)
        return [parse_reading(lines[0], "\n".join(lines[1:])) for _, lines in sorted(texts.items()) if lines]

    def facts(self) -> dict[str, str]:
        """Return the job that the steps belong to."""
        bound = {"binding": self._place.binding} if self._place.binding else {}
        return {
            "batch system": self.system.version(),
            "slurm job": os.environ[self.system.job_variable],
        } | bound

    def __enter__(self) -> Self:
        """Return itself, since the job already has the nodes."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release nothing."""


class StepLauncher:
    """Starts ranks as a step of the job."""

    name = "slurm"
    spins_when_crowded = False

    def __init__(self, opened: SlurmSteps, mpi: MpiInstallation) -> None:
        self.opened = opened
        self.mpi = mpi
        self._variables = transport_variables(opened.transport, mpi)

    def arguments(self, job: Job) -> list[str]:
        """Return the command line of the known working way, else of the best one."""
        ways, remembered = self._ways(job)
        return self._words(ways[remembered.index or 0], job)

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Find the way to start ranks of this MPI here, if unknown, and run the job to its end."""
        ways, remembered = self._ways(job)
        index = remembered.index
        if index is None:
            index = self._probe(ways, job.ranks)
            remembered.keep(index)
        return self._session(self._words(ways[index], job), job, observer)

    def _session(self, words: list[str], job: Job, observer: Observer) -> JobEnd:
        return run_session(
            ["/bin/sh", "-c", f'{self.opened.system.prepares}; exec "$@"', "sh", *words],
            observer,
            environment=ROOT_ALLOWED if self.mpi.kind == "openmpi" else {},
            timeout=job.timeout,
            folder=job.folder,
            inherit_stdin=job.inherit_stdin,
        )

    def _words(self, way: str, job: Job) -> list[str]:
        return [*shlex.split(way), *set_for_ranks(self._variables | job.environment, job.command)]

    def _ways(self, job: Job) -> tuple[list[str], Remembered]:
        ways = pairing.ways(self.opened.system, self.mpi, self.opened.shape(job.ranks))
        version = f"step {os.environ.get('SLURM_CLUSTER_NAME', '')} {os.environ.get('SLURM_CONF', '')}"
        return ways, Remembered("slurm", version, self.mpi, ways)

    def _probe(self, ways: list[str], ranks: int) -> int:
        probe = Job(command=[str(build.size_probe(self.mpi))], ranks=ranks, timeout=PROBE_SECONDS)
        tried = []
        for number, way in enumerate(ways):
            kept = pairing.ProbeOutput()
            self._session([*shlex.split(way), *probe.command], probe, kept)
            trouble = pairing.verdict(kept.text, ranks, self.opened.shape(ranks).nodes or 1)
            if not trouble:
                return number
            tried.append(f"`{way}` {trouble}")
        raise EnvironmentLacksError(f"slurm and {self.mpi.name} do not go together: {'; '.join(tried)}")
