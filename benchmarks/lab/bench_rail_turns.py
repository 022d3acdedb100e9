"""NICs that consecutive messages take under Open MPI's striping, compared with the replay's rule (`stripe_step`).

    .venv/bin/python benchmarks/lab/bench_rail_turns.py [--mpi openmpi] [--nics 2,3,4] [--bytes 1000,9248,34848,60000]

Counted by the NICs, so that it does not matter how busy the machine is. The rule: each message goes two NICs on from its
connection's last one, whether it was sent by MPI_Send or MPI_Isend. Printed are the NICs of the messages of each size; the exit
code is 1 where one is not two further than the one before.
"""

import argparse
import tempfile
from itertools import pairwise
from pathlib import Path

from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.mpi import find

MESSAGES = 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--nics", default="2,3,4")
    parser.add_argument("--bytes", default="1000,9248,34848,60000")
    given = parser.parse_args()
    sizes = given.bytes.split(",")
    mpi = find.choose(given.mpi)
    step = fabrics.get("gbe").stripe_step
    by_rule = others = 0
    with tempfile.TemporaryDirectory(prefix="linkworth-turns-") as scratch:
        program = compiled("rail_turns", mpi, Path(scratch))
        for nics in map(int, given.nics.split(",")):
            command = [str(program), str(nics), str(MESSAGES), *sizes]
            with open_place(Place(kind="lab", name=f"gbex{nics}", nodes=2, ranks_per_node=1)) as opened:
                output = printed(command, mpi, opened, Path(scratch) / str(nics), timeout=60.0)
            print(f"{mpi.name}, {nics} NICs: bytes of a message, NIC of each of {MESSAGES} in a row")
            # A launcher's warnings come between the lines.
            lines = [line for line in output.splitlines() if line[:1].isdigit()]
            for number, line in enumerate(lines):
                size, *taken = map(int, line.split())
                print(f"{size:9d} {'MPI_Isend' if number % 2 else 'MPI_Send':9s} {taken}")
                for one, following in pairwise(taken):
                    if one >= 0 and following == (one + step) % nics:
                        by_rule += 1
                    else:
                        others += 1
    print(f"{by_rule} messages went {step} NICs further than the one before, {others} did not")
    return 0 if others == 0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
