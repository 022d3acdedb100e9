"""Files that runs depend on, each with a digest.

A changed file makes a prediction or a lab's run anew. If a command names it, the report doubts means of before and after.
"""

import functools
import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from stat import S_ISREG

from linkworth.catalog import fabrics, machines
from linkworth.model.study import Environment, Mode, Study, StudyWorkload

_DIGITS = 16


def inputs_of(study: Study, workload: StudyWorkload, environment: Environment, mode: Mode) -> dict[str, str]:
    """Return the digest of each file that a run depends on beside the study file, by its path.

    A file that is gone has none, so that results outlive it.
    """
    return _digests(_files(study, workload, environment, mode))


def files_of(command: Sequence[str]) -> dict[str, str]:
    """Return the digest of each file that a command names, by its path: the program, scripts and inputs."""
    return _digests([shutil.which(command[0]) or command[0], *command[1:]])


def _digests(names: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in names:
        path = Path(name)
        try:
            state = path.stat()
            if S_ISREG(state.st_mode):
                found[name] = _digest(path, state.st_size, state.st_mtime_ns)
        except (OSError, ValueError):  # no file; a NUL is in no path
            continue
    return found


def _files(study: Study, workload: StudyWorkload, environment: Environment, mode: Mode) -> Iterator[str]:
    wanted = study.prediction
    if mode == "predict" or environment.where.kind == "lab":
        yield from filter(None, [fabrics.file_of(environment.fabric)])
    if mode == "predict":
        yield from filter(None, [workload.recording, wanted.startup, environment.placement])
        if wanted.machine and machines.is_path(wanted.machine):
            yield wanted.machine
        known = wanted.measured.get(workload.name, "").rpartition("=")[0]
        scaled_by = measured_on(study)
        yield from filter(
            None, [fabrics.file_of(name) for name in (known, scaled_by.fabric if scaled_by else "")]
        )


def measured_on(study: Study) -> Environment | None:
    """Return the environment whose times scale the predictions of a study."""
    name = study.prediction.measured_on
    return next((each for each in study.environments if each.name == name), None) if name else None


@functools.cache
def _digest(path: Path, size: int, changed_ns: int) -> str:
    """Return the digest of a file's content; its size and time of change only key the cache."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
