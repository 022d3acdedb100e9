"""Computation of a rank of a decomposed run over its skeleton's, phase by phase: lu, bt and sp.

Each rank runs by itself with messages that carry nothing (alone.cpp), so that neither the network nor a neighbour that shares
the memory is in its time, which is CPU time: the machine need not be quiet. The skeleton's operations are turned into time by
the rates of the run on one rank, taken the same way; a phase without work there gets the mean rate, as in a prediction. The
baseline is what the rank takes; 1.00 is a skeleton that counts all there is to do.

    python benchmarks/skeleton/bench_phases.py [--programs lu,bt,sp] [--class A]
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

from linkworth.mpi import sources
from linkworth.skeleton import parse
from linkworth.skeleton.program import operations

PROGRAMS = {
    "lu": ("pencil", "PencilKernel", [(2, 0), (2, 1), (4, 0), (4, 3), (9, 4)]),
    "bt": ("solver", "SolverKernel", [(4, 0), (9, 0)]),
    "sp": ("solver", "SolverKernel", [(4, 0), (9, 0)]),
}
"""Kernel's header and class, and the ranks to compare: (of how many, which)."""
ITERATIONS = 20
REPEAT = 5


def compile_alone(name: str, folder: Path) -> Path:
    """Compile one program with its kernels."""
    recipe = sources.recipe("programs")
    header, kernel, _ = PROGRAMS[name]
    binary = folder / name
    files = [
        Path(__file__).parent / "alone.cpp",
        *recipe.folder.glob(f"{name}/[!d]*.cpp"),
        *recipe.folder.glob("flow/*.cpp"),
    ]
    defined = {
        "PROGRAM": name,
        "KERNEL": kernel,
        "PROGRAM_HEADER": f'"{name}/{name}.hpp"',
        "KERNEL_HEADER": f'"{name}/{header}.hpp"',
    }
    defines = [f"-D{key}={value}" for key, value in defined.items()]
    subprocess.run(["c++", *recipe.flags, f"-I{recipe.folder}", *defines, *files, "-o", binary], check=True)
    return binary


def seconds(binary: Path, letter: str, ranks: int, rank: int) -> list[float]:
    """Return each phase's CPU seconds a step, the least of several runs."""
    command = [str(binary), letter, str(ranks), str(rank), str(ITERATIONS)]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        for _ in range(REPEAT)
    ]
    return [min(map(float, phase)) / ITERATIONS for phase in zip(*runs, strict=True)]


def main() -> None:
    """Print a line for each phase of each rank, and one for all of its phases."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", default="lu,bt,sp")
    parser.add_argument("--class", dest="letter", default="A")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="linkworth-bench-") as folder:
        for name in options.programs.split(","):
            binary = compile_alone(name, Path(folder))
            program = parse([f"npb:{name}.{options.letter}"])
            counted = operations(program)
            one = seconds(binary, options.letter, 1, 0)
            busy = [(time, work) for time, work in zip(one, counted.values(), strict=True) if work > 0]
            mean = sum(time for time, _ in busy) / sum(work for _, work in busy)
            rates = [
                time / work if work > 0 else mean for time, work in zip(one, counted.values(), strict=True)
            ]
            print(f"{program.workload} alone on 1 rank: {sum(one) * 1e3:.3f} ms a step")
            for ranks, rank in PROGRAMS[name][2]:
                took = seconds(binary, options.letter, ranks, rank)
                work = operations(program, ranks, rank)
                told = [rate * count for rate, count in zip(rates, work.values(), strict=True)]
                parts = ", ".join(
                    f"{phase} {skeleton * 1e3:.3f}/{real * 1e3:.3f}"
                    for phase, skeleton, real in zip(program.phases, told, took, strict=True)
                )
                whole = sum(told) / sum(took)
                print(f"  rank {rank} of {ranks}, skeleton/alone: {whole:.3f}   ({parts} ms)", flush=True)


if __name__ == "__main__":
    main()
