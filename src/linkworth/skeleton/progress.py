"""Interface for the progress of work in steps."""

from typing import Protocol


class StepProgress(Protocol):
    """Receives a number of steps, then each step as it begins, as `linkworth.cli.steps.Steps` does."""

    def plan(self, steps: int) -> None:
        """Report the number of steps to come; earlier steps are done."""

    def step(self, text: str) -> None:
        """Report that a step begins."""


class SilentProgress:
    """A progress that reports nothing."""

    def plan(self, steps: int) -> None:
        """Do nothing."""

    def step(self, text: str) -> None:
        """Do nothing."""
