"""Time and memory of lw-npb beside the official NAS Parallel Benchmarks.

A bundled program stands for the official one, so the goal is a ratio of 0.7 to 1.1, and no more memory. The official programs
are not distributed here: the baseline is the table in official.toml, and ratios have a meaning only on a machine like its own.
They count the better of the two official builds. Memory is the peak of the largest rank (ru_maxrss), in MiB like the table.
"""

import argparse
import json
import os
import statistics
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, find
from linkworth.places.mpiexec import ROOT_ALLOWED

OFFICIAL = tomllib.loads((Path(__file__).parent / "official.toml").read_text(encoding="utf-8"))
NATIVE_BUILD = {"is": 1.0, "ep": 1.0, "ft": 0.96, "cg": 1.0, "mg": 1.0, "bt": 0.94, "sp": 1.0, "lu": 1.0}
"""The better official build relative to the table (see its head)."""
GOAL = (0.7, 1.1)
"""Least and most of the official time."""


def open_mpi() -> MpiInstallation:
    """Choose Open MPI, 4.1 where there is one: the baseline was taken with it."""
    found = [mpi for mpi in find.find_all() if mpi.kind == "openmpi" and mpi.mpiexec and mpi.mpicxx]
    if not found:
        raise SystemExit("this benchmark needs Open MPI: the baseline was taken with it")
    return next((mpi for mpi in found if mpi.version.startswith("4.1")), found[0])


def launch(mpi: MpiInstallation, ranks: int, program: str, letter: str) -> dict[str, Any]:
    """Run once; the waits yield, as those of the baseline did."""
    oversubscribe = ["--map-by", ":OVERSUBSCRIBE"] if mpi.version.startswith("5") else ["--oversubscribe"]
    options = [*oversubscribe, "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    done = subprocess.run(
        [mpi.mpiexec, "-n", str(ranks), *options, build.npb(mpi), program, letter, "--json", "--timers"],
        env=os.environ | ROOT_ALLOWED,
        capture_output=True,
        text=True,
        check=True,
    )
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def main() -> None:
    """Print one line a program, class and rank count, and how many ratios meet the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="is,ep,cg,mg,ft,bt,sp,lu")
    parser.add_argument("--classes", default="A,B")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each")
    parser.add_argument(
        "--best",
        action="store_true",
        help="count the best run, not the median: for a machine that is not quiet",
    )
    options = parser.parse_args()
    choose = min if options.best else statistics.median
    mpi = open_mpi()
    print(
        f"lw-npb with {mpi.name}, {'best' if options.best else 'medians'} of {options.repeat}; load {os.getloadavg()[0]:.2f}"
    )
    print(
        f"{'program':8} {'ranks':>5} {'seconds':>9} {'official':>9} {'ratio':>6}   {'MiB':>6} {'official':>9} {'ratio':>6}"
    )
    ratios: dict[str, list[float]] = {}
    for program in options.programs.split(","):
        for letter in options.classes.split(","):
            for ranks in options.ranks.split(","):
                if ranks not in OFFICIAL[program][letter]:
                    continue  # not a count that the program runs on
                runs = [launch(mpi, int(ranks), program, letter) for _ in range(options.repeat)]
                assert all(run["verified"] for run in runs)
                seconds = choose(run["seconds"] for run in runs)
                memory = max(run["peak_memory_bytes"] for run in runs) / 2**20
                official_seconds, official_memory = OFFICIAL[program][letter][ranks]
                official_seconds *= NATIVE_BUILD[program]
                ratio = seconds / official_seconds
                ratios.setdefault(program, []).append(ratio)
                print(
                    f"{program}.{letter:6} {ranks:>5} {seconds:9.3f} {official_seconds:9.3f} {ratio:6.2f}   "
                    f"{memory:6.1f} {official_memory:9.0f} {memory / official_memory:6.2f}",
                    flush=True,
                )
    least, most = GOAL
    for program, values in ratios.items():
        met = sum(least <= ratio <= most for ratio in values)
        print(
            f"{program}: geometric mean {statistics.geometric_mean(values):.2f}, "
            f"{met} of {len(values)} from {least} to {most}"
        )


if __name__ == "__main__":
    main()
