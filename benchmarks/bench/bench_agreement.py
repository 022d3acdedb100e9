"""`linkworth bench` against NetPIPE (NPopenmpi) and HPC Challenge's latency and bandwidth section, on the same two ranks.

Runs alternate, so that both meet the same load, and of each figure the median of the rounds counts on both sides. What one
round gives is the same on both sides, too. Of HPC Challenge's definition (the head of its bench_lat_bw_1.5.2.c): of a ping-pong
with two memories the least of the measurements, of a ring the better of two MPI_Sendrecv and of non-blocking calls. Of NetPIPE:
the best of its trials, each a mean over 1000 round trips, for which ours takes the median of its samples. Beside each ratio
stands how far the rounds of theirs differ among themselves: a ratio is not known better than that. Wanted: each within 5 %, or
within half of that spread.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from linkworth.bench.run import run
from linkworth.bench.settings import BenchSettings
from linkworth.launch.base import Job
from linkworth.launch.local import ROOT_ALLOWED, LocalLauncher
from linkworth.model.bench import BenchRow
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import find

TOLERANCE = 0.05
LATENCY_BYTES, BANDWIDTH_BYTES = 8, 2_000_000
"""What HPC Challenge sends."""
NETPIPE_REPEATS = 1000
"""Round trips of one of its trials."""
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")

Rounds = defaultdict[int | str, list[float]]


def two_ranks(mpi: MpiInstallation, program: str, *arguments: str, folder: Path) -> None:
    """Run a program on two ranks; a failed one ends the benchmark."""
    command = LocalLauncher(mpi).arguments(Job(command=[program, *arguments], ranks=2))
    done = subprocess.run(
        command, cwd=folder, env=os.environ | ROOT_ALLOWED, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{program} failed with {done.returncode}: {done.stderr[-2000:]}")


def netpipe(mpi: MpiInstallation, most: int, folder: Path) -> dict[int, float]:
    """Return the seconds of half a round trip by size.

    By itself NetPIPE sets the repetitions of a size by the time of the one before, which on a busy machine takes for ever.
    """
    repeats = ["-n", str(NETPIPE_REPEATS)]
    two_ranks(mpi, "NPopenmpi", "-l", "1", "-u", str(most), *repeats, "-o", "np.out", folder=folder)
    lines = (line.split() for line in (folder / "np.out").read_text().splitlines())
    return {int(size): float(seconds) for size, _, seconds in lines}


def hpcc(mpi: MpiInstallation, folder: Path) -> dict[str, float]:
    """Return the figures of the latency and bandwidth section, in seconds and bytes per second."""
    given = HPCC_INPUT.read_text()
    for number, name in (("100", "Ns"), ("20", "NBs"), ("1", "Ps"), ("2", "Qs")):
        given = re.sub(rf"^.*( {name})$", rf"{number}\1", given, flags=re.M)
    (folder / "hpccinf.txt").write_text(given)
    (folder / "hpccoutf.txt").unlink(missing_ok=True)
    two_ranks(mpi, "hpcc", folder=folder)
    found = dict(
        re.findall(r"^(\w+(?:PingPong|Ring)\w+)=(\S+)$", (folder / "hpccoutf.txt").read_text(), re.M)
    )
    return {
        "ping-pong latency": float(found["AvgPingPongLatency_usec"]) * 1e-6,
        "ping-pong bandwidth": float(found["AvgPingPongBandwidth_GBytes"]) * 1e9,
        "natural ring latency": float(found["NaturallyOrderedRingLatency_usec"]) * 1e-6,
        "natural ring bandwidth": float(found["NaturallyOrderedRingBandwidth_GBytes"]) * 1e9,
        "random ring latency": float(found["RandomlyOrderedRingLatency_usec"]) * 1e-6,
        "random ring bandwidth": float(found["RandomlyOrderedRingBandwidth_GBytes"]) * 1e9,
    }


def half_trip(row: BenchRow) -> float:
    assert row.median is not None
    return row.median


def least_half_trip(row: BenchRow) -> float:
    assert row.minimum is not None
    return row.minimum


def ours_as_hpcc(mpi: MpiInstallation) -> dict[str, float]:
    """Return ours under HPC Challenge's names: of a ring, the time of one of two messages and the bandwidth of one rank."""
    sizes = [LATENCY_BYTES, BANDWIDTH_BYTES]
    small, large = run("latency", mpi=mpi.name, ranks=2, sizes=sizes).rows
    settings = BenchSettings(sizes=sizes, methods=["sendrecv", "nonblocking"])
    rings = {
        (row.label, row.bytes): row for row in run("beff", mpi=mpi.name, ranks=2, settings=settings).rows
    }
    result = {
        "ping-pong latency": least_half_trip(small),
        "ping-pong bandwidth": BANDWIDTH_BYTES / least_half_trip(large),
    }
    for name, label in (("natural", "rings"), ("random", "random")):
        latency = rings[label, LATENCY_BYTES].latency_seconds
        bandwidth = rings[label, BANDWIDTH_BYTES].bandwidth_bytes_per_second
        assert latency is not None and bandwidth is not None
        result |= {f"{name} ring latency": latency / 2, f"{name} ring bandwidth": bandwidth / 2}
    return result


