"""What a user types to name a recorded program and a measured time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

from linkworth.catalog import fabrics
from linkworth.catalog.assignment import parse_assignment
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.settings import ReplaySettings
from linkworth.replay.collectives import known_library, parse_forced

_DEFAULT_RANKS = 8


def trace_path(target: str, ranks: int | None = None) -> Path:
    """Return the path of the trace that `target` names.

    A bundled program (`npb:ft.W`) without a recording, and a rank count beside a trace, which has its own, are UsageErrors.
    """
    path = Path(target)
    if not path.exists() and ":" in target and "/" not in target:
        record = f"linkworth trace -n {ranks or _DEFAULT_RANKS} {target}"
        raise UsageError(
            f"{target} is a program, and predictions need a recorded run: run '{record}' and give the trace that it writes"
        )
    if ranks is not None:
        raise UsageError(f"-n {ranks}: a trace has its rank count already; leave -n out")
    return path


def measured_time(text: str) -> tuple[Fabric, float]:
    """Parse `FABRIC=SECONDS` of --measured."""
    name, seconds = parse_assignment(text, "--measured", "SECONDS")
    if seconds == 0:
        raise UsageError(f"--measured {text!r}: a run takes more than 0 seconds")
    return fabrics.get(name), seconds


def settings(
    *,
    progress: str,
    cpu_factor_at: Sequence[str],
    memory_demand: float,
    memory_bandwidth: float | None,
    background_load: float,
    contention: bool,
    noise: float,
    seed: int,
    mpi_library: str | None,
    collective: Sequence[str],
    pass_unmodelled: bool,
) -> ReplaySettings:
    """Return the settings that the options of the command line ask for; memory figures are in GB/s there."""
    factors: dict[int, float] = {}
    for text in cpu_factor_at:
        level, factor = parse_assignment(text, "--cpu-factor-at", "X", what="LEVEL")
        if not level.lstrip("-").isdecimal():
            raise UsageError(
                f"--cpu-factor-at {text!r}: {level!r} is no level of MPI_Pcontrol; give a whole number"
            )
        if factor == 0:
            raise UsageError(f"--cpu-factor-at {text!r}: give a number above 0 (2 means twice as fast)")
        factors[int(level)] = factor
    if (memory_demand > 0) != (memory_bandwidth is not None):
        given, missing = "--memory-demand", "--memory-bandwidth"
        if memory_bandwidth is not None:
            given, missing = missing, given
        raise UsageError(f"{given} needs {missing} beside it: a rank's traffic and what its node can carry")
    return ReplaySettings(
        progress=cast(Literal["asynchronous", "calls"], progress),
        cpu_factor_at=factors,
        memory_demand_bytes_per_second=memory_demand * 1e9,
        memory_bandwidth_bytes_per_second=None if memory_bandwidth is None else memory_bandwidth * 1e9,
        noise=noise,
        seed=seed,
        background_load=background_load,
        contention=contention,
        mpi_library=None if mpi_library is None else known_library(mpi_library),
        forced_collectives=[parse_forced(text) for text in collective],
        pass_unmodelled=pass_unmodelled,
    )
