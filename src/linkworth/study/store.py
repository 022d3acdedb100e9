"""A study's folder: the file that it follows, and one folder a run, each with a record that is there as a whole or not at all.

NAME.study/
    study.toml      the study file as it was when the study began
    study.json      StudyManifest: seed, scale, place
    lock            locked while linkworth runs the study
    runs/RUN/       run.json (RunRecord), output.txt and whatever else the run left
    traces/         one trace a recorded workload
    arrays/         scripts of job arrays, each of whose elements is a run
    superseded/     runs of an earlier definition in the study file
"""

import contextlib
import fcntl
import os
import random
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from linkworth import __version__
from linkworth.errors import IncompleteError, UsageError
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.study import RunRecord, Study
from linkworth.study import record_file
from linkworth.study.definition.file import load
from linkworth.study.matrix import PlannedRun, expand, file_name
from linkworth.writing.documents import encode
from linkworth.writing.files import unwritable, write_atomically


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a study's folder. Raises UsageError, with the owning process, if it is taken.

    The kernel releases the lock when the process ends; started programs do not inherit it.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise UsageError(f"cannot write to the folder {path.parent}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(descriptor, 200).decode(errors="replace").strip() or "another process"
            raise UsageError(
                f"{path.parent} is being run by {owner}; wait for it or stop it "
                f"(`linkworth study status {path.parent}` shows how far it is)"
            ) from None
        with contextlib.suppress(OSError):  # a full disk does not affect the lock
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Return whether a process runs the study now."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


SUFFIX = ".study"
RECORD = "run.json"
BATCH_JOB = "job/job.json"
"""Batch job of a run, as the launchers of batch systems store it (`linkworth.places.job_folder`)."""


class StudyManifest(msgspec.Struct, frozen=True, kw_only=True):
    """`study.json`."""

    schema: str = "linkworth.study/1"
    name: str
    file: str
    """Absolute path of the study file."""
    seed: int
    scale: str = ""
    where: str = ""
    """Value of `--where`; "": the places in the file."""
    created: str = ""
    linkworth: str = __version__


class Store:
    """Folder of a study. Reading needs no lock; writing requires `lock`."""

    def __init__(self, folder: Path, study: Study | None = None) -> None:
        """`study` is the study of the folder if the caller has loaded it already.

        Raises UsageError for a folder without a study.
        """
        self.folder = folder
        try:
            self.manifest = msgspec.json.decode((folder / "study.json").read_bytes(), type=StudyManifest)
        except FileNotFoundError:
            what = "is no study's folder" if folder.is_dir() else "does not exist"
            raise UsageError(f"{folder} {what}; begin one with: linkworth study run FILE") from None
        except OSError as error:
            raise UsageError(f"{folder / 'study.json'} cannot be read: {error.strerror}") from None
        except JSON_ERRORS as error:
            raise UsageError(f"{folder / 'study.json'} is damaged: {error}") from None
        self.unusable: dict[str, str] = {}
        """Sentence on each record that is damaged or of other inputs, by run: the run is then open."""
        self.study = self._named(study) if study is not None else self.load(folder / "study.toml")
        self.planned = expand(self.study, self.manifest.seed)

    @classmethod
    def create(
        cls,
        folder: Path,
        file: Path,
        *,
        scale: str = "",
        where: str = "",
        check: Callable[[Study], None] | None = None,
    ) -> "Store":
        """Make the folder of a study. Raises UsageError if the file or the folder cannot be used, and the errors of `check`.

        `check` receives the study before anything is written.
        """
        study = load(file, scale=scale, where=where)
        seed = study.seed if study.seed is not None else random.SystemRandom().randrange(1 << 32)
        expand(study, seed)  # raises before anything is written
        if check is not None:
            check(study)
        manifest = StudyManifest(
            name=study.name, file=str(file.absolute()), seed=seed, scale=scale, where=where, created=now()
        )
        try:
            (folder / "runs").mkdir(parents=True, exist_ok=True)
            (folder / "traces").mkdir(exist_ok=True)
            write_atomically(folder / "study.toml", file.read_bytes())
            # Last: it makes the folder a study's.
            write_atomically(folder / "study.json", encode(manifest, indent=2))
        except OSError as error:
            raise unwritable(folder, error, "folder") from None
        return cls(folder, study)

    def load(self, file: Path) -> Study:
        """Return the study of a file at the scale and the place of this folder. Raises UsageError."""
        manifest = self.manifest
        place = Path(manifest.file).parent
        return self._named(load(file, scale=manifest.scale, where=manifest.where, folder=place))

    def _named(self, study: Study) -> Study:
        return msgspec.structs.replace(study, name=self.manifest.name, path=self.manifest.file)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the folder's lock while the study runs. Raises UsageError if another process has it."""
        return locked(self.folder / "lock")

    @property
    def running(self) -> bool:
        """True if a linkworth process runs the study now."""
        return is_locked(self.folder / "lock")

    def records(self) -> list[RunRecord]:
        """Return the record of each finished run, in the order of the study, if the study still asks for it."""
        found = (self.record(planned) for planned in self.planned)
        return [record for record in found if record is not None]

    def record(self, planned: PlannedRun) -> RunRecord | None:
        """Return the record of a run, None if it is unfinished (or its record is damaged, or of another run)."""
        record = self._read(planned.run)
        if record is None or record.definition != planned.definition:
            return None
        others = [name for name, was in record.inputs.items() if planned.inputs.get(name, was) != was]
        if others:
            self.unusable[planned.run] = (
                f"{', '.join(others)}: changed since results were made of it; they are made anew, and the old ones kept "
                "in superseded"
            )
            return None
        return record

    def fresh_folder(self, run: str) -> Path:
        """Return an empty folder for a run: files of a partial run are removed, and a record is set aside
        if it is damaged or of another definition.

        The files of a batch job that outlived linkworth stay, so that it is found again.
        Raises IncompleteError if the folder cannot be made.
        """
        folder = self.folder / "runs" / run
        try:
            if (folder / RECORD).exists():
                self._set_aside(folder)
            elif folder.exists() and not (folder / BATCH_JOB).exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise IncompleteError(
                f"{folder} cannot be made: {error.strerror}; what was measured is kept: "
                f"linkworth study resume {self.folder}"
            ) from None
        return folder

    def write(self, record: RunRecord) -> None:
        """Store a run's record permanently. Raises IncompleteError if the disk is full: the run then stays open."""
        folder = self.folder / "runs" / record.run
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / RECORD, record_file.encode(record))
            for made in (folder, folder.parent):
                _sync(made)
            self.unusable.pop(record.run, None)
        except OSError as error:
            raise IncompleteError(
                f"the record of {record.run} cannot be written: {error.strerror}; make room, then: "
                f"linkworth study resume {self.folder}"
            ) from None

    def forget(self, run: str) -> None:
        """Set a finished run aside, so that it is repeated."""
        folder = self.folder / "runs" / run
        if (folder / RECORD).exists():
            self._set_aside(folder)

    def trace(self, workload: str, environment: str = "") -> Path:
        """Return the (future) path of a workload's trace, recorded in an environment or without running."""
        where = f"@{file_name(environment)}" if environment else ""
        return self.folder / "traces" / f"{file_name(workload)}{where}.lwt"

    def follow(self, file: Path, study: Study) -> None:
        """Follow a changed study file, whose study `load` returned. Raises UsageError if it cannot be used."""
        planned = expand(study, self.manifest.seed)
        try:
            write_atomically(self.folder / "study.toml", file.read_bytes())
        except OSError as error:
            raise unwritable(self.folder, error, "folder") from None
        self.study, self.planned = study, planned

    def _read(self, run: str) -> RunRecord | None:
        path = self.folder / "runs" / run / RECORD
        try:
            return record_file.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except record_file.DamagedRecordError as error:
            self.unusable[run] = (
                f"{path} is damaged ({error}): the run is made again, and the file kept in superseded"
            )
            return None

    def _set_aside(self, folder: Path) -> None:
        aside = self.folder / "superseded"
        aside.mkdir(exist_ok=True)
        number = 1
        while (aside / f"{folder.name}@{number}").exists():
            number += 1
        folder.rename(aside / f"{folder.name}@{number}")


def default_folder(file: Path, scale: str) -> Path:
    """Return the folder of a study in the current one: `NAME.study`, `NAME-SCALE.study`."""
    return Path(f"{file.stem}-{scale}{SUFFIX}" if scale else f"{file.stem}{SUFFIX}")


def is_begun(folder: Path) -> bool:
    """Return whether a folder is that of a study. Raises UsageError if it cannot be read."""
    try:
        return (folder / "study.json").exists()
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be read: {error.strerror}; change its permissions, or name another with `folder`"
        ) from None


def find(target: Path, scale: str = "") -> Path:
    """Return the folder that a user names by a folder or by a study file. Raises UsageError for a folder's `scale`."""
    if target.is_dir() or target.suffix != ".toml":
        if scale:
            raise UsageError(f"`scale` {scale}: it is for a study file, which {target} is not; leave it out")
        return target
    return default_folder(target, scale)


def now() -> str:
    """Return the time in the form of records."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
