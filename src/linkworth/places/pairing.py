"""Ways to start an MPI's ranks inside a batch job, and the check that the ranks connect.

A process manager that does not fit the MPI library silently starts N copies of "rank 0 of 1". A launcher that
does not know the job's nodes puts every rank on the first. So a tiny program tries each way before the first
real run. The way that gave the right ranks on the right nodes is remembered for this MPI on this cluster.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi.cache import cache_folder
from linkworth.places.batch import BatchSystem, JobShape
from linkworth.places.job import Observer, Stream
from linkworth.units import plural

_LINE = re.compile(r"^linkworth-probe (\d+) (\d+) (\S+)$", re.MULTILINE)


def ways(system: BatchSystem, mpi: MpiInstallation, shape: JobShape) -> list[str]:
    """Return the ways of a batch system to start ranks. Raises EnvironmentLacksError if there is none."""
    found = system.ways(mpi, shape)
    if not found:
        raise EnvironmentLacksError(f"{mpi.name} has no launcher, and {system.name} has none for it")
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
        return f"did not start {plural(ranks, 'rank')}: {(telling or said or ['it said nothing'])[0]}"
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


class ProbeOutput(Observer):
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
