"""Interface for the progress of work in steps."""

from typing import Protocol


class StepProgress(Protocol):
    """Receives a number of steps, then each step as it begins, as `linkworth.cli.steps.Steps` does."""

    def plan(self, steps: int) -> None:
        """Report the number of steps to come; earlier steps are done."""
        return

    def step(self, text: str) -> None:
        """Report that a step begins."""
        return


class SilentProgress(StepProgress):
    """A progress that reports nothing."""


SILENT = SilentProgress()
