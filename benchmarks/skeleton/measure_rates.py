"""Prints src/linkworth/catalog/data/rates.toml as this machine would have it: every program's rates, timed here.

    python benchmarks/skeleton/measure_rates.py [--mpi NAME] > src/linkworth/catalog/data/rates.toml

Run it on a quiet machine. The file is the reference of `--machine` and of `--measured`, so core_speed in machines.toml has to
be renewed with it.
"""

import argparse
import shlex
import shutil
import subprocess
from datetime import UTC, datetime

from linkworth import _engine
from linkworth.catalog import apps
from linkworth.measure.machine.hardware import processor
from linkworth.mpi import cache, find
from linkworth.skeleton import Program, parse
from linkworth.skeleton.calibrate import phase_times
from linkworth.skeleton.progress import SilentProgress
from linkworth.skeleton.rates import of_run

MOST_RUNS = 5
ENOUGH_SECONDS = 120.0


def timed_program(name: str) -> Program:
    """Return the run that calibrates the program that the engine knows as `name`."""
    for app in map(apps.get, apps.names()):
        if app.name.rpartition(":")[2] == name:
            return parse(shlex.split(app.calibration))
    return parse([f"npb:{name}.W"])


def cpu_facts() -> str:
    """Return the processor's name with family and model, since a virtual machine's name is too short."""
    found = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    fields = dict(line.split(":", 1) for line in found.splitlines() if ":" in line)
    facts = {key.strip(): value.strip() for key, value in fields.items()}
    return f"{processor()}, family {facts.get('CPU family', '?')} model {facts.get('Model', '?')}"


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mpi")
    parser.add_argument("--processor", help="how to name the processor")
    options = parser.parse_args()
    mpi = find.choose(options.mpi)
    compiler = subprocess.run([mpi.mpicxx, "--version"], capture_output=True, text=True, check=False).stdout
    print(
        "# What an operation of each phase of a bundled program takes on one core: the least of five runs on one rank."
    )
    print(
        "# Made by benchmarks/skeleton/measure_rates.py on the processor and at the date below; the operations are those that"
    )
    print("# the skeletons count (native/skeleton/programs).")
    print(f'processor = "{options.processor or cpu_facts()}"')
    print(f'software = "{compiler.partition(chr(10))[0]}, -O3 -march=native, {mpi.kind} {mpi.version}"')
    print(f'date = "{datetime.now(UTC).date().isoformat()}"')
    # Times in the calibration's cache come from fewer runs.
    shutil.rmtree(cache.cache_folder() / "rates", ignore_errors=True)
    for name in _engine.skeleton_programs():
        program = timed_program(name)
        times = phase_times(
            program.command, options.mpi, SilentProgress(), most_runs=MOST_RUNS, enough_seconds=ENOUGH_SECONDS
        )
        rates = of_run(program, times)
        print(f'\n[programs.{name}]\nworkload = "{rates.workload}"\nseconds = {rates.seconds:.4g}')
        print(f"[programs.{name}.seconds_per_operation]")
        for phase, seconds in rates.seconds_per_operation.items():
            print(f'"{phase}" = {seconds:.4g}')


if __name__ == "__main__":
    main()
