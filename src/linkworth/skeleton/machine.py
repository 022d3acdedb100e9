"""Measures this machine: the bundled programs on one core and on all, memory and copies. Writes its machine file."""

import contextlib
import math
import os
import platform
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, geometric_mean

import msgspec

from linkworth.catalog import apps
from linkworth.catalog.machines import MachinesFile
from linkworth.errors import EnvironmentLacksError
from linkworth.measure.machine.hardware import core_limit, cores, memory_bytes, processor
from linkworth.measure.plan import plan
from linkworth.model.fabric import SourceNote
from linkworth.model.machine import KernelTime, Machine
from linkworth.model.rates import PhaseTimes
from linkworth.model.workload import Workload
from linkworth.skeleton.calibrate import BusyCores, PhaseReport, least_phases
from linkworth.skeleton.program import parse
from linkworth.skeleton.progress import StepProgress
from linkworth.skeleton.rates import of_run, reference_seconds
from linkworth.writing import toml
from linkworth.writing.files import require_writable, write_output

_SHORTER = {"npb:bt": "npb:bt.W", "npb:sp": "npb:sp.W", "npb:lu": "npb:lu.W"}
"""Class A of these takes half a minute and more."""
_RUNS = 2
_ARRAY_BYTES = 2**27
"""Each array of one core's copies, beyond its caches; all cores take eight times as much together."""
_MEMORY_SECONDS = 1.0
_QUIET = 0.15
"""Cores that other programs may keep busy."""
_LONGEST_SECONDS = 600.0


def measure_machine(name: str, mpi: str | None, progress: StepProgress) -> tuple[Machine, str]:
    """Return this machine with its rates, and a warning if other programs disturbed them.

    Raises EnvironmentLacksError if the bundled programs cannot run here.
    """
    # A limit on CPU time is a smaller machine: more copies than it allows only wait.
    most = max(1, math.floor(min(core_limit(), os.cpu_count() or 1)))
    chosen = dict(list(cores(os.sched_getaffinity(0)).items())[:most])
    npb = [each for each in apps.names() if each.startswith("npb:")]
    programs = [_SHORTER.get(each, apps.get(each).calibration) for each in npb]
    progress.plan(len(programs) + 1)
    kernels = []
    version, others = "", [0.0]
    for words in map(shlex.split, programs):
        progress.step(f"{words[0]} on one core and on {len(chosen)}")
        kernel, version = _kernel(words, mpi, list(chosen), others)
        kernels.append(kernel)
    progress.step("memory and copies")
    with _watched(others):
        copied, memory = _bandwidths(list(chosen))
    speeds = [reference_seconds(each.workload) / each.seconds for each in kernels]
    disturbed = f"other programs kept {max(others):.1f} cores busy meanwhile" if max(others) > _QUIET else ""
    found = Machine(
        name=name,
        title=f"measured on {platform.node()}",
        nodes=1,
        sockets_per_node=max(1, len(set(chosen.values()))),
        cores_per_node=len(chosen),
        memory_bytes_per_node=memory_bytes(),
        processor=processor() or platform.machine(),
        fabrics=["shm"],
        core_speed=geometric_mean(speeds),
        memory_bytes_per_second=memory,
        copy_bytes_per_second=copied,
        disturbed=disturbed,
        kernels=kernels,
        sources=[
            SourceNote(
                fields=["kernels", "core_speed", "memory_bytes_per_second", "copy_bytes_per_second"],
                source=f"linkworth machines measure, programs built with {version}",
                date=datetime.now(UTC).date().isoformat(),
                note=f"the least of {_RUNS} runs on one core; one run of as many copies as there are cores",
            )
        ],
    )
    advice = ", so this machine may be faster than its file; measure it again when it is quiet"
    return found, disturbed and disturbed + advice


def default_name() -> str:
    """Return a name for this machine, from its host's name."""
    return re.sub(r"[^a-z0-9._-]", "-", platform.node().lower()).lstrip("._-") or "machine"


