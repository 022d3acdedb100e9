"""Batch systems: their commands here, an answering cluster, and the way to start ranks."""

import shutil

from linkworth.errors import EnvironmentLacksError
from linkworth.model.environment import Check
from linkworth.places.batch import BatchSystem
from linkworth.places.kinds import SYSTEMS


def schedulers() -> list[Check]:
    """Find batch systems by their commands, and query each cluster for its version."""
    return [_check(system()) for system in SYSTEMS.values()]


def _check(system: BatchSystem) -> Check:
    path = shutil.which(system.version_command[0])
    if not path:
        present, detail = False, f"{system.version_command[0]} is not on PATH"
    else:
        try:
            present, detail = True, system.description() or path
        except EnvironmentLacksError as error:
            present, detail = False, f"{path} is installed, but {error}"
    return Check(
        group="schedulers", name=system.title, present=present, detail=detail, purpose="jobs on clusters"
    )
