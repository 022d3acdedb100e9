"""Features of this machine that linkworth uses, present and missing."""

from typing import Literal

import msgspec

from linkworth.model.mpi import MpiInstallation

CheckGroup = Literal["recording", "schedulers", "kernel", "network", "clock"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One feature that was checked."""

    group: CheckGroup
    name: str
    present: bool | None
    """None if unknown."""
    detail: str = ""
    """Version, path or figure, or the reason why it is absent."""
    purpose: str = ""
    """Features of linkworth that need it."""
    remedy: str = ""
    """Command that installs it, if there is one."""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth doctor --json` prints."""

    schema: str = "linkworth.doctor/1"
    can_record: bool
    """True if this machine has an MPI with a launcher and a working compiler."""
    python: str
    system: str
    processor: str
    cores: int
    """Cores that this process may use."""
    memory_bytes: int
    mpis: list[MpiInstallation]
    checks: list[Check]