def bases(sizes: Iterable[int]) -> list[int]:
    """Return NetPIPE's sizes without their perturbations: powers of two, and those times 1.5."""
    known = {1 << power for power in range(31)} | {3 << power for power in range(30)}
    return sorted(size for size in sizes if size in known)


def compare(
    name: str, ours: Mapping[int | str, list[float]], theirs: Mapping[int | str, list[float]]
) -> None:
    """Print each figure's medians of the rounds, their ratio and the spread of theirs, and the median ratio."""
    ratios = []
    within = known = 0
    for key in ours:
        if key not in theirs:
            continue
        is_rate = "bandwidth" in str(key)
        mine, other = statistics.median(ours[key]), statistics.median(theirs[key])
        spread = (max(theirs[key]) - min(theirs[key])) / other
        ratios.append(mine / other)
        miss = abs(mine / other - 1)
        within += miss <= TOLERANCE
        known += miss <= max(TOLERANCE, spread / 2)
        shown = (
            f"{mine / 1e6:10.1f} MB/s {other / 1e6:10.1f} MB/s"
            if is_rate
            else f"{mine * 1e6:10.3f} us   {other * 1e6:10.3f} us  "
        )
        label = key if isinstance(key, str) else f"{key} B"
        print(
            f"{name:8} {label:24} {shown} ratio {mine / other:.3f}  theirs differ by {spread:.1%} from round to round"
        )
    middle = statistics.median(ratios)
    print(
        f"{name:8} ours / theirs, median of {len(ratios)}: {middle:.3f} "
        f"({'within' if abs(middle - 1) <= TOLERANCE else 'NOT within'} {TOLERANCE:.0%}; {within} of {len(ratios)} are, "
        f"{known} within that or half of what theirs differ by)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=1 << 20, help="largest size for NetPIPE, bytes")
    parser.add_argument("--only", choices=["netpipe", "hpcc"], help="only this one (default: both)")
    arguments = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.2f}")
    mpi = find.choose(None, find.program_path("NPopenmpi"))
    print(f"2 ranks in one node, {mpi.name}: ours, theirs, ratio")
    sides: dict[str, tuple[Rounds, Rounds]] = {
        name: (defaultdict(list), defaultdict(list)) for name in ("netpipe", "hpcc")
    }
    with tempfile.TemporaryDirectory(prefix="linkworth-bench-") as name:
        folder = Path(name)
        for _ in range(arguments.rounds):
            if arguments.only != "hpcc":
                ours, theirs = sides["netpipe"]
                measured = netpipe(mpi, arguments.most, folder)
                for size, seconds in measured.items():
                    theirs[size].append(seconds)
                settings = BenchSettings(seconds=0.5, sizes=bases(measured))
                for row in run("pingpong", mpi=mpi.name, ranks=2, settings=settings).rows:
                    ours[row.bytes].append(half_trip(row))
            if arguments.only != "netpipe":
                ours, theirs = sides["hpcc"]
                for figures, into in ((hpcc(mpi, folder), theirs), (ours_as_hpcc(mpi), ours)):
                    for key, value in figures.items():
                        into[key].append(value)
    for name, (ours, theirs) in sides.items():
        if ours:
            compare(name, ours, theirs)


if __name__ == "__main__":
    main()
