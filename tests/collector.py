"""Observers of jobs and of work that keep all they hear."""

from collections.abc import Callable

from linkworth.places.job import Stream


class Collector:
    """Keeps what a job writes, and every tick."""

    def __init__(self, on_tick: Callable[[], object] | None = None) -> None:
        self.data: dict[Stream, bytes] = {"stdout": b"", "stderr": b""}
        self.ticks: list[float] = []
        self.on_tick = on_tick

    def output(self, stream: Stream, data: bytes) -> None:
        """Keep what the job wrote."""
        self.data[stream] += data

    def tick(self, seconds: float) -> None:
        """Keep the time, and do what the test asked for."""
        self.ticks.append(seconds)
        if self.on_tick:
            self.on_tick()

    @property
    def text(self) -> str:
        """Both streams as text."""
        return (self.data["stdout"] + self.data["stderr"]).decode(errors="replace")


class Steps:
    """Keeps what work announces of its progress."""

    def __init__(self) -> None:
        self.planned: list[int] = []
        self.texts: list[str] = []

    def plan(self, steps: int) -> None:
        """Keep how many steps are to come."""
        self.planned.append(steps)

    def step(self, text: str) -> None:
        """Keep what a step does."""
        self.texts.append(text)