@contextlib.contextmanager
def _watched(others: list[float]) -> Iterator[None]:
    """Add the cores that other programs keep busy meanwhile to `others`."""
    watch = BusyCores()
    yield
    others.append(watch.others())


def _kernel(
    words: Sequence[str], mpi: str | None, places: Sequence[int], others: list[float]
) -> tuple[KernelTime, str]:
    """Return the times of a program and the MPI that it was built with. Adds what others kept busy to `others`."""
    program = parse(words)
    decided = plan(Workload(name=program.workload, command=[*words, "--json", "--timers"], ranks=1), mpi)
    with _watched(others):
        alone = [_together(decided.command, places[:1])[0] for _ in range(_RUNS)]
    best = min(alone, key=lambda each: each.seconds)
    full = [best]
    if len(places) > 1:
        with _watched(others):
            full = _together(decided.command, places)
    times = PhaseTimes(
        workload=program.workload,
        seconds=best.seconds,
        phases=least_phases(alone),
        mpi=decided.mpi.name,
        date="",
    )
    kernel = KernelTime(
        program=program.name,
        workload=program.workload,
        seconds=best.seconds,
        seconds_on_all_cores=max(best.seconds, fmean(each.seconds for each in full)),
        seconds_per_operation=of_run(program, times).seconds_per_operation,
    )
    return kernel, decided.mpi.name


def _together(command: Sequence[str], places: Sequence[int]) -> list[PhaseReport]:
    """Run a program on one rank on each of the CPUs at once, and return the reports."""
    with contextlib.ExitStack() as stack:
        started = []
        for cpu in places:
            output = stack.enter_context(tempfile.TemporaryFile())
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL
            )
            stack.callback(process.kill)
            with contextlib.suppress(OSError):
                os.sched_setaffinity(process.pid, {cpu})
            started.append((process, output))
        reports = []
        for process, output in started:
            try:
                process.wait(_LONGEST_SECONDS)
                output.seek(0)
                reports.append(msgspec.json.decode(output.read(), type=PhaseReport))
            except (subprocess.TimeoutExpired, msgspec.DecodeError):
                raise EnvironmentLacksError(
                    f"{shlex.join(command[1:])} cannot be timed on one rank without a launcher here; "
                    "choose another MPI with `mpi`"
                ) from None
    return reports


def _bandwidths(places: Sequence[int]) -> tuple[float, float]:
    """Return the bytes a second that one core copies, and that all cores read and write while they add arrays."""
    import numpy as np

    def copying(length: int) -> float:
        source, target = np.ones(length), np.zeros(length)
        return _rate(lambda: np.copyto(target, source), source.nbytes)

    def adding(length: int) -> float:
        first, second, total = np.ones(length), np.ones(length), np.zeros(length)
        return _rate(lambda: np.add(first, second, out=total), 3 * first.nbytes)

    copied = copying(_ARRAY_BYTES // 8)
    together = max(_ARRAY_BYTES, min(8 * _ARRAY_BYTES, memory_bytes() // 16))
    with ThreadPoolExecutor(len(places)) as pool:
        return copied, sum(pool.map(adding, [together // 8 // len(places)] * len(places)))


def _rate(work: Callable[[], object], size: int) -> float:
    """Return the bytes a second of a repeated piece of work; the first is left out, since it touches new pages."""
    work()
    begin = time.perf_counter()
    count, elapsed = 0, 0.0
    while count == 0 or elapsed < _MEMORY_SECONDS:
        work()
        count += 1
        elapsed = time.perf_counter() - begin
    return count * size / elapsed


def check_output(path: Path) -> None:
    """Raise UsageError for a name that `machine` would not take for a file, and for a folder that cannot be written."""
    toml.require_name(path, "machine")
    require_writable(path)


def write_machine(machine: Machine, path: Path) -> None:
    """Write a machine file. Raises UsageError as `write_output` does."""
    write_output(path, text(machine))


def text(machine: Machine) -> str:
    """Return the machine's TOML."""
    return toml.text(MachinesFile(machines=[machine]), digits=4)
