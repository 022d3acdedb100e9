"""Predicted gain of imbalance and stencil from faster networks. Imbalance gains nothing.

Predictions are of skeletons with the computation of the catalog's reference machine; the baseline of each ratio is the same
program on the other network. The stencil also runs here, against itself on one rank.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from linkworth.catalog import fabrics
from linkworth.mpi import build, find
from linkworth.places.job import Job
from linkworth.places.local import LocalLauncher
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.predict.predict import predict
from linkworth.replay.layout import Arrangement
from linkworth.skeleton import RateRequest, parse, rates_for, record_skeleton

MACHINE = "xeon-e5-2650v3-x2"
SLOW, FAST = "gbe", "ib-fdr"


def predicted(folder: Path, command: list[str], ranks: int) -> tuple[float, float]:
    """Return the seconds of a program on two nodes with the slow network and with the fast one."""
    program = parse(command)
    rates = rates_for(program, RateRequest(machine=MACHINE))
    made = record_skeleton(program, ranks, rates, folder / "skeleton.lwt", replace=True)
    pair = predict(Path(made.path), [fabrics.get(SLOW), fabrics.get(FAST)], Arrangement(nodes=2)).predictions
    return pair[0].seconds, pair[1].seconds


def show_predictions(folder: Path) -> None:
    """Print one line a program; a ratio of 1.00 means that the faster network must not cost more."""
    print(f"predicted on 2 nodes of {MACHINE}; ratio: {SLOW} / {FAST}")
    for name, ranks in [
        *((f"imbalance:{level}", 8) for level in (1, 4, 8)),
        *(("stencil:default", ranks) for ranks in (4, 16, 40)),
    ]:
        slow, fast = predicted(folder, [name], ranks)
        print(f"{name:16} {ranks:3} ranks  {slow:9.3f} s {fast:9.3f} s  ratio {slow / fast:.3f}", flush=True)


def run_stencil(ranks: int, iterations: int, repeat: int) -> dict[str, Any]:
    """Return the fastest of several runs here."""
    mpi = next(mpi for mpi in find.find_all() if mpi.kind == "openmpi" and mpi.mpiexec and mpi.mpicxx)
    command = [build.npb(mpi), "stencil", "default", "--iterations", iterations, "--json", "--timers"]
    job = Job(command=list(map(str, command)), ranks=ranks)
    runs = []
    for _ in range(repeat):
        done = subprocess.run(
            LocalLauncher(mpi).arguments(job),
            env=os.environ | ROOT_ALLOWED,
            capture_output=True,
            text=True,
            check=True,
        )
        runs.append(json.loads(done.stdout))
    assert all(run["verified"] for run in runs)
    return min(runs, key=lambda run: run["seconds"])


def show_stencil(run: dict[str, Any], alone: dict[str, Any]) -> None:
    """Print the time of each kind of iteration and what communication takes."""
    radiation = run["parameters"]["radiation_every"]
    output = run["parameters"]["output_every"]
    kinds: dict[str, list[float]] = {"plain": [], "radiation": [], "output": []}
    for iteration, seconds in enumerate(run["iteration_seconds"], 1):
        kind = "output" if iteration % output == 0 else "plain" if iteration % radiation else "radiation"
        kinds[kind].append(seconds)
    phases = {phase["name"]: phase["mean_seconds"] for phase in run["phases"]}
    share = (phases["halo exchange"] + phases["output gathering"]) / run["seconds"]
    text = ", ".join(f"{kind} {statistics.median(values) * 1e3:.2f} ms" for kind, values in kinds.items())
    print(f"stencil:default  {run['ranks']:3} ranks  iteration (median): {text}")
    print(
        f"{'':16} {'':3}        communication and waiting {share:.0%} of the time; "
        f"{run['seconds'] / alone['seconds']:.2f} of the time on 1 rank; "
        f"{run['peak_memory_bytes'] / 2**20:.0f} MiB a rank"
    )


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=290, help="of the stencil here")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        show_predictions(Path(folder))
    print(f"\nhere, on {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.2f}")
    alone = run_stencil(1, options.iterations, options.repeat)
    for run in (alone, *(run_stencil(ranks, options.iterations, options.repeat) for ranks in (2, 4))):
        show_stencil(run, alone)


if __name__ == "__main__":
    main()
