"""Who wants to know how far a recording is."""

from typing import Protocol


class Progress(Protocol):
    """Gets a number of steps, then each of them as it begins; `linkworth.cli.steps.Steps` is one."""

    def plan(self, steps: int) -> None:
        """Say how many steps there will be; those planned before are done."""

    def step(self, text: str) -> None:
        """Say that a step begins."""


class Silence:
    """Nobody."""

    def plan(self, steps: int) -> None:
        """Do nothing."""

    def step(self, text: str) -> None:
        """Do nothing."""
