"""Windows of messages both ways between pairs of ranks over TCP, measured in the lab: who loses one of the two directions.

    .venv/bin/python benchmarks/lab/bench_both_ways.py [--mpi openmpi] [--pairs 1,4] [--bytes 70000,600000] [--outside 0.05]
        [--between 0.002]

Printed is the time of a window, over the time of one direction's bytes on the link: 1.0 if both directions are full, 2.0 if
they take turns. With Open MPI it is measured as installed, without PUT (btl_tcp_flags=send), and with an eager limit of 8 MiB.
The links have 100 Mbit/s, so that a busy machine disturbs little. With --outside, the ranks sleep so long between the start of
the messages and the wait for them, with --between from one window to the next. This time is taken off.
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
SETTINGS = {
    "installed": {},
    "send only": {"OMPI_MCA_btl_tcp_flags": "send"},
    "eager 8M": {"OMPI_MCA_btl_tcp_eager_limit": "8388608"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--pairs", default="1,4")
    parser.add_argument("--bytes", default="70000,150000,600000")
    parser.add_argument("--seconds", type=float, default=1.0, help="traffic of each point in one direction")
    parser.add_argument("--outside", type=float, default=0.0, help="seconds outside MPI in each window")
    parser.add_argument("--between", type=float, default=0.0, help="seconds between two windows")
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
                    for setting in SETTINGS if mpi.kind == "openmpi" else ("installed",):
                        for name in {name for variables in SETTINGS.values() for name in variables}:
                            os.environ.pop(name, None)
                        os.environ.update(SETTINGS[setting])
                        traffic = given.seconds * BYTES_PER_SECOND
                        folder = Path(scratch) / f"{pairs}-{size}-{setting}"
                        arguments = (traffic, size, given.outside, given.between, *WINDOWS)
                        command = [str(program), *map(str, arguments)]
                        output = printed(command, mpi, opened, folder, ranks=2 * pairs, timeout=300.0)
                        # A launcher's warnings come before the figures.
                        words = output.split()[-len(WINDOWS) :]
                        wire = pairs * wire_bytes(fabrics.get("gbe").link, size) / BYTES_PER_SECOND
                        shown = "  ".join(
                            f"{(float(word) - given.outside - given.between) / (wire * int(messages)):.2f}"
                            for word, messages in zip(words, WINDOWS, strict=True)
                        )
                        print(f"{pairs} {size:>8} {setting:9}  {shown}", flush=True)


if __name__ == "__main__":
    main()
