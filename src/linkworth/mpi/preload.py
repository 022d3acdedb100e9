"""The variables through which the preload library is put before a program and told what to do."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from linkworth import _engine

PARTS = "LINKWORTH_TRACE_DIR"
"""Folder into which each rank writes its part; unset: nothing is recorded."""
PROFILE = "LINKWORTH_PROFILE"
"""1: calls are added up by name, in a profile in place of each part."""
EVERY_CALL = "LINKWORTH_TIME_EVERY_CALL"
"""1: a profile times each call at both ends, also short ones in a row."""
RANKS = "LINKWORTH_RANKS"
"""File to which rank 0 of each MPI_COMM_WORLD appends how many ranks MPI found."""
YIELD = "LINKWORTH_YIELD"
"""1: blocking calls give the core away while they wait, which MPICH by itself does not."""
CROWDED = "LINKWORTH_CROWDED"
"""1: ranks share cores, so that the CPU time of every gap is worth its cost."""


def ranks_library() -> Path:
    """Return the preload library that reports the number of ranks and does nothing else; it was built with linkworth."""
    return Path(_engine.__file__).with_name("liblinkworth-ranks.so")


def without_ranks_library(variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables without the library that reports the number of ranks: the tracer does that as well."""
    first, _, others = variables.get("LD_PRELOAD", "").partition(":")
    if first != str(ranks_library()):
        return dict(variables)
    rest = {name: value for name, value in variables.items() if name != "LD_PRELOAD"}
    return rest | ({"LD_PRELOAD": others} if others else {})


def environment(
    library: Path,
    *,
    parts: Path | None = None,
    yielding: bool = False,
    behind: Sequence[Path] = (),
    crowded: bool = False,
    profiling: bool = False,
    every_call: bool = False,
) -> dict[str, str]:
    """Return the variables for the ranks: our library, those `behind` it, and what the user preloads."""
    before = os.environ.get("LD_PRELOAD", "")
    variables = {"LD_PRELOAD": ":".join([str(library), *map(str, behind), *([before] if before else [])])}
    if parts is not None:
        variables[PARTS] = str(parts)
    if yielding:
        variables[YIELD] = "1"
    if crowded:
        variables[CROWDED] = "1"
    if profiling:
        variables[PROFILE] = "1"
    if every_call:
        variables[EVERY_CALL] = "1"
    return variables
