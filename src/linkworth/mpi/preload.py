"""The variables through which the preload library is put before a program and told what to do."""

import os
from pathlib import Path

PARTS = "LINKWORTH_TRACE_DIR"
"""Folder into which each rank writes its part; unset: nothing is recorded."""
PROFILE = "LINKWORTH_PROFILE"
"""1: calls are added up by name, in a profile in place of each part."""
EVERY_CALL = "LINKWORTH_TIME_EVERY_CALL"
"""1: a profile times each call at both ends, also short ones in a row."""
YIELD = "LINKWORTH_YIELD"
"""1: blocking calls give the core away while they wait, which MPICH by itself does not."""
CROWDED = "LINKWORTH_CROWDED"
"""1: ranks share cores, so that the CPU time of every gap is worth its cost."""


def environment(
    library: Path,
    *,
    parts: Path | None,
    yielding: bool,
    crowded: bool = False,
    profiling: bool = False,
    every_call: bool = False,
) -> dict[str, str]:
    """Return the variables for the ranks; what the user preloads stays, after ours."""
    before = os.environ.get("LD_PRELOAD", "")
    variables = {"LD_PRELOAD": f"{library}:{before}" if before else str(library)}
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
