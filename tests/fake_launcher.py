"""A launcher that starts nothing and plays back a job's results."""

from collections.abc import Callable

from linkworth.places.job import Job, JobEnd, Observer


class FakeLauncher:
    """Plays back output and an end, and stores the jobs that it received.

    `effect` is called with the job before it "ends", to write the files of a real program.
    """

    name = "fake"
    spins_when_crowded = False

    def __init__(
        self,
        *,
        stdout: str = "",
        stderr: str = "",
        exit_code: int = 0,
        seconds: float = 1.0,
        timed_out: bool = False,
        interrupted: bool = False,
        effect: Callable[[Job], None] | None = None,
    ) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.end = JobEnd(exit_code=exit_code, seconds=seconds, timed_out=timed_out, interrupted=interrupted)
        self.effect = effect
        self.jobs: list[Job] = []

    def arguments(self, job: Job) -> list[str]:
        """Return a command line like a real launcher's."""
        return ["fake", "-n", str(job.ranks), *job.command]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Pass the output on and return the end at once."""
        self.jobs.append(job)
        if self.effect:
            self.effect(job)
        if self.stdout:
            observer.output("stdout", self.stdout.encode())
        if self.stderr:
            observer.output("stderr", self.stderr.encode())
        observer.tick(self.end.seconds)
        return self.end
