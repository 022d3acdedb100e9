"""What a machine has for linkworth, and what it lacks."""

from typing import Literal

import msgspec

from linkworth.model.mpi import MpiInstallation

CheckGroup = Literal["recording", "schedulers", "kernel", "network", "clock"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked for."""

    group: CheckGroup
    name: str
    present: bool | None
    """None where it could not be told."""
    detail: str = ""
    """Version, path or figure; or why it is absent."""
    purpose: str = ""
    """What needs it."""
    remedy: str = ""
    """The command that gets it, where there is one."""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth doctor --json` prints."""

    schema: str = "linkworth.doctor/1"
    can_record: bool
    """An MPI with a launcher and a compiler that works is here."""
    python: str
    system: str
    processor: str
    cores: int
    """Cores that this process may use."""
    memory_bytes: int
    mpis: list[MpiInstallation]
    checks: list[Check]
