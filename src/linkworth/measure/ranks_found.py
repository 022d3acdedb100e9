"""Checks that MPI found the requested ranks: a launcher of another MPI starts copies of rank 0 of 1."""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from linkworth.measure.plan import Plan
from linkworth.mpi import find, identify, preload, target
from linkworth.mpi.files import text_of
from linkworth.places.given import GivenLauncher, is_launcher
from linkworth.writing.folders import remove_folder

_LINE = re.compile(r"^(\d+) (.*)$", re.MULTILINE)
_WORDS = re.compile(r"[\w./-]+")


class RanksFound:
    """Reports of rank 0 of each MPI_COMM_WORLD of a run."""

    def __init__(self, file: Path | None, library: Path | None = None) -> None:
        self._file = file
        self.library = library or preload.ranks_library()
        """The preload library that makes the reports, at a path that the ranks can load."""

    @property
    def variables(self) -> dict[str, str]:
        """Variable that passes the file to a preload library."""
        return {preload.RANKS: str(self._file)} if self._file else {}

    def trouble(self, decided: Plan, recorded: Sequence[int] = ()) -> str:
        """Return a sentence on an error in the ranks; "" if all is well or nothing is known.

        `recorded` has the number of ranks that each process of a recording found, for ranks that cannot report it.
        """
        name, asked = decided.workload.name, decided.workload.ranks
        lines = _LINE.findall(self._read())
        sizes = Counter([int(size) for size, _ in lines] or [size for size in recorded if size > 0])
        if not sizes:
            return ""
        used = _name_of(lines[0][1]) if lines else "another MPI"
        own = "its own with `mpi`" + (f" {used}" if lines and used != decided.mpi.name else "")
        if sizes[0]:
            return f"it uses {used}, and was started with {decided.mpi.name}: choose {own}"
        launcher = own_launcher(decided.workload.command)
        if lines and launcher and sizes[asked] >= asked > 1:
            return (
                f"MPI reported {sizes[asked]} programs of {asked} ranks each, because {name} starts {launcher} by itself: "
                f"give the {launcher} command in it to linkworth instead"
            )
        copies = sizes[1] if set(sizes) == {1} else 0
        if asked in sizes or not asked or (isinstance(decided.launcher, GivenLauncher) and copies < 2):
            return ""
        if copies:
            return (
                f"MPI reported {copies} separate programs of one rank each instead of {asked} ranks: it uses {used}, and was "
                f"started with {decided.mpi.name}; choose {own}"
            )
        there = " and ".join(str(size) for size in sorted(sizes))
        return (
            f"MPI reported {there} ranks instead of {asked}: if {name} starts ranks by itself, "
            "give its mpirun command to linkworth instead"
        )

    def unseen(self, decided: Plan) -> str:
        """Return a sentence if none of several ranks of a known MPI program made a report; "" otherwise."""
        asked, program = decided.workload.ranks, decided.target
        if (
            self._file is None
            or asked < 2
            or not program.calls_mpi
            or not program.link.dynamic
            or self._read()
        ):
            return ""
        return (
            f"whether MPI found {asked} ranks is not known, because none reported it: the program called no MPI_Init, or its "
            "command clears LD_PRELOAD, as env -i does"
        )

    def _read(self) -> str:
        return text_of(self._file) if self._file else ""


def _name_of(version: str) -> str:
    """Return the name of the MPI with a library version: of one on this machine if known."""
    known = (mpi.name for mpi in find.find_all() if version and mpi.library_version.startswith(version))
    said = identify.parse_library_version(version)
    return next(known, f"{said.kind}-{said.version}")


NOT_ASKED = RanksFound(None)


def own_launcher(command: Sequence[str]) -> str:
    """Return the name of the launcher that the script of a command starts, "" if it starts none or is no script."""
    for word in command[:2]:
        text = target.text_of(Path(shutil.which(word) or word))
        if text:
            lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
            words = (each for line in lines for each in _WORDS.findall(line))
            return next((Path(each).name for each in words if is_launcher(each)), "")
    return ""


@contextmanager
def ranks_found(decided: Plan, folder: Path | None = None) -> Iterator[RanksFound]:
    """Make a file for a run's reports that its ranks can write to.

    Hosts of a file and nodes of a batch system share `folder`, the run's own (None: the current one), with this machine.
    The nodes of the user's own launcher may share it too, but their number is unknown; if no file can be made there,
    it is on this machine. A file of an earlier linkworth in the folder stays: its job may still run and be found again.
    """
    here = decided.opened is not None and decided.opened.name.split()[0] in ("local", "lab")
    try:
        if here or folder is None:
            place = _new_folder(None if here else Path.cwd(), may_be_here=decided.opened is None)
        else:
            place = folder.absolute() / "ranks-found"
            place.mkdir(exist_ok=True)
    except OSError:
        yield NOT_ASKED
        return
    try:
        yield _reports(place, own_library=not here)
    finally:
        remove_folder(place)


def _new_folder(parent: Path | None, *, may_be_here: bool) -> Path:
    """Make a folder in `parent` (None: for temporary files), or, with `may_be_here`, there if `parent` is read-only."""
    try:
        return Path(tempfile.mkdtemp(prefix=".linkworth-ranks-", dir=parent))
    except OSError:
        if not may_be_here:
            raise
        return Path(tempfile.mkdtemp(prefix=".linkworth-ranks-"))


def _reports(place: Path, *, own_library: bool) -> RanksFound:
    """Put the file into a folder, with a copy of the library if it may not be installed on the ranks' nodes."""
    file, library = place / "ranks", preload.ranks_library()
    try:
        file.touch()
        if own_library:
            copy = place / library.name
            if not copy.exists():  # else ranks of an earlier job may have it loaded
                shutil.copy(library, copy)
            library = copy
    except OSError:
        return NOT_ASKED
    return RanksFound(file, library) if preload.can_be_loaded(library) else NOT_ASKED
