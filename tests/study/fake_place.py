"""A place that runs nothing: it plays jobs back, and remembers being opened and closed."""

from collections.abc import Callable

from linkworth.errors import EnvironmentLacksError
from linkworth.places.job import Job, JobEnd, Observer


class FakePlace:
    """Its launcher asks `play` how each job goes: a dict of stdout, exit_code, seconds, timed_out, interrupted."""

    cores = 64
    transport = ""

    def __init__(self, name: str, play: Callable[[Job], dict], log: list[str]) -> None:
        self.name = name
        self.nodes = [f"{name}-node"]
        self._play = play
        self._log = log

    def launcher(self, mpi):
        return FakePlaceLauncher(self._play)

    def counters(self):
        return []

    def facts(self):
        return {"place": self.name}

    def __enter__(self):
        self._log.append(f"open {self.name}")
        return self

    def __exit__(self, *_):
        self._log.append(f"close {self.name}")


class FakePlaceLauncher:
    name = "fake"
    spins_when_crowded = False

    def __init__(self, play):
        self._play = play

    def arguments(self, job: Job) -> list[str]:
        return ["fake", *job.command]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        how = {"exit_code": 0, "seconds": 1.0, **self._play(job)}
        observer.output("stdout", how.pop("stdout", "").encode())
        return JobEnd(**how)


class Places:
    """An opener of fake places: `a` has no transport, and `b` has one."""

    def __init__(self, play=lambda job: {}):
        self.log: list[str] = []
        self.jobs: list[list[str]] = []
        self.broken: set[str] = set()
        self._how = play

    def play(self, job: Job) -> dict:
        self.jobs.append(job.command)
        return self._how(job)

    def __call__(self, where, say):
        name = "b" if where.transport else "a"
        if name in self.broken:
            raise EnvironmentLacksError(f"{name} cannot be opened")
        return FakePlace(name, self.play, self.log)
