"""Runs a launcher command of the user (mpirun, mpiexec, srun), with added variables for its ranks."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from linkworth.errors import UsageError
from linkworth.mpi import identify
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.places.process import run_session

_LAUNCHER = re.compile(r"^(mpirun|mpiexec|srun|orterun|prterun)([._-][\w.-]+)?$")
_RANKS = re.compile(r"^(?:-n|-np|--np|-c|--ntasks)$")
_RANKS_JOINED = re.compile(r"^(?:--ntasks|--np|-n)=?(\d+)$")


def is_launcher(word: str) -> bool:
    """Return whether a command's first word is a launcher."""
    return bool(_LAUNCHER.match(Path(word).name))


class GivenLauncher:
    """The user's own launcher command."""

    spins_when_crowded = False

    def __init__(self, command: Sequence[str]) -> None:
        found = shutil.which(command[0])
        if found is None:
            raise UsageError(f"there is no program {command[0]}")
        self.path = Path(found)
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
        for number, word in enumerate(self.command[1:], 1):
            if not word.startswith("-") and not word.isdecimal() and shutil.which(word):
                return number
        return None

    @property
    def ranks(self) -> int:
        """Number of ranks in the command, 0 if it gives none."""
        total = 0
        before_program = True
        words = iter(self.command[1:])
        for word in words:
            if word == ":":
                before_program = True
            elif not before_program:
                continue
            elif _RANKS.match(word) and not (word == "-c" and self._kind != "openmpi"):
                value = next(words, "")
                total += int(value) if value.isdecimal() else 0
            elif joined := _RANKS_JOINED.match(word):
                total += int(joined[1])
            elif not word.startswith("-") and not word.isdecimal() and shutil.which(word):
                before_program = False
        return total

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
