"""Choice of a replay's collective algorithms, from the trace's MPI library and the user's options."""

import re
from typing import get_args

from linkworth.model.collectives import CollectiveLibrary, CollectiveRules, LibrarySeries
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo

LIBRARIES: tuple[CollectiveLibrary, ...] = get_args(CollectiveLibrary)

_TITLES: dict[LibrarySeries, str] = {
    "mpich": "MPICH",
    "mpich-flat": "MPICH without node leaders",
    "openmpi-4.0": "Open MPI up to 4.0",
    "openmpi-4.1": "Open MPI 4.1",
    "openmpi-5.0": "Open MPI 5.0",
}
_OPENMPI_FAMILY = re.compile(r"open[ _-]?mpi", re.IGNORECASE)
_OPENMPI = "Open MPI"
# Intel MPI, MVAPICH and Cray MPICH descend from MPICH and use its algorithms.
_MPICH_FAMILY = {"intel": "Intel MPI", "mvapich": "MVAPICH", "cray": "Cray MPICH", "mpich": "MPICH"}
"""Libraries whose software differs, by a word of their versions."""


def rules_for(recorded: MpiInfo, settings: ReplaySettings) -> CollectiveRules:
    """Return the rules for a trace of the library `recorded`; MPICH's if neither it nor the user names one."""
    library = settings.mpi_library
    own = series(recorded)
    if library is None or (own is not None and own.partition("-")[0] == library):
        chosen: LibrarySeries = own or "mpich"
    else:
        chosen = "openmpi-5.0" if library == "openmpi" else library
    return CollectiveRules(
        library=chosen,
        origin="option" if library is not None else "trace" if own is not None else "default",
        recorded_library=_name_of(recorded),
        forced=settings.forced_collectives,
    )


def library_in_words(version: str) -> str:
    """Return the name of the library of a version, such as `MPICH`; "" if it is unknown."""
    if _OPENMPI_FAMILY.search(version):
        return _OPENMPI
    return next((name for word, name in _MPICH_FAMILY.items() if word in version.lower()), "")


def _name_of(recorded: MpiInfo) -> str:
    """Return the version by which a library names itself, or its file or kind as well if that names none."""
    # A recording has the path of the library's file, whose folders may have any name.
    if library_in_words(recorded.version):
        return recorded.version
    return f"{recorded.library} {recorded.version}".strip()


def replayed_in_words(recorded: MpiInfo, settings: ReplaySettings, measured: str) -> str:
    """Return the name of the library that a replay is of; "" if it is unknown.

    `mpich` as an option also stands for its descendants, so it is taken as the one that was `measured`, if that is one.
    """
    asked = settings.mpi_library
    if asked is None:
        return library_in_words(_name_of(recorded))
    return measured if asked.startswith("mpich") and measured != _OPENMPI else library_in_words(asked)


def rules_in_words(rules: CollectiveRules) -> str:
    """Return which library's algorithms were replayed, and which were forced: `as MPICH does them`."""
    forced = ", ".join(f"{each.collective}={each.algorithm}" for each in rules.forced)
    text = f"as {_TITLES[rules.library]} does them"
    if rules.origin == "default":
        found = rules.recorded_library
        text += f" ({found} is not known)" if found else " (no MPI library is recorded)"
    return f"{text}, but {forced}" if forced else text


def series(recorded: MpiInfo) -> LibrarySeries | None:
    """Return the series of algorithm choices of a library, such as `openmpi-4.1`; None if it is unknown."""
    version = re.search(r"(\d+)\.(\d+)", recorded.version or recorded.library)
    release = (int(version[1]), int(version[2])) if version else None
    library = library_in_words(_name_of(recorded))
    if library == _OPENMPI:
        if release is None or release >= (5, 0):
            return "openmpi-5.0"
        return "openmpi-4.1" if release >= (4, 1) else "openmpi-4.0"
    return "mpich" if library else None
