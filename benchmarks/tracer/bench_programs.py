#!/usr/bin/env python3
"""Time that tracing adds to whole programs: the NAS programs of class A, and LAMMPS.

    benchmarks/tracer/bench_programs.py [--mpi NAME] [--programs is,ep,...,lammps] [--seconds 200] [--pairs N]

The baseline is the same program without the tracer, run in turn with the traced one (which of the two comes first changes
from pair to pair). Printed are the median of the pairs' ratios and an interval of that median, from order statistics of the
binomial distribution (no assumption on how times scatter; with fewer than six pairs it cannot reach 95 %, and the line says
what it does reach), of CPU time (launcher, ranks and everything else the run started) and of wall time from launch to end.
Runs of all programs take turns until the seconds are used up, so that the short ones get more pairs.

*Accounted*: what the calls of a rank must have added, its number of events times what recording costs a call (the dearest
kind that bench_calls.py measures on one rank, here and now), over the CPU time of a rank. It tells where the host's noise
hides the change.
"""

import argparse
import math
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import bench_calls

from linkworth.measure import plan
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, find, linkage, preload, target
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.trace import record

RANKS = {"bt": 1, "sp": 1}
"""These two run on square numbers of ranks; all others run on 2."""

LENNARD_JONES = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
run 300
"""
"""The Lennard-Jones liquid of the LAMMPS distribution's own benchmark (bench/in.lj), smaller and longer."""


class Used(NamedTuple):
    """Seconds of one run."""

    cpu: float
    wall: float


class Program(NamedTuple):
    """A program and how it is launched."""

    name: str
    mpi: MpiInstallation
    ranks: int
    command: list[str]


def run(program: Program, folder: Path, traced: bool) -> Used:
    """Run once. Raises CalledProcessError where the program fails."""
    parts = folder / "parts"
    parts.mkdir()
    variables = {}
    if traced:
        variables = preload.environment(build.tracer(program.mpi), parts=parts, yielding=False)
    oversubscribe = ["--oversubscribe"] if program.mpi.kind == "openmpi" else []
    command = [program.mpi.mpiexec, *oversubscribe, "-n", str(program.ranks), *program.command]
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | ROOT_ALLOWED | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    found = len(list(parts.glob("*.part")))
    shutil.rmtree(parts)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    if found != (program.ranks if traced else 0):
        raise SystemExit(f"{program.name}: {found} ranks were recorded, not {program.ranks}")
    return Used(usage.ru_utime + usage.ru_stime, wall)


def seconds_a_call(mpi: MpiInstallation) -> float:
    """Return the cost of recording one call of the most expensive kind, in seconds."""
    least, _ = bench_calls.measured(mpi, 3)
    kinds = ("comm_rank", "iprobe", "allreduce", "self_message")
    return 1e-9 * max(least[kind, "trace"] - least[kind, "bare"] for kind in kinds)


def events_a_rank(program: Program, folder: Path) -> float:
    """Calls that are recorded of a rank, on average."""
    workload = plan.workload(program.command, program.ranks)
    trace = record.record(
        plan.plan(workload, mpi=program.mpi.name), output=folder / "trace.lwt", replace=True
    )
    return trace.events / program.ranks


def interval(values: list[float], wanted: float = 0.95) -> tuple[float, float, float]:
    """Lowest and highest value between which the median lies, and how sure that is."""
    ordered, count = sorted(values), len(values)
    best = (ordered[0], ordered[-1], 1 - 0.5 ** (count - 1))
    for cut in range(1, (count + 1) // 2):
        sure = 1 - 2 * sum(math.comb(count, k) for k in range(cut + 1)) / 2**count
        if sure < wanted:
            break
        best = (ordered[cut], ordered[-1 - cut], sure)
    return best


def shown(bare: list[float], traced: list[float]) -> str:
    """Return the change by tracing, of pairs."""
    changes = [100 * (after / before - 1) for before, after in zip(bare, traced, strict=True)]
    low, high, sure = interval(changes)
    middle = statistics.median(changes)
    return f"{statistics.median(bare):>8.3f} {middle:>+7.2f} % [{low:>+6.2f}, {high:>+6.2f}] {100 * sure:>3.0f} %"


def programs(names: list[str], mpi: MpiInstallation) -> list[Program]:
    """Return the programs by name; LAMMPS runs with its own MPI, and is left out by name where it or that is absent."""
    found = []
    for name in names:
        if name != "lammps":
            found.append(Program(f"{name}.A", mpi, RANKS.get(name, 2), [str(build.npb(mpi)), name, "A"]))
            continue
        file = shutil.which("lmp")
        own = (
            find.choose(None, target.of_command([file]))
            if file and linkage.of_program(Path(file)).dynamic
            else None
        )
        if file and own and own.mpiexec and own.mpicc:
            found.append(Program("lammps", own, 2, [file, "-in", "in.lj", "-log", "none", "-screen", "none"]))
        else:
            print("lammps: not here (Debian: apt-get install lammps)")
    return found


def main() -> None:
    """Print one line a program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--mpi", help="name, kind or prefix of one MPI; default: the one that is chosen for any program"
    )
    parser.add_argument("--programs", default="is,ep,cg,mg,ft,bt,sp,lu,lammps")
    parser.add_argument("--seconds", type=float, default=200.0, help="no pair begins that would take longer")
    parser.add_argument("--pairs", type=int, default=40, help="at most so many of each program")
    options = parser.parse_args()
    mpi = find.choose(options.mpi)
    chosen = programs(options.programs.split(","), mpi)
    pairs: dict[str, list[tuple[Used, Used]]] = {program.name: [] for program in chosen}
    spent = dict.fromkeys(pairs, 0.0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        (folder / "in.lj").write_text(LENNARD_JONES)
        costs = {
            own.name: seconds_a_call(own)
            for own in {program.mpi.name: program.mpi for program in chosen}.values()
        }
        events = {program.name: events_a_rank(program, folder) for program in chosen}
        begin = time.monotonic()
        while True:
            # Whoever has had the least time so far comes next, so that a short program gets many pairs.
            left = options.seconds - (time.monotonic() - begin)
            able = [
                program
                for program in chosen
                if len(done := pairs[program.name]) < options.pairs
                and (not done or sum(used.wall for used in done[-1]) < left)
            ]
            if not able:
                break
            program = min(able, key=lambda program: (bool(pairs[program.name]), spent[program.name]))
            first = len(pairs[program.name]) % 2 == 0
            a, b = run(program, folder, not first), run(program, folder, first)
            pairs[program.name].append((a, b) if first else (b, a))
            spent[program.name] += a.wall + b.wall
    print(
        f"{mpi.name}; load {os.getloadavg()[0]:.2f}; seconds without the tracer, change by tracing, interval of the median"
    )
    heads = f"{'program':<8} {'ranks':>5} {'pairs':>5} {'CPU s':>8} {'change':>9} {'interval':>16}       {'wall s':>8}"
    print(f"{heads} {'events a rank':>41} {'accounted':>10}")
    for program in chosen:
        done = pairs[program.name]
        cpu, wall = (
            shown([getattr(bare, what) for bare, _ in done], [getattr(traced, what) for _, traced in done])
            for what in ("cpu", "wall")
        )
        bare = statistics.median(used.cpu for used, _ in done) / program.ranks
        accounted = events[program.name] * costs[program.mpi.name] / bare
        line = f"{program.name:<8} {program.ranks:>5} {len(done):>5} {cpu}  {wall}"
        print(f"{line}  {events[program.name]:>12.0f} {accounted:>+10.3%}")


if __name__ == "__main__":
    main()
