"""The bundled programs as commands: `npb:ft.B` is `lw-npb ft B`, built for the MPI that runs it."""

import re
from collections.abc import Sequence

from linkworth.errors import UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build

_NPB = re.compile(r"^npb:([a-z]{2})\.([A-Z])$")


def is_app(word: str) -> bool:
    """Say whether a command's first word names a bundled program. Raises UsageError for a name that is only nearly right."""
    if not word.lower().startswith("npb:"):
        return False
    if not _NPB.match(word):
        raise UsageError(
            f"{word}: a bundled program is written npb:PROGRAM.CLASS, such as npb:ft.W (see: linkworth apps)"
        )
    return True


def resolve(command: Sequence[str], mpi: MpiInstallation) -> list[str]:
    """Return the command with a bundled program's name replaced by its file and arguments, built for that MPI."""
    found = _NPB.match(command[0])
    if not found:
        return list(command)
    return [str(build.npb(mpi)), found[1], found[2], *command[1:]]
