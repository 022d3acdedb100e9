"""User input: the name of a program that is recorded, or to record without running, and a measured time."""

import contextlib
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, cast

from linkworth.catalog import fabrics
from linkworth.catalog.assignment import parse_assignment
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric, Spread
from linkworth.model.number_range import CPU_FACTOR, SECONDS, SPREAD
from linkworth.model.settings import ReplaySettings
from linkworth.mpi import apps
from linkworth.predict.timeline import Timeline, parse_window
from linkworth.replay.collectives import known_library, parse_forced
from linkworth.skeleton.program import check, parse
from linkworth.skeleton.progress import Progress
from linkworth.skeleton.rates import RateRequest, rates_for
from linkworth.skeleton.record import record_skeleton

_DEFAULT_RANKS = 8


def is_program(target: str) -> bool:
    """Return whether `target` names a bundled program (`npb:ft.W`) and no file."""
    return not Path(target).exists() and apps.is_app(target.split(" ")[0])


@contextlib.contextmanager
def traced(
    target: str,
    ranks: int | None = None,
    rates: RateRequest | None = None,
    *,
    scaled: bool = False,
    progress: Progress | None = None,
) -> Iterator[Path]:
    """Yield the path of the trace that `target` names; for a bundled program a skeleton, which is removed at the end.

    `scaled`: a measured time will scale the computation. Raises UsageError for a rank count with a trace, which has its
    own, and for an unusable rank count or rates; EnvironmentLacksError if no run can be timed here.
    """
    if not is_program(target):
        refuse_skeleton_options(target, ranks, rates)
        yield Path(target)
        return
    program = parse(shlex.split(target))
    count = check(program, ranks)
    source = rates_for(program, rates or RateRequest(), scaled=scaled, progress=progress)
    with tempfile.TemporaryDirectory(prefix="linkworth-") as folder:
        trace = Path(folder) / f"{program.name}.lwt"
        record_skeleton(program, count, source, trace, progress=progress)
        yield trace


def refuse_skeleton_options(target: str, ranks: int | None, rates: RateRequest | None) -> None:
    """Raise UsageError for options that need a program without a trace."""
    if ranks is not None:
        raise UsageError(f"-n {ranks}: {target} is a trace and has its rank count already; leave -n out")
    if rates is not None and rates.option is not None:
        raise UsageError(
            f"{rates.option}: {target} is a trace and contains its computation already; leave it out, or scale it with "
            "--cpu-factor or --measured"
        )


def measured_time(text: str) -> tuple[Fabric, float]:
    """Parse `FABRIC=SECONDS` of --measured."""
    name, seconds = parse_assignment(text, "--measured", "SECONDS", SECONDS)
    return fabrics.get(name), seconds


def timeline(path: Path | None, window: str | None, fabrics: Sequence[Fabric]) -> Timeline | None:
    """Return the file and the window of a timeline, or None without one."""
    if path is None:
        if window is not None:
            raise UsageError("--timeline-window: it limits a timeline; give --timeline FILE as well")
        return None
    if len(fabrics) != 1:
        raise UsageError(f"--timeline {path}: a timeline shows one replay; give one fabric with --on")
    return Timeline(path=path, seconds=parse_window(window or ":"))


def neighbours(texts: Sequence[str]) -> list[tuple[Path, str]]:
    """Split each `TRACE` or `TRACE@PLACEMENT` of --beside."""
    found = []
    for text in texts:
        path, at, placement = text.rpartition("@")
        if not at or Path(text).exists():
            path, placement = text, "block"
        found.append((Path(path), placement))
    return found


def settings(
    *,
    progress: str | None,
    cpu_factor_at: Sequence[str],
    memory_demand: float,
    memory_bandwidth: float | None,
    cores: int | None,
    thread_gain: float | None,
    background_load: float,
    contention: bool,
    noise: float,
    samples: int | None = None,
    spread: Sequence[str] = (),
    seed: int,
    mpi_library: str | None,
    collective: Sequence[str],
    pass_unmodelled: bool,
) -> ReplaySettings:
    """Return the settings from the options of the command line, which give memory figures in GB/s."""
    factors: dict[int, float] = {}
    for text in cpu_factor_at:
        level, factor = parse_assignment(text, "--cpu-factor-at", "X", CPU_FACTOR, what="LEVEL")
        if not level.lstrip("-").isdecimal():
            raise UsageError(
                f"--cpu-factor-at {text!r}: {level!r} is no level of MPI_Pcontrol; give a whole number"
            )
        factors[int(level)] = factor
    shares: dict[str, float] = {}
    for text in spread:
        parameter, share = parse_assignment(text, "--spread", "SHARE", SPREAD, what="NAME")
        if parameter not in Spread.__struct_fields__:
            raise UsageError(
                f"--spread {text!r}: there is no {parameter!r}; choose {', '.join(Spread.__struct_fields__)}"
            )
        shares[parameter] = share
    if (memory_demand > 0) != (memory_bandwidth is not None):
        given, missing = "--memory-demand", "--memory-bandwidth"
        if memory_bandwidth is not None:
            given, missing = missing, given
        raise UsageError(
            f"{given} needs {missing} as well: the traffic of a rank, and the bandwidth of its node's memory"
        )
    if thread_gain is not None and cores is None:
        raise UsageError(
            f"--thread-gain {thread_gain:g} needs --cores as well, the number of cores of a node"
        )
    return ReplaySettings(
        progress=cast(Literal["asynchronous", "calls"] | None, progress),
        cpu_factor_at=factors,
        memory_demand_bytes_per_second=memory_demand * 1e9,
        memory_bandwidth_bytes_per_second=None if memory_bandwidth is None else memory_bandwidth * 1e9,
        cores_per_node=cores,
        second_rank_speedup=thread_gain or 1.0,
        noise=noise,
        samples=samples or 0,
        spread=shares,
        seed=seed,
        background_load=background_load,
        contention=contention,
        mpi_library=None if mpi_library is None else known_library(mpi_library),
        forced_collectives=[parse_forced(text) for text in collective],
        pass_unmodelled=pass_unmodelled,
    )
