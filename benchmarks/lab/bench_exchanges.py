"""Time of an exchange of two ranks over several NICs, compared with the time of its bytes on the wire.

    .venv/bin/python benchmarks/lab/bench_exchanges.py [--mpi openmpi] [--nics 1,2,4] [--bytes 34848,135200,532512]

The sizes by default are those of MG.A's faces on two ranks, which exchanges two each way by MPI_Send with the receives
posted. Printed are, in units of the bytes of one direction over the bandwidth of all NICs (1.00: both directions are full at
once; 2.00: they take turns), the 10th, 50th and 90th percentile of the repetitions. A busy machine lengthens some: keep to the
lower ones there.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.catalog.derived import wire_bytes
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.mpi import find

WAYS = ("MPI_Isend", "MPI_Send")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--nics", default="1,2,4")
    parser.add_argument("--bytes", default="34848,135200,532512")
    parser.add_argument("--repeats", type=int, default=60)
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    gbe = fabrics.get("gbe").link
    with tempfile.TemporaryDirectory(prefix="linkworth-exchanges-") as scratch:
        program = compiled("exchanges", mpi, Path(scratch))
        for nics in map(int, given.nics.split(",")):
            command = [str(program), str(given.repeats), *given.bytes.split(",")]
            name = f"gbex{nics}" if nics > 1 else "gbe"
            with open_place(Place(kind="lab", name=name, nodes=2, ranks_per_node=1)) as opened:
                output = printed(command, mpi, opened, Path(scratch) / str(nics))
            print(f"{mpi.name}, {nics} NICs: bytes, messages each way, by, time over that of the wire")
            # A launcher's warnings come between the lines.
            lines = [line for line in output.splitlines() if line[:1].isdigit()]
            for line in lines:
                words = line.split()
                size, messages, blocking = map(int, words[:3])
                wire = messages * wire_bytes(gbe, size) / (gbe.bandwidth_bytes_per_second * nics)
                deciles = statistics.quantiles([float(word) / wire for word in words[3:]], n=10)
                shown = ", ".join(f"{deciles[at]:.2f}" for at in (0, 4, 8))
                print(f"{size:9d} {messages} {WAYS[blocking]:9s} {shown}", flush=True)


if __name__ == "__main__":
    main()
