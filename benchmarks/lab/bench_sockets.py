"""Bytes that Linux buffers of a message when its sender goes on, and the shares of connections that send at once.

    .venv/bin/python benchmarks/lab/bench_sockets.py [--mpi openmpi] [--lab gbe] [--connections 4,16,32] [--bytes 75000,600000]

Two nodes of the lab have some TCP connections between them, as many as their ranks would have; a message is written to each at
the same moment, one way or both, as far as the kernel takes it. Printed are the bytes of a message that the kernel holds when it
has taken the last one (SIOCOUTQ: not acknowledged yet), in the first burst and, the median, in the later half of the bursts;
milliseconds until then and until all is there; the send buffer that the kernel has tuned itself to; and the mean time at which a
connection's message is there, over that of the last one. With equal shares of the link the last figure is nearly 1. If the
shares are drawn from 1 to R, evenly on a logarithmic scale, it is 0.94 for R = 1.5, 0.91 for 2, and 0.86 for 3.3.

A connection counts in bursts because MPI's do: the buffers grow with the congestion window, which a burst that is not limited
by it does not raise. Nothing is predicted here: these are the facts behind `[tcp] send_buffer_bytes` and `share_ratio`.
"""

import argparse
import os
import tempfile
from pathlib import Path

from own_program import compiled, printed

from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.mpi import find

ALL_BYTES = 60_000_000
"""Approximate bytes of one row, within the limits of bursts below."""
FEWEST, MOST = 20, 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--mpi", default="openmpi", help="starts the two programs and carries their addresses"
    )
    parser.add_argument("--connections", default="4,16,32")
    parser.add_argument("--bytes", default="75000,150000,600000")
    parser.add_argument("--lab", default="gbe", help="network between the two nodes")
    parser.add_argument("--microseconds", type=int, default=5000, help="of silence before each burst")
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    print(
        f"load {os.getloadavg()[0]:.1f}; held bytes: first burst, later bursts; ms until taken, until there; send buffer; "
        "mean arrival over the last"
    )
    with tempfile.TemporaryDirectory(prefix="linkworth-sockets-") as scratch:
        program = compiled("sockets", mpi, Path(scratch), "-D_GNU_SOURCE")
        with open_place(Place(kind="lab", name=given.lab, nodes=2, ranks_per_node=1)) as opened:
            for mode in ("oneway", "exchange"):
                for connections in map(int, given.connections.split(",")):
                    for size in map(int, given.bytes.split(",")):
                        bursts = min(max(ALL_BYTES // (size * connections), FEWEST), MOST)
                        words = [program, connections, mode, size, bursts, given.microseconds]
                        folder = Path(scratch) / f"{mode}-{connections}-{size}"
                        # A launcher's warnings may come before and after the figures.
                        lines = printed([str(word) for word in words], mpi, opened, folder).splitlines()
                        (figures,) = [line.split() for line in lines if _are_figures(line)]
                        held, taken, whole, first, buffer, even = map(float, figures)
                        print(
                            f"{mode:8} {connections:3} connections {size:8}  {first:8.0f} {held:8.0f}  "
                            f"{taken * 1e3:7.2f} {whole * 1e3:7.2f}  {buffer:8.0f}  {even:.2f}",
                            flush=True,
                        )


def _are_figures(line: str) -> bool:
    words = line.split()
    return len(words) == 6 and all(word.replace(".", "", 1).isdigit() for word in words)


if __name__ == "__main__":
    main()
