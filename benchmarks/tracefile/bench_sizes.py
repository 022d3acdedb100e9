"""Claim: recordings of real programs take at most 2 bytes an event in the file, with times rounded as by default.

The baseline is the same program recorded with times as they were (`linkworth trace --exact`), one run each, by an MPI of this
machine. The whole file counts, metadata and names too; so a trace of few events costs more for each.

    benchmarks/tracefile/bench_sizes.py [--class W] [--mpi NAME] [--programs is,cg,...]
"""

import argparse
import tempfile
from pathlib import Path

from linkworth.measure.plan import plan
from linkworth.model.workload import Workload
from linkworth.trace.record import record

AIM_BYTES = 2.0
RANKS = {"bt": 4, "sp": 4}
"""These two run on square numbers of ranks; all others run on 2."""


def bytes_an_event(
    program: str, ranks: int, mpi: str | None, folder: Path, *, exact: bool
) -> tuple[int, float]:
    """Record a program; return its events and the file's bytes for each."""
    trace = folder / "size.lwt"
    summary = record(
        plan(Workload(name=program, command=[program], ranks=ranks), mpi=mpi),
        output=trace,
        replace=True,
        exact=exact,
    )
    return summary.events, summary.bytes / summary.events


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--class", dest="letter", default="W")
    parser.add_argument("--mpi")
    parser.add_argument("--programs", default="is,ep,cg,mg,ft,bt,sp,lu")
    asked = parser.parse_args()
    print(
        f"{'program':8} {'ranks':>5} {'events':>9} {'bytes an event':>14} {'exact':>6} {'of exact':>8} {'of the aim':>10}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.programs.split(","):
            ranks = RANKS.get(name, 2)
            program = f"npb:{name}.{asked.letter}"
            events, rounded = bytes_an_event(program, ranks, asked.mpi, Path(folder), exact=False)
            _, exact = bytes_an_event(program, ranks, asked.mpi, Path(folder), exact=True)
            ratios = f"{rounded / exact:8.2f} {rounded / AIM_BYTES:10.2f}"
            print(
                f"{name}.{asked.letter:6} {ranks:5} {events:9,} {rounded:14.2f} {exact:6.2f} {ratios}",
                flush=True,
            )


if __name__ == "__main__":
    main()
