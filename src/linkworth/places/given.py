"""Runs a launcher command of the user (mpirun, mpiexec, srun), with added variables for its ranks."""

import re
import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from linkworth.errors import UsageError
from linkworth.mpi import identify
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.places.process import run_session

_LAUNCHER = re.compile(r"^(mpirun|mpiexec|srun|orterun|prterun)([._-][\w.-]+)?$")
_NOT_READ = ("aprun", "ibrun", "jsrun")
"""Launchers whose options are not understood."""
_RANKS = ("n", "np", "ntasks")
_RANKS_JOINED = re.compile(r"^(?:--ntasks|--np|-n)=?(\d+)$")
# Options whose value is the next word, without dashes: mpirun(1) of Open MPI, mpiexec -help of Hydra, srun(1). A value may
# be the name of a program as well: --map-by node, -launcher ssh, --partition test.
_ONE_VALUE = re.compile(
    r"""
    n|np|ntasks|N|host|hosts|hostfile|machinefile|default-hostfile|rankfile|app|configfile|wdir|wd|path|prefix|tune|am|
    map-by|rank-by|bind-to|npernode|npersocket|ppr|ppn|perhost|cpu-set|cpu-list|cpus-per-proc|output-filename|output|display|
    stdin|timeout|report-pid|report-uri|personality|runtime-options|
    f|genvlist|envlist|launcher|launcher-exec|bootstrap|bootstrap-exec|rmk|iface|demux|topolib|prepend-pattern|outfile-pattern|
    errfile-pattern|membind|
    account|chdir|clusters|comment|constraint|cpu-bind|cpus-per-task|dependency|distribution|error|exclude|export|gpus|
    gpus-per-node|gpus-per-task|gres|hint|input|job-name|jobid|licenses|mem|mem-bind|mem-per-cpu|mpi|network|nodefile|nodelist|
    nodes|ntasks-per-core|ntasks-per-node|ntasks-per-socket|partition|qos|relative|reservation|signal|switches|time|
    wait|wckey
    """,
    re.VERBOSE,
)
_TWO_VALUES = re.compile("mca|gmca|omca|prtemca|gprtemca|pmixmca|gpmixmca|genv|env")
_LETTERS_OF_MPIRUN = frozenset("cHx")
_LETTERS_OF_SRUN = frozenset("ABCDFGJLMSTWcdeimopqrtwx")


def is_launcher(word: str) -> bool:
    """Return whether a command's first word is a launcher."""
    name = Path(word).name
    return name in _NOT_READ or bool(_LAUNCHER.match(name))


class GivenLauncher:
    """The user's own launcher command."""

    spins_when_crowded = False

    def __init__(self, command: Sequence[str]) -> None:
        found = shutil.which(command[0])
        if found is None:
            raise UsageError(f"there is no program {command[0]}")
        self.path = Path(found)
        if self.path.name in _NOT_READ:
            raise UsageError(
                f"the options of {self.path.name} are not understood; start the ranks with srun, mpirun or mpiexec instead"
            )
        self.command = list(command)
        self.name = self.path.name
        self.identity = None if self.name.startswith("srun") else identify.launcher(self.path)

    @property
    def program_words(self) -> list[str]:
        """The program and its arguments. Empty if the options before it leave it unclear."""
        at = self.program_at
        return [] if at is None else self.command[at:]

    @property
    def program_at(self) -> int | None:
        """Index of the program in the command."""
        return self._parsed[0]

    @property
    def ranks(self) -> int:
        """Number of ranks in the command, 0 if it gives none."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[int | None, int]:
        """Index of the first program, and the ranks of all programs."""
        program: int | None = None
        total, at, options = 0, 1, True
        while at < len(self.command):
            word = self.command[at]
            at += 1
            if word == ":":
                options = True
            elif not options:
                continue
            elif word.startswith("-"):
                values = self.command[at : at + self._values_of(word)]
                if joined := _RANKS_JOINED.match(word):
                    total += int(joined[1])
                elif values and self._counts_ranks(word) and values[0].isdecimal():
                    total += int(values[0])
                at += len(values)
            elif not word.isdecimal() and shutil.which(word):
                options = False
                program = at - 1 if program is None else program
        return program, total

    def _values_of(self, word: str) -> int:
        """Return how many of the next words are the values of an option, as far as the option is known."""
        name = word.lstrip("-")
        letters = _LETTERS_OF_SRUN if self.name.startswith("srun") else _LETTERS_OF_MPIRUN
        if _TWO_VALUES.fullmatch(name):
            return 2
        return int(name in letters or _ONE_VALUE.fullmatch(name) is not None)

    def _counts_ranks(self, word: str) -> bool:
        return word.lstrip("-") in _RANKS or (word == "-c" and self._kind == "openmpi")

    @property
    def _kind(self) -> str:
        return self.identity.kind if self.identity else ""

    def arguments(self, job: Job) -> list[str]:
        """Return the user's command with the variables as its launcher accepts them for the ranks."""
        after_colon: list[str] = []
        if self._kind == "openmpi":
            added = [word for name, value in job.environment.items() for word in ("-x", f"{name}={value}")]
            # With several programs, Open MPI's -x applies to the next one only, and Hydra's -genv to all.
            after_colon = added
        elif self._kind in ("mpich", "intel"):
            added = [word for name, value in job.environment.items() for word in ("-genv", name, value)]
        else:
            added = []
        words = [
            piece for word in self.command[1:] for piece in ([word, *after_colon] if word == ":" else [word])
        ]
        return [str(self.path), *added, *words]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Run the command to its end. srun and unknown launchers pass their own variables on."""
        environment = {} if self._kind in ("openmpi", "mpich", "intel") else dict(job.environment)
        return run_session(
            self.arguments(job),
            observer,
            environment=environment | (ROOT_ALLOWED if self._kind == "openmpi" else {}),
            timeout=job.timeout,
            folder=job.folder,
            inherit_stdin=job.inherit_stdin,
        )
