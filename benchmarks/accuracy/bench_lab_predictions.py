"""The two halves against each other: what the replay predicts for a program, and what it takes on the emulated cluster.

    .venv/bin/python benchmarks/accuracy/bench_lab_predictions.py [--mpi openmpi] [--programs npb:is.A,npb:cg.A]
        [--layouts 2x1,4x1,2x2] [--keep FOLDER]

For each network of the lab a fabric is calibrated from the lab's own micro-benchmarks (two ranks on two nodes, and two on one).
Each program is recorded once on one node of the lab, over shared memory, and predicted on those fabrics. Then it really
runs there.

Compared is the communication time of the timed region: its length less the mean CPU time that a rank computed in it. Both sides
have it from the same program and the same counters, so that a core's speed on the day falls out. Place more ranks compute than
the machine has cores the prediction divides the cores among them (`--cpu-factor` of cores over ranks): that is right for
programs whose ranks all compute at the same time, and such rows are marked. Ranks that wait yield their core, but the kernel's
work on packets takes cores from ranks that compute, which no replay knows: keep the machine quiet, and trust the rows of two
ranks more.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.bench import run as bench
from linkworth.bench.settings import BenchSettings
from linkworth.bench.tests import DEFAULT_SIZES
from linkworth.calibrate.request import CalibrationRequest
from linkworth.calibrate.run import calibrate, write
from linkworth.errors import LinkworthError
from linkworth.measure.open_place import open_place
from linkworth.measure.plan import plan, workload
from linkworth.model.bench import BenchResult
from linkworth.model.fabric import Fabric
from linkworth.model.place import Place
from linkworth.model.settings import ReplaySettings
from linkworth.places.local import cores
from linkworth.places.place import OpenPlace
from linkworth.profile.scan import scan
from linkworth.replay.layout import block
from linkworth.replay.run import replay_in_detail
from linkworth.trace.read import TraceFile, open_trace
from linkworth.trace.record import record

LIMIT = 0.15
"""The median error of the communication time that is aimed at."""
PROGRAMS = [
    "npb:is.A",
    "npb:ft.A",
    "npb:cg.A",
    "npb:mg.A",
    "stencil:default --iterations 60 --output-every 20",
]
NETWORKS = {"100mbit": "100mbit", "gbe": "gbe", "gbex2": "gbe", "gbex4": "gbe"}
"""Preset of the lab, and the one of a single NIC that its fabric is calibrated from."""
TESTS = ["latency", "bandwidth", "bibandwidth"]
WINDOW_SECONDS = 0.6
"""A window of 64 messages of the largest size takes about so long on the link."""
RATES = {"100mbit": 12.5e6, "gbe": 125e6}
IN_CALLS = ReplaySettings(progress="calls")
"""MPI over TCP has no thread of its own that answers requests to send."""
LEAST_SHARE = 0.02
"""Least share of communication: rows with less do not depend on the network."""


class Row(NamedTuple):
    """One program in one environment."""

    program: str
    network: str
    ranks: int
    nodes: int
    oversubscribed: bool
    predicted: float
    measured: float
    elapsed: float

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--layouts", default="2x1,4x1,2x2", help="NODESxRANKS a node")
    parser.add_argument(
        "--seconds", type=float, default=0.3, help="for each message size of a micro-benchmark"
    )
    parser.add_argument("--repeats", type=int, default=3, help="real runs; the median counts")
    parser.add_argument(
        "--keep", type=Path, help="leave results, fabrics and traces in this folder, and use what is there"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="linkworth-halves-") as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        fabrics = calibrated(folder, given.networks.split(","), given.mpi, given.seconds)
        layouts = [tuple(map(int, text.split("x"))) for text in given.layouts.split(",")]
        rows = []
        for program in given.programs.split(","):
            for nodes, each in layouts:
                try:
                    rows += compared(folder, program, nodes, each, fabrics, given)
                except LinkworthError as error:
                    print(f"{program} on {nodes} x {each}: {error}", flush=True)
    return conclude(rows)


def calibrated(folder: Path, networks: list[str], mpi: str, seconds: float) -> dict[str, Fabric]:
    """Return a fabric for each network of the lab, fitted to what the lab's micro-benchmarks give."""
    inside = measured(folder, "gbe", 1, TESTS, mpi, seconds)
    fabrics = {}
    for single in dict.fromkeys(NETWORKS[name] for name in networks):
        between = measured(folder, single, 2, TESTS, mpi, seconds)
        several = [
            (int(name.rpartition("x")[2]), measured(folder, name, 2, TESTS, mpi, seconds, least=16384))
            for name in networks
            if NETWORKS[name] == single and name != single
        ]
        fit = calibrate(
            CalibrationRequest(
                files=[between], intranode=[inside], rails=several, base="gbe", name=f"lab-{single}"
            )
        )
        write(fit.fabric, folder / f"{single}.toml")
        print(
            f"{single}: {len(fit.points)} points, off by {fit.median_residual:.1%} in the median, "
            f"{fit.worst_residual:.1%} at worst; "
            f"latency {fit.fabric.link.latency_seconds * 1e6:.2f} us, "
            f"{fit.fabric.link.bandwidth_bytes_per_second * 8e-6:.1f} Mbit/s on the wire, eager up to "
            f"{fit.fabric.link.eager_limit_bytes} B, rail efficiency {fit.fabric.rail_efficiency:.2f}",
            flush=True,
        )
        for name in networks:
            if NETWORKS[name] == single:
                rails = 1 if name == single else int(name.rpartition("x")[2])
                fabrics[name] = msgspec.structs.replace(fit.fabric, rails=rails)
    return fabrics


