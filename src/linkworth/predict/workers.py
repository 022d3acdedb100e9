"""Many replays of one trace, on all cores of this machine or on the processes of an MPI job through mpi4py.futures.

Each replay depends only on its own input, and results come back in the order of the inputs.
They are the same on any workers.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.predict.shorter import replayed
from linkworth.predict.threads import ReplayThreads
from linkworth.predict.warnings import replay_warnings
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.trace.read import Allowance, TraceFile, open_trace

CHUNKS_PER_PROCESS = 8
"""Parts of the work for each process, one after another: few messages, and no long wait for the last part."""


class Task(msgspec.Struct, frozen=True):
    """One replay."""

    fabric: Fabric
    layout: Layout
    cpu_factor: float
    settings: ReplaySettings
    scaled: bool = False
    """True if the factor scales the computation to a measured time."""


class TaskResult(msgspec.Struct, frozen=True):
    """The result of a task."""

    prediction: Prediction
    warnings: list[str]
    marked: bool
    """True if the time is of the part that the program marks."""


class ReplayWorkers(msgspec.Struct, frozen=True, kw_only=True):
    """Workers for many replays."""

    threads: int | None = None
    """None: all cores, or the processes of the MPI job."""
    shared: bool = True
    """True: every process can read the trace's path."""
    progress: StepProgress = SILENT
    """Gets the name of each task's network; threads may call it."""


def replay_all(
    trace: TraceFile, tasks: Sequence[Task], workers: ReplayWorkers
) -> tuple[list[TaskResult], str]:
    """Return the results of all tasks for a trace, in their order, and a name for the workers.

    In a job started as `mpiexec -n N python -m mpi4py.futures -m linkworth ...` the other processes replay; else
    threads. A trace that is not shared is sent once.
    """
    workers.progress.plan(len(tasks))

    def begun(task: Task) -> TaskResult:
        workers.progress.step(task.fabric.name)
        return _replayed(trace, task)

    processes = mpi_processes()
    if processes == 0:
        threads = min(workers.threads or len(os.sched_getaffinity(0)), max(1, len(tasks)))
        with ReplayThreads(threads) as pool:
            found = list(pool.map(begun, tasks))
        return found, f"{threads} thread{'s' if threads > 1 else ''}"
    if workers.threads is not None:
        raise UsageError(
            f"`workers` {workers.threads}: an MPI job has its processes; leave it out, or start linkworth by itself"
        )
    content = None if workers.shared else trace.path.read_bytes()
    chunk = max(1, len(tasks) // (processes * CHUNKS_PER_PROCESS))
    with _mpi_pool(content) as pool:
        found = list(
            pool.map(
                partial(_replayed_there, str(trace.path.absolute()), content is not None),
                tasks,
                chunksize=chunk,
            )
        )
    return found, f"{processes} MPI process{'es' if processes > 1 else ''}"


def mpi_processes() -> int:
    """Return how many other processes of an mpi4py.futures job wait for work; 0 outside one."""
    # Only that start-up imports mpi4py.futures before linkworth; without it there is no cost for MPI.
    if "mpi4py.futures" not in sys.modules:
        return 0
    from mpi4py import MPI

    return int(MPI.COMM_WORLD.Get_size()) - 1


@contextmanager
def _mpi_pool(content: bytes | None) -> Iterator[Any]:
    try:
        from mpi4py.futures import MPIPoolExecutor
    except ImportError:
        raise EnvironmentLacksError(
            "sweeping on several nodes needs mpi4py; install it with: pip install 'linkworth[mpi]'"
        ) from None
    sent: dict[str, Any] = {} if content is None else {"initializer": keep, "initargs": (content,)}
    with MPIPoolExecutor(**sent) as pool:
        yield pool


_KEPT: list[tuple[Path, tempfile.TemporaryDirectory[str]]] = []


def keep(content: bytes) -> None:
    """Write a trace that was sent to a folder of this process, which is removed with it."""
    folder = tempfile.TemporaryDirectory(prefix="linkworth-")
    path = Path(folder.name) / f"{hashlib.sha256(content).hexdigest()[:16]}.lwt"
    path.write_bytes(content)
    _KEPT[:] = [(path, folder)]


@lru_cache(maxsize=1)
def _opened(path: str) -> TraceFile:
    # The main process has already decided whether an incomplete trace may be used.
    return open_trace(Path(path), Allowance())


def _replayed_there(path: str, sent: bool, task: Task) -> TaskResult:
    return _replayed(_opened(str(_KEPT[0][0]) if sent else path), task)


def _replayed(trace: TraceFile, task: Task) -> TaskResult:
    found = replayed(trace, task.fabric, task.layout, cpu_factor=task.cpu_factor, settings=task.settings)
    warnings = replay_warnings(trace, found, scaled=task.scaled)
    return TaskResult(found.prediction, warnings, found.result.marked_region)
