"""Runs a command on a node of a lab, or on ranks over its nodes, and passes its output on."""

import subprocess
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from linkworth.lab import dilation
from linkworth.lab.place import LabPlace
from linkworth.model.counters import NodeCounters
from linkworth.mpi import find, preload, target
from linkworth.places.counters import difference
from linkworth.places.job import Job, Observer, Stream
from linkworth.places.place import check_started_ranks

STOP_SECONDS = 2.0


class Executed(msgspec.Struct, frozen=True, kw_only=True):
    """End of a command in a lab."""

    schema: str = "linkworth.lab-exec/1"
    lab: str
    nodes: list[str]
    command: list[str]
    exit_code: int
    seconds: float
    counters: list[NodeCounters]
    """Counts of the nodes during the command."""
    facts: dict[str, str]


def on_node(
    opened: LabPlace, node: str | None, command: list[str], output: BinaryIO | None = None
) -> Executed:
    """Run a command on one node (the first one by default, or `head`, where launchers start) and wait for it.

    Its standard output goes to `output`, else to this process's own. Raises UsageError for an unknown node or program.
    """
    find.program_path(command[0])
    place = node or opened.nodes[0]
    words = opened.lab.enter(place, command)
    before = opened.counters()
    started = time.monotonic()
    process = subprocess.Popen(words, stdout=output)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        code = _stopped(process)
    return _executed(opened, [place], command, code, started, before)


def on_ranks(
    opened: LabPlace, ranks: int, mpi: str | None, command: list[str], output: BinaryIO, errors: BinaryIO
) -> Executed:
    """Run an MPI program on ranks over the nodes of a lab. Raises the errors of finding an MPI and its transport."""
    check_started_ranks(ranks, opened)
    path = find.program_path(command[0])
    program = target.of_command(command)
    chosen = find.choose(mpi, program)
    launcher = opened.launcher(chosen)
    # mpi4py uses a loaded MPI, and else takes the launcher's preload library for one.
    environment = (
        preload.environment(preload.ranks_library(), behind=[Path(chosen.library)]) if program.free else {}
    )
    before = opened.counters()
    started = time.monotonic()
    job = Job(command=[str(path), *command[1:]], ranks=ranks, folder=Path.cwd(), environment=environment)
    end = launcher.run(job, _PassOn(output, errors))
    return _executed(opened, opened.nodes, command, end.exit_code, started, before, dilation.remark(ranks))


def _stopped(process: subprocess.Popen[bytes]) -> int:
    """Wait for a command that the terminal has interrupted too, and end it if it was not."""
    for stop in (process.terminate, process.kill):
        try:
            return process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            stop()
    return process.wait()


class _PassOn(Observer):
    """Observer that writes a job's output to its destination."""

    def __init__(self, output: BinaryIO, errors: BinaryIO) -> None:
        self._to = {"stdout": output, "stderr": errors}

    def output(self, stream: Stream, data: bytes) -> None:
        """Write data at once."""
        self._to[stream].write(data)
        self._to[stream].flush()


def _executed(
    opened: LabPlace,
    nodes: list[str],
    command: list[str],
    code: int,
    started: float,
    before: list[NodeCounters],
    doubt: str = "",
) -> Executed:
    return Executed(
        lab=opened.lab.name,
        nodes=nodes,
        command=command,
        exit_code=code,
        seconds=time.monotonic() - started,
        counters=difference(before, opened.counters()),
        facts=opened.facts() | ({"doubt": doubt} if doubt else {}),
    )
