"""Check for settings of a replay without an effect: such an option is a mistake, and is refused."""

from collections.abc import Sequence

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings


def require_effect(settings: ReplaySettings, results: Sequence[_engine.ReplayResult]) -> None:
    """Raise UsageError for a level of MPI_Pcontrol or a forced algorithm that no replayed program uses.

    `results` are the engine's, one for each program.
    """
    levels = {level for result in results for level in result.levels}
    for level in settings.cpu_factor_at:
        if level not in levels:
            raise UsageError(
                f"`cpu_factor_at` {level}: the program never calls MPI_Pcontrol({level}); its levels are "
                f"{', '.join(map(str, sorted(levels)))}"
            )
    applied = {name for result in results for name in result.forced_applied}
    for forced in settings.forced_collectives:
        if forced.collective not in applied:
            raise UsageError(
                f"`collective` {forced.collective}={forced.algorithm}: no {forced.collective} of the trace can run that "
                "algorithm (none has data, several ranks and a number of them that it takes); leave it out"
            )
