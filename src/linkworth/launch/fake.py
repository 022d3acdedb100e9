"""A launcher that starts nothing: it plays back what a job would have given. For tests, also of other projects."""

from collections.abc import Callable

from linkworth.launch.base import Job, JobEnd, Observer


class FakeLauncher:
    """Plays back output and an end; remembers the jobs that it was given.

    `effect` is called with the job before it "ends", to leave behind the files that a real program would write.
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
        """Return a command line as a real launcher would show it."""
        return ["fake", "-n", str(job.ranks), *job.command]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Hand out the output and return the end at once."""
        self.jobs.append(job)
        if self.effect:
            self.effect(job)
        if self.stdout:
            observer.output("stdout", self.stdout.encode())
        if self.stderr:
            observer.output("stderr", self.stderr.encode())
        observer.tick(self.end.seconds)
        return self.end
