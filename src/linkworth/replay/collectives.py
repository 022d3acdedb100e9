"""Choice of a replay's collective algorithms, from the trace's MPI library and the user's options."""

import difflib
import re

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.collectives import CollectiveRules, ForcedCollective
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo

LIBRARIES = ("openmpi", "mpich", "openmpi-5.0", "openmpi-4.1", "openmpi-4.0", "mpich-flat")
"""Values of --mpi-library. Without a version: the trace's if it is of the same family, else the newest."""

_TITLES = {
    "mpich": "MPICH",
    "mpich-flat": "MPICH without node leaders",
    "openmpi-4.0": "Open MPI up to 4.0",
    "openmpi-4.1": "Open MPI 4.1",
    "openmpi-5.0": "Open MPI 5.0",
}
_NEWEST = {"openmpi": "openmpi-5.0", "mpich": "mpich"}
# Intel MPI, MVAPICH and Cray MPICH descend from MPICH and use its algorithms.
_MPICH_FAMILY = re.compile(r"mpich|intel|mvapich|cray", re.IGNORECASE)
_OPENMPI_FAMILY = re.compile(r"open[ _-]?mpi", re.IGNORECASE)


def rules_for(recorded: MpiInfo, settings: ReplaySettings) -> CollectiveRules:
    """Return the rules for a trace of the library `recorded`; MPICH's if neither it nor the user names one."""
    library = settings.mpi_library
    own = series(recorded)
    asked = library or (own and own.partition("-")[0])
    chosen = _NEWEST["mpich"]
    if asked is not None:
        same_family = own is not None and own.partition("-")[0] == asked
        chosen = own if own is not None and same_family else _NEWEST.get(asked, asked)
    return CollectiveRules(
        library=chosen,
        origin="option" if library is not None else "trace" if own is not None else "default",
        recorded_library=f"{recorded.library} {recorded.version}".strip(),
        forced=settings.forced_collectives,
    )


def rules_in_words(rules: CollectiveRules) -> str:
    """Return which library's algorithms were replayed, and which were forced: `as MPICH does them`."""
    forced = ", ".join(f"{each.collective}={each.algorithm}" for each in rules.forced)
    text = f"as {_TITLES[rules.library]} does them"
    if rules.origin == "default":
        text += " (no MPI library is recorded)"
    return f"{text}, but {forced}" if forced else text


def known_library(name: str) -> str:
    """Check the value of --mpi-library."""
    if name not in LIBRARIES:
        raise UsageError(f"--mpi-library {name}: not known; give one of {', '.join(LIBRARIES)}")
    return name


def parse_forced(text: str) -> ForcedCollective:
    """Parse `COLLECTIVE=ALGORITHM[:SEGMENT_BYTES]` of --collective."""
    collective, equals, rest = text.partition("=")
    algorithm, colon, segment = rest.partition(":")
    if not equals or not algorithm:
        raise UsageError(
            f"--collective {text!r}: give COLLECTIVE=ALGORITHM, for instance allreduce=ring, or bcast=pipeline:65536 for "
            "segments of so many bytes"
        )
    known = _engine.collective_algorithms()
    if collective not in known:
        near = difflib.get_close_matches(collective, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"--collective {text}: {meant}the collectives are {', '.join(sorted(known))}")
    if algorithm not in known[collective]:
        raise UsageError(
            f"--collective {text}: the algorithms of {collective} are {', '.join(known[collective])}"
        )
    if colon and not (segment.isascii() and segment.isdecimal()):
        raise UsageError(f"--collective {text}: after the colon give a segment's bytes as a whole number")
    return ForcedCollective(
        collective=collective, algorithm=algorithm, segment_bytes=int(segment) if colon else 0
    )


def series(recorded: MpiInfo) -> str | None:
    """Return the series of algorithm choices of a library, such as `openmpi-4.1`; None if it is unknown."""
    name = f"{recorded.library} {recorded.version}"
    version = re.search(r"(\d+)\.(\d+)", recorded.version or recorded.library)
    release = (int(version[1]), int(version[2])) if version else None
    if _OPENMPI_FAMILY.search(name):
        if release is None or release >= (5, 0):
            return "openmpi-5.0"
        return "openmpi-4.1" if release >= (4, 1) else "openmpi-4.0"
    if _MPICH_FAMILY.search(name):
        return "mpich"
    return None
