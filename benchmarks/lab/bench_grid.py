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
from linkworth.model.place import Place
from linkworth.model.settings import ReplaySettings
from linkworth.mpi import find
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement
from linkworth.trace.record import record

BYTES_PER_SECOND = 12.5e6
RANKS, PAIRS = 64, 16
COMPUTED_MS = 100
ITERATIONS, RECORDED_ITERATIONS = 20, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--bytes", default="75000,150000,600000")
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    gbe = fabrics.get("gbe")
    slow = msgspec.structs.replace(gbe.link, bandwidth_bytes_per_second=BYTES_PER_SECOND)
    fabric = msgspec.structs.replace(gbe, link=slow)
    settings: list[dict[str, str]] = [{}]
    if mpi.kind == "openmpi":
        settings.append({"btl_tcp_flags": "send"})
    print(
        f"{mpi.name}: bytes, setting; measured, predicted over the time of the bytes; predicted over measured"
    )
    with tempfile.TemporaryDirectory(prefix="linkworth-grid-") as scratch:
        program = compiled("grid", mpi, Path(scratch))
        with open_place(Place(kind="lab", name="100mbit", nodes=2, ranks_per_node=RANKS // 2)) as opened:
            for size in map(int, given.bytes.split(",")):
                trace = Path(scratch) / f"{size}.lwt"
                burnt = [str(program), str(RECORDED_ITERATIONS), str(size), str(COMPUTED_MS), "burn"]
                record(plan(workload(burnt, RANKS), mpi=mpi.name), output=trace)
                wire_ms = 1e3 * PAIRS * wire_bytes(fabric.link, size) / BYTES_PER_SECOND
                for setting in settings:
                    os.environ.update({f"OMPI_MCA_{name}": value for name, value in setting.items()})
                    command = [str(program), str(ITERATIONS), str(size), str(COMPUTED_MS), "sleep"]
                    folder = Path(scratch) / f"{size}-{len(setting)}"
                    # A launcher's warnings come before the figure.
                    measured = float(printed(command, mpi, opened, folder, ranks=RANKS).split()[-1])
                    for name in setting:
                        del os.environ[f"OMPI_MCA_{name}"]
                    replayed = ReplaySettings(mpi_settings=setting)
                    (found,) = predict(trace, [fabric], Arrangement(nodes=2), settings=replayed).predictions
                    predicted = 1e3 * found.seconds / RECORDED_ITERATIONS
                    print(
                        f"{size:>8} {'send only' if setting else 'installed':9}  {(measured - COMPUTED_MS) / wire_ms:.2f} "
                        f"{(predicted - COMPUTED_MS) / wire_ms:.2f}  {predicted / measured:.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
