"""Bytes of one message that Open MPI sends over each NIC, compared with the replay's rule (`stripe_rest_bytes`).

    .venv/bin/python benchmarks/lab/bench_striping.py [--mpi openmpi] [--nics 2,4] [--kib 32,64,68,96,128,256,1024]

Counted by the NICs, so that it does not matter how busy the machine is. The rule: 1/K of the message to one NIC after the
other; what is left goes over one NIC as soon as it is at most 64 KiB (btl_tcp_eager_limit). Printed are the largest share of one
NIC by the counters and by the rule, and their ratio; the exit code is 1 where one is more than 5 % from the rule.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.mpi import find

NEAR = 0.05
"""Headers of packets, and the answer's acknowledgements, are counted too."""


def expected(size: int, nics: int, least: int, rest: int) -> int:
    """Return the most bytes that the rule gives one NIC."""
    left = size
    if size < least or size <= rest:
        return size
    for _ in range(nics - 1):
        left -= size // nics
        if left <= rest:
            return left
    return left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--nics", default="2,4")
    parser.add_argument("--kib", default="32,64,68,80,96,128,160,192,256,512,1024,4096")
    given = parser.parse_args()
    sizes = [int(float(text) * 1024) for text in given.kib.split(",")]
    mpi = find.choose(given.mpi)
    gbe = fabrics.get("gbe")
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="linkworth-striping-") as scratch:
        program = compiled("striping", mpi, Path(scratch))
        for nics in map(int, given.nics.split(",")):
            with open_place(Place(kind="lab", name=f"gbex{nics}", nodes=2, ranks_per_node=1)) as opened:
                command = [str(program), str(nics), *map(str, sizes)]
                output = printed(command, mpi, opened, Path(scratch) / str(nics), timeout=60.0)
            largest: dict[int, list[int]] = defaultdict(list)
            for line in output.splitlines():
                size, *on_nics = map(int, line.split())
                largest[size].append(max(on_nics))
            print(f"{nics} NICs: bytes of a message, the most on one NIC counted, by the rule, ratio")
            for size in sizes:
                counted = sorted(largest[size])[len(largest[size]) // 2]
                rule = expected(size, nics, gbe.stripe_min_bytes, gbe.stripe_rest_bytes)
                print(f"{size:9d} {counted:9d} {rule:9d}  {counted / rule:.3f}")
                worst = max(worst, abs(counted / rule - 1))
    print(f"largest difference {worst:.1%}, allowed {NEAR:.0%}")
    return 0 if worst <= NEAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
