"""Classifies the end of a job by its exit code and by the messages of MPI launchers."""

import re
import signal
from collections.abc import Iterable
from typing import NamedTuple

from linkworth import units
from linkworth.errors import StopCause
from linkworth.model.run import RunResult, RunState
from linkworth.places.job import JobEnd

_INTERRUPTED = "it was interrupted"
_ABORTED = re.compile(
    r"MPI_ABORT was invoked|application called MPI_Abort|internal_Abort\(|^Abort\(\d+\)", re.MULTILINE
)
_ABORT_CODE = re.compile(r"[Ee]rrorcode:? (-?\d+)|MPI_Abort\([^,)]*, (-?\d+)\)")
_SIGNALLED = re.compile(
    r"exited on signal (\d+)"  # Open MPI
    r"|EXIT STRING: [^\n]*\(signal (\d+)\)"  # Hydra
    r"|KILLED BY SIGNAL: (\d+)"  # Intel MPI and MPICH 4
)
_HYDRA = re.compile(r"^YOUR APPLICATION TERMINATED WITH THE EXIT STRING", re.MULTILINE)
# Signals from outside: a person, a batch system or the kernel short of memory. Others are crashes.
_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR2}


class Ending(NamedTuple):
    """State of an ended job, and one sentence if it is not as it should be."""

    state: RunState
    message: str


def was_interrupted(run: RunResult | Ending) -> bool:
    """Return whether the user interrupted a run."""
    return run.state == "killed" and run.message.startswith(_INTERRUPTED)


def stopped_by(run: RunResult | Ending) -> StopCause:
    """Return what stopped a run."""
    if was_interrupted(run):
        return "interrupted"
    return "timeout" if run.state == "timeout" else ""


def refusal(lines: Iterable[str], program: str) -> str:
    """Return the sentence on why a program of our own cannot run, from what it and its launcher said."""
    for line in lines:
        _, mark, sentence = line.partition(f"{program}: ")
        if mark:
            return sentence.strip()
    return ""


def classify(end: JobEnd, output: str, timeout: float | None) -> Ending:
    """Classify how a job ended. `output` is the last output of launcher and ranks."""
    if end.interrupted:
        return Ending("killed", f"{_INTERRUPTED} after {end.seconds:.1f} s")
    if end.timed_out and not end.cause:
        return Ending(
            "timeout",
            f"it ran longer than {units.plain(end.seconds if timeout is None else timeout)} s and was stopped",
        )
    if end.cause:
        return Ending("timeout" if end.timed_out else "killed", end.cause)
    if end.exit_code == 0:
        return Ending("complete", "")
    if _ABORTED.search(output):
        found = _ABORT_CODE.search(output)
        code = f" with code {found[1] or found[2]}" if found else ""
        return Ending("aborted", f"the program called MPI_Abort{code}")
    number = _signal_of(end.exit_code, output)
    if number is None:
        return Ending("failed", f"the program left with exit code {end.exit_code}")
    if number in _FROM_OUTSIDE:
        hint = ""
        if number == signal.SIGKILL:
            hint = ", as the kernel does when memory runs out"
            if _HYDRA.search(output):
                # Hydra kills the other ranks when one leaves early, and may then report their end instead.
                hint += " and this launcher does when another rank leaves before MPI_Finalize"
        return Ending("killed", f"a rank was killed by {_name(number)}{hint}")
    return Ending("failed", f"a rank crashed with {_name(number)}")


def _signal_of(exit_code: int, output: str) -> int | None:
    found = _SIGNALLED.search(output)
    if found:
        return int(next(group for group in found.groups() if group))
    if exit_code < 0:
        return -exit_code
    return exit_code - 128 if 128 < exit_code < 128 + signal.NSIG else None


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
