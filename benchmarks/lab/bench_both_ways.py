"""Windows of messages both ways between pairs of ranks over TCP, measured in the lab: who loses one of the two directions.

    .venv/bin/python benchmarks/lab/bench_both_ways.py [--mpi openmpi] [--pairs 1,4] [--bytes 70000,150000,600000]

Printed is the time of a window, over the time of one direction's bytes on the link: 1.0 if both directions are full, 2.0 if
they take turns. With Open MPI it is measured as installed and without PUT (btl_tcp_flags=1). The links have 100 Mbit/s, so that
a busy machine disturbs little.
"""

import argparse
import os
import tempfile
from pathlib import Path

from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.catalog.derived import wire_bytes
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.mpi import find

BYTES_PER_SECOND = 12.5e6
WINDOWS = ("1", "2", "4", "16", "64")
WITHOUT_PUT = "OMPI_MCA_btl_tcp_flags"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--pairs", default="1,4")
    parser.add_argument("--bytes", default="70000,150000,600000")
    parser.add_argument("--seconds", type=float, default=1.0, help="traffic of each point in one direction")
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    print(
        f"{mpi.name}: pairs, bytes, setting; time over that of one direction, windows of {', '.join(WINDOWS)}"
    )
    with tempfile.TemporaryDirectory(prefix="linkworth-both-ways-") as scratch:
        program = compiled("both_ways", mpi, Path(scratch))
        for pairs in map(int, given.pairs.split(",")):
            with open_place(Place(kind="lab", name="100mbit", nodes=2, ranks_per_node=pairs)) as opened:
                for size in map(int, given.bytes.split(",")):
                    for flags in ("", "1") if mpi.kind == "openmpi" else ("",):
                        os.environ.pop(WITHOUT_PUT, None)
                        if flags:
                            os.environ[WITHOUT_PUT] = flags
                        traffic = str(given.seconds * BYTES_PER_SECOND)
                        folder = Path(scratch) / f"{pairs}-{size}-{flags}"
                        command = [str(program), traffic, str(size), *WINDOWS]
                        output = printed(command, mpi, opened, folder, ranks=2 * pairs, timeout=300.0)
                        # A launcher's warnings come before the figures.
                        words = output.split()[-len(WINDOWS) :]
                        wire = pairs * wire_bytes(fabrics.get("gbe").link, size) / BYTES_PER_SECOND
                        shown = "  ".join(
                            f"{float(word) / (wire * int(messages)):.2f}"
                            for word, messages in zip(words, WINDOWS, strict=True)
                        )
                        print(
                            f"{pairs} {size:>8} {'send only' if flags else 'installed'}  {shown}", flush=True
                        )


if __name__ == "__main__":
    main()
