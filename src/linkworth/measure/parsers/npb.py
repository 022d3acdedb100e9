"""Result block of the NAS parallel benchmarks, as printed by the official programs and ours."""

import re

import msgspec

from linkworth.measure.iterations import numbers

_SECONDS = re.compile(r"^\s*Time in seconds\s*=\s*(\S+)\s*$", re.MULTILINE)
_VERIFICATION = re.compile(r"^\s*Verification\s*=\s*(\w+)", re.MULTILINE)
_VERDICTS = {"SUCCESSFUL": True, "UNSUCCESSFUL": False, "FAILED": False}


class NpbReport(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the block; None for each that is missing."""

    seconds: float | None = None
    """Time of the timed region."""
    verified: bool | None = None


def parse(text: str) -> NpbReport:
    """Read the last result block of a program's output."""
    verdicts = [_VERDICTS.get(word.upper()) for word in _VERIFICATION.findall(text)]
    seconds = numbers(_SECONDS.findall(text))
    return NpbReport(seconds=seconds[-1] if seconds else None, verified=verdicts[-1] if verdicts else None)
