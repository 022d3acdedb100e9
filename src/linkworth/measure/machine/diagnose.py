"""Complete diagnosis of this machine."""

import platform
import shutil

from linkworth.errors import EnvironmentLacksError
from linkworth.measure.machine import hardware, kernel, tools
from linkworth.model.environment import Check, Diagnosis
from linkworth.mpi import find
from linkworth.places.batch import BatchSystem
from linkworth.places.kinds import SYSTEMS
from linkworth.places.local import cores


def schedulers() -> list[Check]:
    """Find batch systems by their commands, and query each cluster for its version."""
    return [_check(system()) for system in SYSTEMS.values()]


def _check(system: BatchSystem) -> Check:
    path = shutil.which(system.submit_command[0])
    if not path:
        present, detail = False, f"{system.submit_command[0]} is not on PATH"
    else:
        try:
            present, detail = True, system.description() or path
        except EnvironmentLacksError as error:
            present, detail = False, f"{path} is installed, but {error}"
    return Check(
        group="schedulers", name=system.title, present=present, detail=detail, purpose="jobs on clusters"
    )


def diagnose() -> Diagnosis:
    """Check everything that linkworth can use; nothing on the machine is changed."""
    mpis = find.find_all()
    working = tools.mpi_checks(mpis)
    cache = tools.cache()
    return Diagnosis(
        can_record=any(check.present for check in working) and cache.present is not False,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=hardware.processor(),
        cores=cores(),
        memory_bytes=hardware.memory_bytes(),
        mpis=mpis,
        checks=[
            *working,
            cache,
            *tools.compilers(),
            tools.zstandard(),
            *schedulers(),
            *kernel.features(),
            *hardware.infiniband(),
            *hardware.ethernet(),
            *hardware.clock(),
        ],
    )
