"""Computation that a trace contains between two calls if ranks share cores, over that of ranks with a core each.

    .venv/bin/python benchmarks/tracer/bench_crowded.py [--mpi NAME] [--ranks 4,16,64] [--additions 0,1000,4000]

The program (crowded.c) does the same between its calls on any number of ranks. Two ranks are the baseline.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import linkworth as lw
from linkworth.mpi import find

SOURCE = Path(__file__).parent / "crowded.c"


def between_calls(program: Path, additions: str, ranks: int, mpi: str) -> float:
    """Return the mean computation between two calls of a rank, in microseconds."""
    trace = lw.record([program, additions], ranks, output=program.with_suffix(".lwt"), replace=True, mpi=mpi)
    return 1e6 * sum(trace.profile().rank_compute_seconds) / trace.events


def main() -> None:
    """Print a line for each amount of computation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpi", help="name, kind or prefix of an MPI; default: the first one found")
    parser.add_argument("--ranks", default="4,16,64")
    parser.add_argument("--additions", default="0,1000,4000", help="between two messages")
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    counts = [2, *map(int, given.ranks.split(","))]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "crowded"
        subprocess.run([mpi.mpicc, "-O2", "-w", SOURCE, "-o", program], check=True)
        for additions in given.additions.split(","):
            found = [between_calls(program, additions, ranks, mpi.name) for ranks in counts]
            each = ", ".join(f"{ranks}: {us:.2f} us" for ranks, us in zip(counts, found, strict=True))
            print(f"{additions:>6s} additions, by ranks {each}; over 2 ranks {found[-1] / found[0]:.2f}")


if __name__ == "__main__":
    main()
