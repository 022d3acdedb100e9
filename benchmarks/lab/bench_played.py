"""Messages of NAS programs on 64 ranks, sent for real in the lab and predicted.

    .venv/bin/python benchmarks/lab/bench_played.py [--mpi openmpi] [--programs cg.B,cg.C,cg.D,mg.C,bt.C,sp.C,is.C,ft.C]

Two nodes of 32 ranks each are joined by a link of 100 Mbit/s. The skeleton of a program becomes a time-independent trace. A
program of this folder performs its calls, and sleeps instead of computing, so that two cores carry 64 ranks. Everything is as
on Gigabit Ethernet, but ten times slower. With Open MPI, it is also measured without PUT (btl_tcp_flags=send). Printed are the
measured and the predicted time, their ratio, and that ratio without the time on a network of infinite bandwidth.

The cores run 64 ranks that poll, which adds a second to CG and three to MG, with its many short messages. LU sends so many
that the cores and not the link decide; it is left out.
"""

import argparse
import os
import tempfile
from pathlib import Path
from typing import Literal

import msgspec
from own_program import compiled, printed

from linkworth.catalog import fabrics
from linkworth.convert import convert
from linkworth.measure.open_place import open_place
from linkworth.model.conversion import ConversionOptions
from linkworth.model.fabric import Fabric
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.model.settings import ReplaySettings
from linkworth.mpi import find
from linkworth.places.place import OpenPlace
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.rates import REFERENCE_MACHINE, RateRequest
from linkworth.skeleton.request import record_on_request

RANKS = 64
SLOWED = 10
"""Time on this link over that on Gigabit Ethernet."""
FLOPS_PER_SECOND = 1e9
ACTIONS: dict[str, int | None] = {
    "cg.B": 1880, "cg.C": 1880, "cg.D": 1880, "mg.C": None, "bt.C": 2252, "sp.C": 1832, "is.C": 16, "ft.C": 8,
}  # fmt: skip
"""Leading actions of each rank that are played: as many on all ranks, so that each message finds its receive. The ranks
of MG differ in their number of actions. They are played to the end."""
SETTINGS: dict[str, dict[str, str]] = {"installed": {}, "send only": {"btl_tcp_flags": "send"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--programs", default=",".join(ACTIONS))
    given = parser.parse_args()
    mpi = find.choose(given.mpi)
    print(
        f"{mpi.name}: program, setting; measured, predicted seconds; predicted over measured, communication alone"
    )
    with tempfile.TemporaryDirectory(prefix="linkworth-played-") as scratch:
        program = compiled("play", mpi, Path(scratch))
        with open_place(Place(kind="lab", name="100mbit", nodes=2, ranks_per_node=RANKS // 2)) as opened:
            for name in given.programs.split(","):
                compare(name, program, mpi, opened, Path(scratch))


def compare(name: str, program: Path, mpi: MpiInstallation, opened: OpenPlace, scratch: Path) -> None:
    """Print measured and predicted times of one program with each setting."""
    actions, trace = shortened(name, scratch)
    for setting in SETTINGS if mpi.kind == "openmpi" else ("installed",):
        options = SETTINGS[setting]
        os.environ.pop("OMPI_MCA_btl_tcp_flags", None)
        os.environ.update({f"OMPI_MCA_{option}": value for option, value in options.items()})
        output = printed(
            [str(program), str(actions)], mpi, opened, scratch / f"{name}-{setting}", ranks=RANKS, timeout=600
        )
        # A launcher's warnings come before the figure.
        measured = 1e-3 * float(output.split()[-1])
        replayed = ReplaySettings(mpi_library=library_of(mpi), mpi_settings=options)
        networks = [of_bandwidth(12.5e6), of_bandwidth(1e12)]
        shared, free = predict(trace, networks, Arrangement(nodes=2), settings=replayed).predictions
        alone = (shared.seconds - free.seconds) / (measured - free.seconds)
        print(
            f"{name:5} {setting:9}  {measured:6.1f} {shared.seconds:6.1f}  {shared.seconds / measured:.2f} {alone:.2f}",
            flush=True,
        )


def shortened(name: str, scratch: Path) -> tuple[Path, Path]:
    """Return the folder of a program's first actions, and the same actions as a trace."""
    whole, folder, trace = scratch / f"{name}-whole.lwt", scratch / f"{name}.ti", scratch / f"{name}.lwt"
    record_on_request([f"npb:{name}"], RANKS, RateRequest(machine=REFERENCE_MACHINE), whole)
    slowed = ConversionOptions(flops_per_second=FLOPS_PER_SECOND * SLOWED, collectives="calls")
    entry = Path(convert(whole, "ti", folder, options=slowed).entry)
    for rank in range(RANKS):
        file = folder / f"rank-{rank}.txt"
        first, *body, last = file.read_text().splitlines(keepends=True)
        file.write_text("".join([first, *body[: ACTIONS[name]], last]))
    convert(entry, None, trace, options=ConversionOptions(flops_per_second=FLOPS_PER_SECOND))
    return folder, trace


def library_of(mpi: MpiInstallation) -> Literal["mpich", "openmpi-4.1", "openmpi"]:
    """Return the library that is replayed: the trace does not name the one that plays it."""
    if mpi.kind == "mpich":
        return "mpich"
    return "openmpi-4.1" if mpi.name.startswith("openmpi-4") else "openmpi"


def of_bandwidth(bytes_per_second: float) -> Fabric:
    """Return Gigabit Ethernet with another bandwidth."""
    gbe = fabrics.get("gbe")
    link = msgspec.structs.replace(gbe.link, bandwidth_bytes_per_second=bytes_per_second)
    return msgspec.structs.replace(gbe, link=link)


if __name__ == "__main__":
    main()
