"""One copy against two inside a node: measured times of messages, and those that the catalog's paths predict.

    .venv/bin/python benchmarks/bench/bench_copies_in_a_node.py [--rounds 5] [--mpi openmpi-4.1.4 --mpi mpich-5.0.2]

Two ranks exchange a message by the transports `shm+tcp` (two copies) and `shm-cma` (the kernel's single copy), in turn. Shown
are medians, and the times of the fabrics `shm-copies` and `shm`. Those are of nodes with two sockets, so that the ratio of both
transports can be compared here, and the times only roughly. Cores that share caches make two copies faster than anywhere else.
"""

import argparse
import statistics

from linkworth.bench.replayed.predict import predict
from linkworth.bench.run import execute, prepare
from linkworth.bench.settings import BenchSettings
from linkworth.bench.tests import TESTS
from linkworth.catalog import fabrics
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.replay.layout import block

SIZES = [8, 4096, 8192, 16384, 65536, 262144, 1 << 20]
PATHS = {"shm+tcp": "shm-copies", "shm-cma": "shm"}
SETTINGS = BenchSettings(sizes=SIZES, seconds=0.1)


def measured(mpi: str, transport: str) -> dict[int, float]:
    """Return the median time of a message, by size."""
    place = Place(kind="local", transport=transport, binding="core")
    with open_place(place, lambda _: None) as opened:
        result = execute(prepare("latency", opened=opened, mpi=mpi, ranks=2, settings=SETTINGS))
    return {row.bytes: row.median for row in result.rows if row.median is not None}


def predicted(fabric: str) -> dict[int, float]:
    """Return the time of a message on the catalog's path, by size."""
    rows = predict(TESTS["latency"], SETTINGS, fabrics.get(fabric), block(2, nodes=1)).rows
    return {row.bytes: row.latency_seconds for row in rows if row.latency_seconds is not None}


def main() -> None:
    """Print a table for each MPI."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mpi", action="append")
    chosen = parser.parse_args()
    expected = {transport: predicted(fabric) for transport, fabric in PATHS.items()}
    for mpi in chosen.mpi or ["openmpi", "mpich"]:
        rounds = [{transport: measured(mpi, transport) for transport in PATHS} for _ in range(chosen.rounds)]
        print(f"{mpi}: microseconds by two copies and by one; their ratio")
        print(f"{'bytes':>8} {'measured':>18} {'ratio':>6} {'predicted':>18} {'ratio':>6}")
        for size in SIZES:
            here = [statistics.median(one[transport][size] for one in rounds) for transport in PATHS]
            model = [expected[transport][size] for transport in PATHS]
            cells = (f"{1e6 * two:9.2f}{1e6 * one:9.2f} {two / one:6.2f}" for two, one in (here, model))
            print(f"{size:8}", *cells)


if __name__ == "__main__":
    main()
