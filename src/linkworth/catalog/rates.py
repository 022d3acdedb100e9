"""Seconds for an operation of each bundled program on the reference core."""

import functools

import msgspec

from linkworth.catalog.decode import data_folder, decode, read_toml
from linkworth.errors import UsageError


class ProgramRates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[programs.NAME]`: one program on one rank."""

    workload: str
    """The timed run: `npb:lu.W`."""
    seconds: float
    """Length of its timed region."""
    seconds_per_operation: dict[str, float]
    """Rates by phase."""


class ReferenceRates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`rates.toml`."""

    processor: str
    software: str
    """Compiler, flags and MPI."""
    date: str
    programs: dict[str, ProgramRates]
    """Rates by the program's own name: `lu`."""


@functools.cache
def reference() -> ReferenceRates:
    """Return the whole table."""
    path = data_folder() / "rates.toml"
    return decode(read_toml(path), ReferenceRates, str(path))


def of_program(name: str) -> ProgramRates:
    """Return a program's rates. Raises UsageError with the alternatives if it was not timed."""
    programs = reference().programs
    if name not in programs:
        raise UsageError(
            f"there are no reference times of {name}, only of {', '.join(programs)}; "
            "time a smaller run of it here with `calibrate_with` CLASS"
        )
    return programs[name]
