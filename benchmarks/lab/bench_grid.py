"""CG's exchanges on a grid of 64 ranks, measured in the lab and predicted: whose directions take turns.

    .venv/bin/python benchmarks/lab/bench_grid.py [--mpi openmpi] [--bytes 75000,150000,600000]

Two nodes of 32 ranks each are joined by a link of 100 Mbit/s. Each iteration computes for 100 ms, adds along the rows of the
grid, which is inside the nodes, and exchanges a message each way with the transposed rank. 16 pairs of ranks do so over the
link. The computation is slept, so that it takes no core. With Open MPI, it is also measured without PUT (btl_tcp_flags=send).
The same program is recorded on one node and predicted. Printed is the time of an iteration without the computation, over the
time of the pairs' bytes on the link.
"""

import argparse
import os
import tempfile
from pathlib import Path

import msgspec
from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.catalog.derived import wire_bytes
from linkworth.measure.open_place import open_place
from linkworth.measure.plan import plan, workload
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.model.settings import ReplaySettings
from linkworth.mpi import find
from linkworth.places.place import OpenPlace
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement
from linkworth.trace.record import record

BYTES_PER_SECOND = 12.5e6
RANKS, PAIRS = 64, 16
COMPUTED_MS = 100
ITERATIONS, RECORDED_ITERATIONS = 20, 5


SETTINGS: dict[str, dict[str, str]] = {"installed": {}, "send only": {"btl_tcp_flags": "send"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--bytes", default="75000,150000,600000")
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    print(
        f"{mpi.name}: bytes, setting; measured, predicted over the time of the bytes; predicted over measured"
    )
    with tempfile.TemporaryDirectory(prefix="linkworth-grid-") as scratch:
        program = compiled("grid", mpi, Path(scratch))
        with open_place(Place(kind="lab", name="100mbit", nodes=2, ranks_per_node=RANKS // 2)) as opened:
            for size in map(int, given.bytes.split(",")):
                compare(program, size, mpi, opened, Path(scratch))


def compare(program: Path, size: int, mpi: MpiInstallation, opened: OpenPlace, scratch: Path) -> None:
    """Record the program once, and print its measured and predicted times with each setting."""

    def command(iterations: int, computing: str) -> list[str]:
        return [str(program), str(iterations), str(size), str(COMPUTED_MS), computing]

    trace = scratch / f"{size}.lwt"
    record(plan(workload(command(RECORDED_ITERATIONS, "burn"), RANKS), mpi=mpi.name), output=trace)
    gbe = fabrics.get("gbe")
    link = msgspec.structs.replace(gbe.link, bandwidth_bytes_per_second=BYTES_PER_SECOND)
    fabric = msgspec.structs.replace(gbe, link=link)
    wire_ms = 1e3 * PAIRS * wire_bytes(link, size) / BYTES_PER_SECOND
    for name in SETTINGS if mpi.kind == "openmpi" else ("installed",):
        setting = SETTINGS[name]
        os.environ.pop("OMPI_MCA_btl_tcp_flags", None)
        os.environ.update({f"OMPI_MCA_{option}": value for option, value in setting.items()})
        output = printed(command(ITERATIONS, "sleep"), mpi, opened, scratch / f"{size}-{name}", ranks=RANKS)
        # A launcher's warnings come before the figure.
        measured = float(output.split()[-1])
        replayed = ReplaySettings(mpi_settings=setting)
        (found,) = predict(trace, [fabric], Arrangement(nodes=2), settings=replayed).predictions
        predicted = 1e3 * found.seconds / RECORDED_ITERATIONS
        shown = [f"{(each - COMPUTED_MS) / wire_ms:.2f}" for each in (measured, predicted)]
        print(f"{size:>8} {name:9}  {' '.join(shown)}  {predicted / measured:.2f}", flush=True)


if __name__ == "__main__":
    main()
