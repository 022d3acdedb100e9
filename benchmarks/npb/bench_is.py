"""IS of lw-npb beside a plain IS, both measured here in turn.

The plain one (plain_is.cpp) is our own, written from the specification as it describes the work; it is not the official
program. It runs in three ways: as -O3 makes it, with -march=native, and that with huge pages, which ours asks for. The time is
compared with the fastest of them, the memory with the smallest.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from bench_npb import open_mpi

from linkworth.launch.local import ROOT_ALLOWED
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build

HERE = Path(__file__).parent
CONSTANTS = HERE.parents[1] / "native" / "mpi" / "npb"
PLAIN_BUILDS = {"-O3": [], "native": ["-march=native"]}
HUGE_PAGES = ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"]


def compile_plain(mpi: MpiInstallation, flags: list[str], program: Path) -> None:
    """Compile the plain program."""
    subprocess.run(
        [
            *[mpi.mpicxx, "-std=c++20", "-O3", *flags, "-Wall", "-Wextra", "-Werror"],
            *["-DOMPI_SKIP_MPICXX", f"-I{CONSTANTS}", HERE / "plain_is.cpp", "-o", program],
        ],
        check=True,
    )


def launch(mpi: MpiInstallation, ranks: int, command: list[str | Path]) -> dict:
    """Run once, with waits that yield; a run that is not verified raises CalledProcessError."""
    oversubscribe = ["--map-by", ":OVERSUBSCRIBE"] if mpi.version.startswith("5") else ["--oversubscribe"]
    options = [*oversubscribe, "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    done = subprocess.run(
        [mpi.mpiexec, "-n", str(ranks), *options, *command],
        env=os.environ | ROOT_ALLOWED,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def measure(mpi: MpiInstallation, ranks: int, commands: dict[str, list[str | Path]], repeat: int) -> dict:
    """Return by name the seconds and the MiB of the largest rank, medians of runs that take turns."""
    runs: dict[str, list[dict]] = {name: [] for name in commands}
    for _ in range(repeat):
        for name, command in commands.items():
            runs[name].append(launch(mpi, ranks, command))
    return {
        name: (
            statistics.median(run["seconds"] for run in made),
            statistics.median(run["peak_memory_bytes"] for run in made) / 2**20,
        )
        for name, made in runs.items()
    }


def main() -> None:
    """Print one line a class and rank count, and the geometric mean of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", default="A,B", help="of S, W, A, B and C")
    parser.add_argument("--ranks", default="1,2,4", help="powers of two")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each program")
    options = parser.parse_args()
    mpi = open_mpi()
    print(f"IS with {mpi.name}, medians of {options.repeat} in turn; load {os.getloadavg()[0]:.2f}")
    print(
        f"{'class':6} {'ranks':>5} {'seconds':>9} {'plain':>9} {'ratio':>6}   {'MiB':>6} {'plain':>6} {'ratio':>6}   "
        "fastest plain"
    )
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        plain: dict[str, list[str | Path]] = {}
        for number, (name, flags) in enumerate(PLAIN_BUILDS.items()):
            program = Path(folder) / f"plain_is_{number}"
            compile_plain(mpi, flags, program)
            plain[name] = [program]
        plain["native, huge pages"] = [*HUGE_PAGES, *plain["native"]]
        for letter in options.classes.split(","):
            commands = {"ours": [build.npb(mpi), "is", letter, "--json", "--timers"]}
            commands |= {name: [*command, letter] for name, command in plain.items()}
            for ranks in options.ranks.split(","):
                medians = measure(mpi, int(ranks), commands, options.repeat)
                seconds, memory = medians.pop("ours")
                fastest = min(medians, key=lambda name: medians[name][0])
                plain_seconds = medians[fastest][0]
                plain_memory = min(mib for _, mib in medians.values())
                ratios.append(seconds / plain_seconds)
                print(
                    f"IS.{letter:3} {ranks:>5} {seconds:9.3f} {plain_seconds:9.3f} {ratios[-1]:6.2f}   "
                    f"{memory:6.1f} {plain_memory:6.1f} {memory / plain_memory:6.3f}   {fastest}",
                    flush=True,
                )
    print(f"geometric mean of the times' ratios: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