def measured(
    folder: Path, lab: str, nodes: int, tests: list[str], mpi: str, seconds: float, least: int = 1
) -> Path:
    """Run micro-benchmarks of two ranks on a lab, or take what is kept of them; returns the file of results."""
    path = folder / f"bench-{lab}-{nodes}.json"
    if path.exists():
        return path
    results: list[BenchResult] = []
    with open_place(Place(kind="lab", name=lab, nodes=nodes)) as opened:
        for test in tests:
            rate = RATES[NETWORKS[lab]] if nodes > 1 else float("inf")
            most = WINDOW_SECONDS * rate / 64 if test != "latency" else float("inf")
            sizes = [size for size in DEFAULT_SIZES if size <= max(most, least)]
            sizes = [size for size in sizes if size >= least]
            settings = BenchSettings(seconds=seconds, sizes=sizes)
            result = bench.execute(bench.prepare(test, opened=opened, mpi=mpi, ranks=2, settings=settings))
            results.append(msgspec.structs.replace(result, nodes=nodes))
    path.write_bytes(msgspec.json.encode({"results": results}))
    return path


def compared(
    folder: Path, program: str, nodes: int, each: int, fabrics: dict[str, Fabric], given: argparse.Namespace
) -> list[Row]:
    """Record once over shared memory, predict on every fabric, run on every network of the lab."""
    ranks = nodes * each
    with open_place(Place(kind="lab", name="gbe", nodes=1, ranks_per_node=ranks)) as opened:
        trace = recorded(folder, program, ranks, opened, given.mpi, "shm")
    oversubscribed = ranks > cores()
    factor = min(1.0, cores() / ranks)
    computed = computing(trace)
    rows = []
    for name, fabric in fabrics.items():
        replayed = replay_in_detail(
            trace.engine, fabric, block(ranks, nodes), cpu_factor=factor, settings=IN_CALLS
        )
        predicted = replayed.prediction.seconds
        real = []
        with open_place(Place(kind="lab", name=name, nodes=nodes, ranks_per_node=each)) as opened:
            for number in range(given.repeats):
                run = recorded(folder, program, ranks, opened, given.mpi, f"{name}-{nodes}x{each}-{number}")
                real.append((elapsed(run) - computing(run), elapsed(run)))
        communication, whole = statistics.median_low(real)
        row = Row(program, name, ranks, nodes, oversubscribed, predicted - computed, communication, whole)
        rows.append(row)
        print(line(row), flush=True)
    return rows


def recorded(folder: Path, program: str, ranks: int, opened: OpenPlace, mpi: str, where: str) -> TraceFile:
    path = folder / f"{program.split()[0].replace(':', '-')}-{ranks}-{where}.lwt"
    if not path.exists():
        record(
            plan(workload(program.split(), ranks, opened), mpi=mpi, opened=opened), output=path, timeout=300
        )
    return open_trace(path)


def elapsed(trace: TraceFile) -> float:
    """Return the length of the timed region, or of the run between MPI_Init and MPI_Finalize."""
    ranks = scan(trace).ranks
    marked = max(rank.marked_seconds for rank in ranks)
    return marked or max(rank.compute_wall_seconds + rank.communication_seconds for rank in ranks)


def computing(trace: TraceFile) -> float:
    """Return the mean CPU time that a rank computed in the same part."""
    ranks = scan(trace).ranks
    marked = any(rank.marked_seconds > 0 for rank in ranks)
    return statistics.fmean(rank.marked_compute_seconds if marked else rank.compute_seconds for rank in ranks)


def line(row: Row) -> str:
    note = "  (cores shared)" if row.oversubscribed else ""
    return (
        f"{row.program.split()[0]:18s} {row.network:8s} {row.ranks:2d} ranks on {row.nodes} nodes  "
        f"predicted {row.predicted:8.3f} s  measured {row.measured:8.3f} s of {row.elapsed:8.3f} s  {row.error:+7.1%}{note}"
    )


def conclude(rows: list[Row]) -> int:
    counted = [row for row in rows if row.measured > LEAST_SHARE * row.elapsed]
    if not counted:
        print("nothing was compared")
        return 1
    alone = [abs(row.error) for row in counted if not row.oversubscribed]
    shared = [abs(row.error) for row in counted if row.oversubscribed]
    for name, errors in (("a core for each rank", alone), ("cores shared", shared)):
        if errors:
            print(
                f"{name}: {len(errors)} rows, median error {statistics.median(errors):.1%}, worst {max(errors):.1%}"
            )
    median = statistics.median(abs(row.error) for row in counted)
    print(json.dumps({"rows": len(counted), "median_error": round(median, 4), "target": LIMIT}))
    return 0 if median < LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
