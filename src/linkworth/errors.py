"""Errors that the command line reports.

A message names a parameter in backquotes, such as `nodes`. The command line prints the option in its place.

LinkworthError              one clear sentence for the user, and an exit code
├── ThresholdError          1  a verification or a threshold failed
├── UsageError              2  an option, a file or a number that cannot be used
├── EnvironmentLacksError   3  this machine lacks something (an MPI, a compiler, a kernel feature)
└── IncompleteError         4  stopped part-way; what was measured is kept and can be resumed
    └── DamagedInputError      an input is damaged or cut, so that the answer is not known
"""

from typing import Literal

StopCause = Literal["", "interrupted", "timeout"]
"""Cause of a run's early end: the user, its time limit, or neither."""


class LinkworthError(Exception):
    """Base of all errors that a user sees; `str()` is one sentence with advice."""

    exit_code = 1


class ThresholdError(LinkworthError):
    """A verification or a threshold failed."""

    exit_code = 1


class UsageError(LinkworthError):
    """An option, a file or a number cannot be used."""

    exit_code = 2


class EnvironmentLacksError(LinkworthError):
    """The machine lacks something necessary; the sentence explains how to get it."""

    exit_code = 3


class IncompleteError(LinkworthError):
    """Stopped part-way; what was measured is kept."""

    exit_code = 4

    def __init__(self, message: str, stopped_by: StopCause = "") -> None:
        super().__init__(message)
        self.stopped_by = stopped_by


class DamagedInputError(IncompleteError):
    """An input is damaged or cut, so that the answer is not known."""
