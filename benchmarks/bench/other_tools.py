"""NetPIPE's and HPC Challenge's figures of two ranks in a place, and ours of the same quantities.

What differs in method between HPC Challenge's latency and bandwidth section (hpcc 1.5.0, the head of bench_lat_bw_1.5.2.c) and
`linkworth bench latency` and `beff`, which both were once compared with, figure by figure:

- *ping-pong latency*: the least of 5 measurements of 8 round trips (more, where they take under 10 us), of each of the
  ordered pairs, then their mean; `latency` is a mean until its interval is narrow.
- *ping-pong bandwidth*: the better of 2 measurements of a single round trip of 2,000,000 B, after one to warm up.
- *natural ring latency and bandwidth*: the least of 5 (2) measurements of 8 (3) exchanges, on each rank by the faster of two
  MPI_Sendrecv and non-blocking calls, then the slowest rank; `beff` takes the best of 3 of up to 300, after a barrier.
- *random ring latency and bandwidth*: that of 30 (10) orders, their geometric mean; `beff` measures equal rings once.
- *memory*: hpcc sends from memory that it got and never wrote, where the kernel maps one page of zeroes everywhere: all of a
  long message comes out of the first cache (seen in /proc/PID/pagemap: 471 of 488 pages were one; the ping-pong gave 18 to 24
  GB/s, and 8.7 from written memory). How much of it was written depends on what hpcc allocated before.

`linkworth bench hpcc` repeats, averages and takes the least as hpcc does. hpcc gets written memory here, as programs have, by
glibc's MALLOC_PERTURB_.
"""

import re
from pathlib import Path

from linkworth.bench.run import execute, prepare
from linkworth.bench.settings import BenchSettings
from linkworth.errors import LinkworthError
from linkworth.measure.parsers import hpcc as hpcc_file
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import find
from linkworth.places.job import Job, Stream
from linkworth.places.local import LocalPlace
from linkworth.places.place import OpenPlace

FIGURES = {
    "ping-pong latency": "avg_ping_pong_latency_seconds",
    "ping-pong bandwidth": "avg_ping_pong_bandwidth_bytes_per_second",
    "natural ring latency": "naturally_ordered_ring_latency_seconds",
    "natural ring bandwidth": "naturally_ordered_ring_bandwidth_bytes_per_second",
    "random ring latency": "randomly_ordered_ring_latency_seconds",
    "random ring bandwidth": "randomly_ordered_ring_bandwidth_bytes_per_second",
}
"""HPC Challenge's figures, and the names that both its parser and `linkworth bench hpcc` give them."""
WRITTEN_MEMORY = {"MALLOC_PERTURB_": "85"}
"""glibc writes what it hands out (mallopt(3), M_PERTURB); any number but 0 and 255 does."""
SMALLEST_INPUT = {"Ns": 20, "NBs": 8, "Ps": 1, "Qs": 2}
"""The other sections cannot be left out, but made short."""
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
TIMEOUT = 300.0


class _Quiet:
    """An observer that keeps a job's output for the message of a failure."""

    def __init__(self) -> None:
        self.said = bytearray()

    def output(self, stream: Stream, data: bytes) -> None:
        self.said += data

    def tick(self, seconds: float) -> None:
        pass


def _on_two_ranks(
    opened: OpenPlace, mpi: MpiInstallation, folder: Path, program: str, *arguments: str
) -> None:
    where = find.program_path(program)
    if where is None:
        raise LinkworthError(f"{program} is not installed here")
    # Not every launcher starts the ranks in the folder where it is.
    command = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', str(folder), str(where), *arguments]
    quiet = _Quiet()
    job = Job(command=command, ranks=2, environment=WRITTEN_MEMORY, timeout=TIMEOUT)
    end = opened.launcher(mpi).run(job, quiet)
    if end.exit_code != 0 or end.timed_out:
        raise LinkworthError(
            f"{program} ended with {end.exit_code}: {quiet.said.decode(errors='replace')[-2000:]}"
        )


def netpipe(
    opened: OpenPlace | None, mpi: MpiInstallation, folder: Path, most: int, trips: int
) -> dict[str, float]:
    """Return NetPIPE's seconds of half a round trip by size: the best of its trials, each a mean over `trips`.

    By itself it sets the round trips of a size by the time of the one before, which on a busy machine takes for ever.
    """
    options = ["-l", "1", "-u", str(most), "-n", str(trips), "-o", "np.out"]
    _on_two_ranks(opened or LocalPlace(), mpi, folder, "NPopenmpi", *options)
    lines = (line.split() for line in (folder / "np.out").read_text().splitlines())
    return {f"{size} B": float(seconds) for size, _, seconds in lines}


def ours_as_netpipe(
    opened: OpenPlace | None, mpi: MpiInstallation, sizes: list[int], seconds: float
) -> dict[str, float]:
    """Return ours of those sizes, from the median of the samples: what a few slow ones cannot move."""
    settings = BenchSettings(seconds=seconds, sizes=_bases(sizes))
    result = execute(prepare("pingpong", opened=opened, mpi=mpi.name, ranks=2, settings=settings))
    return {f"{row.bytes} B": row.median for row in result.rows if row.median is not None}


def _bases(sizes: list[int]) -> list[int]:
    """Return NetPIPE's sizes without their perturbations: powers of two, and those times 1.5."""
    known = {1 << power for power in range(31)} | {3 << power for power in range(30)}
    return sorted(size for size in sizes if size in known)


def hpcc(opened: OpenPlace | None, mpi: MpiInstallation, folder: Path) -> dict[str, float]:
    """Return HPC Challenge's figures, in seconds and bytes per second."""
    given = HPCC_INPUT.read_text()
    for name, number in SMALLEST_INPUT.items():
        given = re.sub(rf"^\d+ +{name}$", f"{number} {name}", given, flags=re.MULTILINE)
    (folder / "hpccinf.txt").write_text(given)
    (folder / "hpccoutf.txt").unlink(missing_ok=True)
    _on_two_ranks(opened or LocalPlace(), mpi, folder, "hpcc")
    (result,) = hpcc_file.parse((folder / "hpccoutf.txt").read_text())
    return {name: result.values[key] for name, key in FIGURES.items()}


def ours_as_hpcc(opened: OpenPlace | None, mpi: MpiInstallation) -> dict[str, float]:
    """Return the figures of `linkworth bench hpcc`."""
    values = execute(prepare("hpcc", opened=opened, mpi=mpi.name, ranks=2)).values
    return {name: values[key] for name, key in FIGURES.items()}
