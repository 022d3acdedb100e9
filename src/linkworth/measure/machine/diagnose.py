"""Complete diagnosis of this machine."""

import platform

from linkworth.measure.machine import hardware, kernel, schedulers, tools
from linkworth.model.environment import Diagnosis
from linkworth.mpi import find
from linkworth.places.local import cores


def diagnose() -> Diagnosis:
    """Check everything that linkworth can use; nothing on the machine is changed."""
    mpis = find.find_all()
    working = tools.mpi_checks(mpis)
    return Diagnosis(
        can_record=any(check.present for check in working),
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=hardware.processor(),
        cores=cores(),
        memory_bytes=hardware.memory_bytes(),
        mpis=mpis,
        checks=[
            *working,
            *tools.compilers(),
            tools.zstandard(),
            *schedulers.schedulers(),
            *kernel.features(),
            *hardware.infiniband(),
            *hardware.ethernet(),
            *hardware.clock(),
        ],
    )
