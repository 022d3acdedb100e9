"""Writes files completely or not at all, through symbolic links, and into devices and pipes without replacing them."""

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from linkworth import interrupts
from linkworth.errors import EnvironmentLacksError, LinkworthError, UsageError
from linkworth.writing.folders import is_temporary, temporary_folder
from linkworth.writing.text import encodable

STANDARD_OUTPUT = Path("/dev/stdout")
"""Meaning of `-` as the name of an output."""

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def is_stream(path: Path) -> bool:
    """Return whether writing must not replace the path: standard output, a device, a pipe."""
    return path == STANDARD_OUTPUT or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """Yield the name of a file or folder to make, which replaces `path` at the end, unless an error occurs.

    Raises OSError.
    """
    beside = None if is_stream(path) else path.resolve().parent
    with temporary_folder(".linkworth-", beside) as folder:
        made = folder / path.name
        yield made
        put(made, path)


def put(made: Path, path: Path) -> None:
    """Move a finished file or folder to `path`, or to the target of a link there; copy it into a stream.

    Raises OSError.
    """
    if is_stream(path):
        with made.open("rb") as source, _opened(path) as stream:
            shutil.copyfileobj(source, stream)
        made.unlink()
        return
    target = path.resolve()
    try:
        with interrupts.deferred():  # between the two there is neither the old folder nor the new one
            if target.is_dir() and made.is_dir():
                shutil.rmtree(target)
            made.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The link leads to another file system: copy there, so that the last step is a rename again.
        with staged(target) as copy:
            shutil.copyfile(made, copy)
        made.unlink()


def work_folder(output: Path, prefix: str, suffix: str = "") -> Path:
    """Make a new folder beside an output, or in the current folder if that is a stream, and return it.

    Raises UsageError or EnvironmentLacksError.
    """
    beside = Path() if is_stream(output) else output.parent
    try:
        beside.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=beside))
    except OSError as error:
        raise unwritable(output, error) from None


def write_atomically(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file atomically: a reader finds the old one or the new one. Raises OSError.

    `durable`: flush the content to disk before the rename. Measurements need it; reproducible files do not.
    """
    if is_stream(path):
        with _opened(path) as stream:
            stream.write(content)
        return
    try:
        with staged(path) as made, made.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
    except OSError as error:
        # A write that fails names no file, unlike an open; and that of an open is the temporary one.
        error.filename = str(path)
        raise


def require_writable(path: Path, parameter: str = "output") -> None:
    """Raise UsageError, before the work begins, if no file can be written to `path`."""
    folder = path.resolve().parent
    if is_stream(path):
        return
    if path.is_dir():
        reason = "it is a folder"
    elif not folder.is_dir():
        reason = f"there is no folder {folder}"
    elif not os.access(folder, os.W_OK):
        reason = f"the folder {folder} may not be written to"
    else:
        try:
            # Root has every permission, also where no file can be made.
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise unwritable(path, error, parameter) from None
        return
    raise UsageError(f"cannot write {path}: {reason}; give another place with `{parameter}`")


def write_output(path: Path, content: str | bytes, parameter: str = "output") -> None:
    """Write the output that a parameter names. Raises UsageError or EnvironmentLacksError if it cannot be written."""
    try:
        write_atomically(
            path, encodable(content).encode() if isinstance(content, str) else content, durable=False
        )
    except OSError as error:
        raise unwritable(path, error, parameter) from None


def unwritable(path: Path, error: OSError, parameter: str = "output") -> LinkworthError:
    """Return the error for an output that cannot be written: EnvironmentLacksError without room, else UsageError.

    Raises BrokenPipeError as it is: the reader of a pipe has enough.
    """
    if isinstance(error, BrokenPipeError):
        raise error
    lacks = error.errno in _NO_ROOM
    advice = f"{'make room or ' if lacks else ''}{_elsewhere(path, parameter)}"
    return (EnvironmentLacksError if lacks else UsageError)(
        f"cannot write {path}: {error.strerror}; {advice}"
    )


def _elsewhere(path: Path, parameter: str) -> str:
    """Return the advice to write to another place."""
    return "name another folder in TMPDIR" if is_temporary(path) else f"give another place with `{parameter}`"


def not_written(error: Exception, made: Path, output: Path) -> EnvironmentLacksError:
    """Return the error for an output that the engine could not write under the name `made`: no room is left."""
    reason = str(error).replace(str(made), str(output))
    return EnvironmentLacksError(f"{reason}; make room or {_elsewhere(output, 'output')}")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if path == STANDARD_OUTPUT:
        # Opening it anew would overwrite a file that it leads to.
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with path.open("wb") as stream:
            yield stream
