"""Scaling: really recorded bundled programs at 4, 16 and 64 ranks, scaled to 256, against their skeletons at 256.

    python benchmarks/scale/bench_scale.py [--programs bt,stencil] [--ranks 256] [--recordings FOLDER]

Each program has the smallest class that runs at these counts in one decomposition. The calls, peers and bytes of every rank are
compared one by one; IS has those of its recorded keys, which the skeleton only bounds. Computation and time are compared with
those of the skeleton whose rates give the computation recorded at 4 ranks, on 16 nodes. Recordings in FOLDER are kept and used
again. On 2 cores they take about 25 minutes. A stencil's skeletons are scaled to 4,096 ranks (limits: a minute, 1 GiB).
"""

import argparse
import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.rates import RateSource
from linkworth.replay.layout import block
from linkworth.replay.run import replay
from linkworth.scale import ScaleRequest, scale
from linkworth.skeleton import parse, record_skeleton

PROGRAMS = {
    "ep": "npb:ep.S",
    "cg": "npb:cg.A",
    "mg": "npb:mg.S",
    "is": "npb:is.A",
    "lu": "npb:lu.A",
    "bt": "npb:bt.A",
    "sp": "npb:sp.A",
    "ft": "npb:ft.B",
    "stencil": "stencil:96x96x4",
}
"""FT in class B has slabs up to 256 ranks; smaller ones change to pencils before."""
COUNTS = (4, 16, 64)
FABRICS = ("gbe", "ib-hdr")
NODES = 16
LIMIT = 0.10
LARGE, LARGE_RANKS = "stencil:1024x1024x8", 4096
LARGE_SECONDS, LARGE_MIB = 60.0, 1024.0


def recorded(workload: str, ranks: int, folder: Path) -> Path:
    """Return a recording, made if it is not there."""
    path = folder / f"{workload.replace(':', '-')}-{ranks}.lwt"
    if not path.exists():
        command = ["linkworth", "trace", "-n", str(ranks), "-o", str(path), workload]
        subprocess.run(command, check=True, capture_output=True)
    return path


def skeleton(workload: str, ranks: int, seconds: float, folder: Path) -> Path:
    """Return the skeleton with so many seconds for each operation."""
    program = parse([workload])
    kinds = _engine.skeleton_programs()[program.name]
    rates = RateSource(
        method="reference",
        description="all operations alike",
        seconds_per_operation=dict.fromkeys(kinds, seconds),
    )
    path = folder / f"skeleton-{ranks}.lwt"
    path.unlink(missing_ok=True)
    return Path(record_skeleton(program, ranks, rates, path).path)


def calls(trace: _engine.Trace, rank: int) -> tuple[list[Any], np.ndarray, float]:
    """Return the different calls without their sites, the number of the one at each event, and the computation."""
    read = _engine.read_rank(trace, rank)
    known = [
        (trace.entries[entry].partition("@")[0], call_class, fields)
        for entry, call_class, fields in read["calls"]
    ]
    gap, cpu = read["gap_seconds"], read["cpu_seconds"]
    return known, read["call"], float(np.where(cpu >= 0, cpu, gap).sum())


def computation(path: Path) -> float:
    """Return the computation of all ranks."""
    trace = _engine.Trace(str(path))
    return sum(calls(trace, rank)[2] for rank in range(trace.ranks))


def compared(made: Path, wanted: Path) -> tuple[int, int, float]:
    """Return the calls that differ, those there are, and the computation over that wanted."""
    one, other = _engine.Trace(str(made)), _engine.Trace(str(wanted))
    differing = total = 0
    own = right = 0.0
    for rank in range(other.ranks):
        known, events, compute = calls(one, rank)
        expected, wanted_events, wanted_compute = calls(other, rank)
        own, right, total = own + compute, right + wanted_compute, total + len(wanted_events)
        if len(events) != len(wanted_events):
            differing += max(len(events), len(wanted_events))
            continue
        pairs, times = np.unique(np.stack([events, wanted_events], axis=1), axis=0, return_counts=True)
        differing += sum(
            count
            for (a, b), count in zip(pairs.tolist(), times.tolist(), strict=True)
            if known[a] != expected[b]
        )
    return differing, total, own / right if right else 1.0


def measure(name: str, ranks: int, folder: Path) -> bool:
    """Scale one program and print how it compares; return whether it keeps the limits."""
    workload = PROGRAMS[name]
    small = [recorded(workload, count, folder) for count in COUNTS]
    start = time.monotonic()
    made = folder / "scaled.lwt"
    try:
        summary = scale(ScaleRequest(traces=small, ranks=ranks, output=made, replace=True))
    except Exception as error:
        print(f"{workload:16} {ranks} ranks: refused: {error}", flush=True)
        return False
    seconds = time.monotonic() - start
    first = skeleton(workload, COUNTS[0], 1e-9, folder)
    rate = 1e-9 * computation(small[0]) / computation(first)
    wanted = skeleton(workload, ranks, rate, folder)
    differing, total, compute = compared(made, wanted)
    layout = block(ranks, NODES)
    times = {
        fabric: replay(_engine.Trace(str(made)), fabrics.get(fabric), layout).seconds
        / replay(_engine.Trace(str(wanted)), fabrics.get(fabric), layout).seconds
        for fabric in FABRICS
    }
    left = summary.scaling.left_out
    print(
        f"{workload:16} {ranks} ranks: {differing:,} of {total:,} calls differ; computation {compute:.3f}; "
        + ", ".join(f"time on {fabric} {ratio:.3f}" for fabric, ratio in times.items())
        + f" of the skeleton's; left out: {'not known' if left is None else f'{max(map(abs, left.seconds.values())):.1%}'}"
        f"; {seconds:.1f} s",
        flush=True,
    )
    return differing == 0 and all(abs(ratio - 1) <= LIMIT for ratio in (compute, *times.values()))


def large(folder: Path) -> bool:
    """Scale to very many ranks and print the cost; return whether it keeps the limits. First, so that memory is its own."""
    small = []
    for count in COUNTS:
        small.append(folder / f"large-{count}.lwt")
        skeleton(LARGE, count, 1e-9, folder).rename(small[-1])
    start = time.monotonic()
    made = folder / "scaled.lwt"
    summary = scale(ScaleRequest(traces=small, ranks=LARGE_RANKS, output=made, replace=True))
    seconds = time.monotonic() - start
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{LARGE} {LARGE_RANKS:,} ranks: {seconds:.1f} s, {mib:.0f} MiB, {summary.events:,} events",
        flush=True,
    )
    for path in small:
        path.unlink()
    return seconds <= LARGE_SECONDS and mib <= LARGE_MIB


@contextlib.contextmanager
def folder_of(recordings: Path | None) -> Iterator[Path]:
    """Yield the folder of the recordings: the one asked for, which is kept, or one that goes with the benchmark."""
    if recordings is None:
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)
    else:
        recordings.mkdir(exist_ok=True, parents=True)
        yield recordings


def main() -> int:
    """Compare the programs; return 1 where a call or a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", help="names with commas between [default: all]")
    parser.add_argument("--ranks", type=int, default=256, help="to scale to [default: %(default)s]")
    parser.add_argument("--recordings", type=Path, help="folder with recordings, in which new ones are kept")
    asked = parser.parse_args()
    with folder_of(asked.recordings) as folder:
        names = asked.programs.split(",") if asked.programs else list(PROGRAMS)
        good = [large(folder)] if not asked.programs else []
        good += [measure(name, asked.ranks, folder) for name in names]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
