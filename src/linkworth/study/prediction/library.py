"""MPI library whose collectives a study's predictions follow."""

from linkworth.errors import LinkworthError, UsageError
from linkworth.model.collectives import CollectiveLibrary
from linkworth.model.study import Environment, Study
from linkworth.model.trace import MpiInfo
from linkworth.mpi import find
from linkworth.replay.collectives import LIBRARIES, series


def library_of(environment: Environment, study: Study, *, recorded: bool) -> CollectiveLibrary | None:
    """Return the library of an environment's predictions.

    It is the environment's `mpi`. Without one, a workload that was `recorded` by a run keeps the library of that run.
    Any other workload uses the library of the study's measurements, so that measured and predicted runs differ only
    in the network. None leaves the choice to the replay: the recording library, else MPICH. Raises UsageError for an
    `mpi` that is neither installed here nor known by name.
    """
    named = environment.mpi
    if named is None:
        if recorded:
            return None
        measuring = [environment, *study.environments]
        first = next((one for one in measuring if "measure" in one.modes), None)
        if first is None:
            return None
        named = first.mpi
    try:
        installed = find.choose(named)
        return series(MpiInfo(library=installed.kind, version=installed.version))
    except LinkworthError:
        if named is None:
            return None
    found = next((one for one in LIBRARIES if one == named), None) or series(MpiInfo(library=named))
    if found is None:
        raise UsageError(
            f"{environment.name}: mpi {named!r} is not installed here and its collectives are not known; "
            f"give one of {', '.join(LIBRARIES)}, or leave mpi out"
        )
    return found
