"""Exchanges of which one rank begins later, measured in the lab and predicted: what a TCP connection carries first decides them.

    .venv/bin/python benchmarks/lab/bench_streams.py [--mpi openmpi] [--bytes 150000,600000] [--microseconds 0,200,500]

Two ranks on two nodes of a Gigabit Ethernet exchange a message each way. `computes`: the second begins later because it
computes; it has not answered the first's request to send before it makes its own, and both directions are full at once. `waits`:
it waits inside MPI meanwhile, answers first, and the first's answer to it then stands behind the first's data: the directions
take turns. The same program is recorded on one node and predicted on `gbe`, with `one_stream_below_bytes` above all messages.
Printed are milliseconds of one exchange, the median of the rounds, and predicted over measured.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

import msgspec
from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.measure.open_place import open_place
from linkworth.measure.plan import plan, workload
from linkworth.model.place import Place
from linkworth.mpi import find
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement
from linkworth.trace.record import record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--bytes", default="150000,600000")
    parser.add_argument("--microseconds", default="0,200,500")
    parser.add_argument("--repeats", type=int, default=30, help="exchanges of a round")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    gbe = fabrics.get("gbe")
    stream = msgspec.structs.replace(
        gbe, tcp=msgspec.structs.replace(gbe.tcp, one_stream_below_bytes=1 << 40)
    )
    print(f"{mpi.name}: late rank, bytes, microseconds late; measured ms, predicted ms, ratio")
    with tempfile.TemporaryDirectory(prefix="linkworth-streams-") as scratch:
        program = compiled("streams", mpi, Path(scratch))
        with open_place(Place(kind="lab", name="gbe", nodes=2, ranks_per_node=1)) as opened:
            for late in ("computes", "waits"):
                for size in given.bytes.split(","):
                    for microseconds in given.microseconds.split(","):
                        command = [str(program), late, str(given.repeats), size, microseconds]
                        seconds = []
                        for number in range(given.rounds):
                            folder = Path(scratch) / f"{late}-{size}-{microseconds}-{number}"
                            # A launcher's warnings come before the figure.
                            seconds.append(float(printed(command, mpi, opened, folder).split()[-1]))
                        trace = Path(scratch) / f"{late}-{size}-{microseconds}.lwt"
                        record(plan(workload(command, 2), mpi=mpi.name), output=trace)
                        (found,) = predict(trace, [stream], Arrangement(nodes=2)).predictions
                        measured, predicted = statistics.median(seconds), found.seconds / given.repeats
                        print(
                            f"{late:8} {size:>8} {microseconds:>5}  {measured * 1e3:8.3f} {predicted * 1e3:8.3f}  "
                            f"{predicted / measured:.2f}",
                            flush=True,
                        )


if __name__ == "__main__":
    main()
