"""Ways to start an MPI's ranks inside a batch job, and the check that the ranks connect.

A process manager that does not fit the MPI library silently starts N copies of "rank 0 of 1". A launcher that
does not know the job's nodes puts every rank on the first. So a tiny program tries each way before the first
real run. The way that gave the right ranks on the right nodes is remembered for this MPI on this cluster.
"""

import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.errors import EnvironmentLacksError
from linkworth.launch.base import Stream
from linkworth.launch.batch import call
from linkworth.launch.binding import mpiexec_options, srun_options
from linkworth.model.mpi import MpiInstallation
from linkworth.model.where import Binding
from linkworth.mpi.cache import cache_folder

_LINE = re.compile(r"^linkworth-probe (\d+) (\d+) (\S+)$", re.MULTILINE)


SRUN_VARIABLES = {"SLURM_OVERLAP": "1"}
"""Variables for every srun of a run (srun(1), input environment variables).

Without them the program's step waits until the previous step (of the probe or the counters) has ended, and
the wait counts as the program's time. Versions before 20.11 neither know nor need it.
"""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """Number of ranks and nodes, and the ranks' binding."""

    ranks: int
    nodes: int | None = None
    ranks_per_node: int | None = None
    binding: Binding = ""


def ways(system: str, mpi: MpiInstallation, shape: Shape) -> list[str]:
    """Return the ways to start ranks in a batch system's job, best first, each as shell words before the
    program.

    Raises EnvironmentLacksError if there is none.
    """
    found = _slurm_ways(mpi, shape) if system == "slurm" else []
    if mpi.mpiexec:
        found += _mpiexec_ways(system, mpi, shape)
    if not found:
        raise EnvironmentLacksError(f"{mpi.name} has no launcher, and {system} has none for it")
    return found


def slurm_plugins() -> list[str]:
    """Return the process management interfaces that `srun --mpi=list` prints."""
    answer = call(["srun", "--mpi=list"], system="Slurm")
    return re.findall(r"^\s*([a-z]\w*)\s*$", answer.said + answer.out, re.MULTILINE)


def _slurm_ways(mpi: MpiInstallation, shape: Shape) -> list[str]:
    fitting = {
        "openmpi": ("pmix",),
        "mpich": ("pmi2", "pmix"),
        "mvapich": ("pmi2",),
        "cray": ("cray_shasta", "pmi2"),
    }
    here = slurm_plugins()
    size = ["--ntasks", str(shape.ranks), "--kill-on-bad-exit=1"]
    if shape.nodes:
        size += ["--nodes", str(shape.nodes)]
    if shape.ranks_per_node:
        size += ["--ntasks-per-node", str(shape.ranks_per_node)]
    size += srun_options(shape.binding)
    return [
        shlex.join(["srun", f"--mpi={plugin}", *size])
        for plugin in fitting.get(mpi.kind, ("pmi2", "pmix"))
        if plugin in here
    ]


def _mpiexec_ways(system: str, mpi: MpiInstallation, shape: Shape) -> list[str]:
    start = [mpi.mpiexec, "-n", str(shape.ranks)]
    if shape.ranks_per_node:
        openmpi = ["--map-by", f"ppr:{shape.ranks_per_node}:node"]
        start += openmpi if mpi.kind == "openmpi" else ["-ppn", str(shape.ranks_per_node)]
    start += mpiexec_options(shape.binding, mpi)
    found = [shlex.join(start)]
    if system == "pbs":
        # A library built without PBS's task manager needs the nodes as options.
        found.append(f'{shlex.join(start)} {"--hostfile" if mpi.kind == "openmpi" else "-f"} "$PBS_NODEFILE"')
    return found


def verdict(output: str, ranks: int, nodes: int) -> str:
    """Judge the output of the probe's ranks. "" if all connected on enough nodes, else the fault."""
    lines = _LINE.findall(output)
    sizes = {int(size) for _, size, _ in lines}
    if len(lines) > 1 and sizes == {1} and ranks > 1:
        return f"started {len(lines)} copies of rank 0 of 1: it does not fit this MPI library"
    if len(lines) != ranks or sizes != {ranks}:
        said = [line.strip() for line in output.splitlines() if line.strip() and not _LINE.match(line)]
        telling = [
            line for line in said if re.search(r"error|fail|abort|unsupported|invalid", line, re.IGNORECASE)
        ]
        return f"did not start {ranks} ranks: {(telling or said or ['it said nothing'])[0]}"
    hosts = {host for _, _, host in lines}
    if len(hosts) < min(nodes, ranks):
        return f"put all {ranks} ranks on {len(hosts)} of {nodes} nodes"
    return ""


class Remembered:
    """The working way of an MPI on a cluster, stored in the user's cache."""

    def __init__(self, system: str, version: str, mpi: MpiInstallation, found: Sequence[str]) -> None:
        library = Path(mpi.library)
        stamp = library.stat().st_mtime_ns if library.exists() else 0
        # The numbers of ranks and nodes do not affect which way works.
        plain = [re.sub(r"\d+", "N", way) for way in found]
        facts = [system, version, mpi.library, str(stamp), *plain]
        name = hashlib.sha256(os.fsencode("\0".join(facts))).hexdigest()[:24]
        self._file = cache_folder() / "pairing" / name
        self._found = plain

    @property
    def index(self) -> int | None:
        """Index of the way, None if none was tried yet."""
        try:
            text = self._file.read_text()
        except OSError:
            return None
        return self._found.index(text) if text in self._found else None

    def keep(self, index: int) -> None:
        """Store a way. A cache that cannot be written costs another probe."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(self._found[index])
        except OSError:
            pass


class ProbeOutput:
    """Observer that stores a probe's output."""

    def __init__(self) -> None:
        self._data = bytearray()

    @property
    def text(self) -> str:
        """Output so far of both streams."""
        return self._data.decode(errors="replace")

    def output(self, _stream: Stream, data: bytes) -> None:
        """Store the probe's output."""
        self._data += data

    def tick(self, _seconds: float) -> None:
        """Do nothing."""
