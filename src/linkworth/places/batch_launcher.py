"""Runs one program as a batch job: submits it or finds it again, follows its output, and reports its end."""

import contextlib
import os
import re
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build
from linkworth.places import job_script, pairing
from linkworth.places.batch import BatchRequest, BatchSystem, JobId, JobQueue, JobShape, new_token
from linkworth.places.following import Following
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.job_folder import RECORD, JobFolder, JobRecord
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.places.pairing import Remembered
from linkworth.writing.folders import remove_folder


class BatchLauncher:
    """Starts ranks as a job of a batch system."""

    spins_when_crowded = False

    def __init__(
        self,
        system: BatchSystem,
        mpi: MpiInstallation,
        *,
        queue: JobQueue | None = None,
        request: BatchRequest,
        shape: Callable[[int], JobShape],
        version: str = "",
        variables: dict[str, str] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """`queue` takes the job (None: the batch system).

        `request` is independent of the program. `variables` are the transport's, for the ranks.
        """
        self.name = system.name
        self.system = system
        self._queue = queue or system
        self.mpi = mpi
        self._request = request
        self._shape = shape
        self._version = version
        self._variables = variables or {}
        self._say = say or (lambda _: None)

    def arguments(self, job: Job) -> list[str]:
        """Return the command line that starts the ranks inside the job."""
        way = pairing.ways(self.system, self.mpi, self._shape(job.ranks))[0]
        return [*shlex.split(way), *job.command]

    def script(self, job: Job) -> str:
        """Return the whole script to submit."""
        place = (job.record or Path.cwd()) / "job"
        return self.system.script(
            self._requested(job, JobFolder(place), *self._ways(job), probe=Path("lw-size-probe"))
        )

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Submit the job, or attach to the one that an earlier linkworth submitted for the same run, and
        follow it."""
        if job.record is not None:
            place = job.record / "job"
            place.mkdir(parents=True, exist_ok=True)
        else:
            where = job.folder or Path.cwd()
            try:
                place = Path(tempfile.mkdtemp(prefix=".linkworth-job-", dir=where))
            except OSError as error:
                raise UsageError(
                    f"cannot write to {where}, which the nodes must share: {error.strerror}"
                ) from None
        try:
            return self._run(job, observer, JobFolder(place.absolute()))
        finally:
            if job.record is None:
                remove_folder(place)

    def _run(self, job: Job, observer: Observer, files: JobFolder) -> JobEnd:
        ways, remembered = self._ways(job)
        known = files.record
        request = self._requested(job, files, ways, remembered, probe=None)
        identity = None
        if known and _same(known, job, self.name) and not _finished_before(job):
            identity = known.job or self._submitted_unseen(known, files)
        if identity is not None:
            self._say(f"found {self.name} job {identity} of this run again")
        else:
            files.clear()
            if remembered.index is None:
                request = self._requested(job, files, ways, remembered, probe=build.size_probe(self.mpi))
            request = msgspec.structs.replace(request, token=new_token())
            intent = JobRecord(
                system=self.name,
                job="",
                command=job.command,
                ranks=job.ranks,
                script=request.body,
                token=request.token,
            )
            # Written first, so that the job's token is known if linkworth is killed before the answer.
            files.keep(intent)
            identity = self._queue.submit(request, files.script)
            files.keep(msgspec.structs.replace(files.record or intent, job=identity))
            self._say(f"submitted {self.name} job {identity}")
        end = Following(self.system, self._queue, identity, files, observer, job.timeout, self._say).follow()
        self._check_pairing(job, files, ways, remembered)
        return end

    def _submitted_unseen(self, known: JobRecord, files: JobFolder) -> JobId | None:
        """Return the job that a killed linkworth was about to submit, or None if it was not submitted."""
        found = self.system.find(known.token)
        identity = self.system.elements(found, known.elements)[known.element] if found else ""
        if identity:
            files.keep(msgspec.structs.replace(known, job=identity))
            return identity
        # The batch system may have forgotten a job that left its results.
        return known.token if files.exit_code is not None else None

    def _ways(self, job: Job) -> tuple[list[str], Remembered]:
        ways = pairing.ways(self.system, self.mpi, self._shape(job.ranks))
        return ways, Remembered(self.name, self._version, self.mpi, ways)

    def _requested(
        self, job: Job, files: JobFolder, ways: list[str], remembered: Remembered, *, probe: Path | None
    ) -> BatchRequest:
        shape = self._shape(job.ranks)
        folder = (job.folder or Path.cwd()).absolute()
        as_root = ROOT_ALLOWED if self.mpi.kind == "openmpi" and os.geteuid() == 0 else {}
        commands = job_script.body(
            self.system,
            msgspec.structs.replace(job, folder=folder, environment=self._variables | job.environment),
            place=files.place,
            ways=ways,
            known=remembered.index,
            probe=probe,
            exported=as_root,
        )
        return msgspec.structs.replace(
            self._request,
            name=re.sub(r"[^\w.+-]", "-", Path(job.command[0]).name, flags=re.ASCII)[:32] or "linkworth",
            body=commands,
            folder=folder,
            log=files.log,
            tasks=job.ranks,
            nodes=shape.nodes,
            tasks_per_node=shape.ranks_per_node,
        )

    def _check_pairing(self, job: Job, files: JobFolder, ways: list[str], remembered: Remembered) -> None:
        """Remember the way that worked. Raises EnvironmentLacksError with the result of each if none did."""
        if files.exit_code == job_script.PAIRING_FAILED and files.way is None:
            # The next try would find this job again otherwise.
            (files.place / RECORD).unlink(missing_ok=True)
            nodes = len(files.nodes)
            tried = [
                f"`{_short(way)}` {pairing.verdict(files.probe(number), job.ranks, nodes) or 'gave no exit code'}"
                for number, way in enumerate(ways)
            ]
            raise EnvironmentLacksError(
                f"{self.name} and {self.mpi.name} do not go together: {'; '.join(tried)}; "
                "use an MPI that this cluster's launcher supports (`doctor` lists both)"
            )
        if files.way is not None and files.started is not None and remembered.index is None:
            remembered.keep(files.way)


def _short(way: str) -> str:
    return " ".join(Path(word).name if word.startswith("/") else word for word in way.split())


def _same(record: JobRecord, job: Job, system: str) -> bool:
    return (record.system, record.command, record.ranks) == (system, job.command, job.ranks)


def _finished_before(job: Job) -> bool:
    """Return whether the run has a result newer than its job's submission, so that this is a new run."""
    if job.record is None:
        return True
    with contextlib.suppress(OSError):
        return (job.record / "result.json").stat().st_mtime_ns >= (
            job.record / "job" / "job.json"
        ).stat().st_mtime_ns
    return False
