"""Names of programs that can be recorded without running."""

from collections.abc import Sequence

import msgspec

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.mpi import apps


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A bundled program with its arguments."""

    workload: str
    """Name as typed: `npb:lu.D`."""
    command: list[str]
    """Words for the name and the options."""
    name: str
    """Name in the engine: `lu`."""
    arguments: list[str]
    """Words after the name: `["D"]`."""
    phases: list[str]
    """Phases by which its work is counted."""


def parse(command: Sequence[str]) -> Program:
    """Return the program that a command names. Raises UsageError if it has no skeleton."""
    if not command:
        raise UsageError("give the program, for example: npb:lu.D")
    own = apps.words(command[0])
    if own is None:
        raise apps.not_bundled(command[0])
    name, *arguments = [*own, *command[1:]]
    known = _engine.skeleton_programs()
    if name not in known:
        raise UsageError(f"there is no skeleton of {command[0]}; there are those of {', '.join(known)}")
    return Program(
        workload=command[0], command=list(command), name=name, arguments=arguments, phases=known[name]
    )


def check(program: Program, ranks: int | None) -> int:
    """Return the rank count. Raises UsageError with the program's own sentence if it cannot run on that many."""
    if ranks is None:
        raise UsageError(f"{program.workload}: give `ranks`, the number of its ranks")
    if ranks < 1:
        raise UsageError(f"`ranks` {ranks}: the number of ranks must be at least 1")
    try:
        _engine.check_skeleton(program.name, program.arguments, ranks)
    except _engine.SkeletonError as error:
        raise UsageError(f"{program.workload}: {error}") from None
    except (OverflowError, TypeError):
        raise UsageError(f"`ranks` {ranks}: no program has that many ranks") from None
    return ranks


def operations(program: Program, ranks: int = 1, rank: int = 0) -> dict[str, float]:
    """Return the operations of one rank's timed region, by phase."""
    return work(program, ranks, rank)[0]


def work(
    program: Program, ranks: int = 1, rank: int = 0, cache_bytes: float = 0.0
) -> tuple[dict[str, float], float]:
    """Return the operations of one rank's timed region by phase, and the bytes that it moves from and to memory.

    `cache_bytes` is the rank's share of its node's last-level caches. EP, imbalance and the stencil count no bytes.
    """
    try:
        *counted, moved = _engine.skeleton_work(program.name, program.arguments, ranks, rank, cache_bytes)
    except _engine.SkeletonError as error:
        raise UsageError(f"{program.workload}: {error}") from None
    return dict(zip(program.phases, counted, strict=True)), moved
