"""Writes files: whole or not at all, through symbolic links, and into devices and pipes without replacing them."""

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from linkworth.errors import EnvironmentLacksError, LinkworthError, UsageError
from linkworth.writing.text import encodable

STANDARD_OUTPUT = Path("/dev/stdout")
"""Meaning of `-` as the name of an output."""

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


def is_stream(path: Path) -> bool:
    """Return whether the path is written into as it is: standard output, a device, a pipe."""
    return path == STANDARD_OUTPUT or (path.exists() and not path.is_file() and not path.is_dir())


@contextmanager
def staged(path: Path) -> Iterator[Path]:
    """Yield the name of a file or folder to make, which takes the place of `path` at the end, unless an error ends it.

    Raises OSError.
    """
    beside = None if is_stream(path) else path.resolve().parent
    with tempfile.TemporaryDirectory(prefix=".linkworth-", dir=beside, ignore_cleanup_errors=True) as folder:
        made = Path(folder) / path.name
        yield made
        put(made, path)


def put(made: Path, path: Path) -> None:
    """Let a finished file or folder take the place of `path`, or of what a link at `path` names; copy it into a stream.

    Raises OSError.
    """
    if is_stream(path):
        with made.open("rb") as source, _opened(path) as stream:
            shutil.copyfileobj(source, stream)
        made.unlink()
        return
    target = path.resolve()
    if target.is_dir() and made.is_dir():
        shutil.rmtree(target)
    try:
        made.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # A link leads to another file system: the copy is made there, so that the last step is a rename again.
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
        raise unwritable(beside, error) from None


def write_atomically(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file so that a reader sees the old one or the new one, never a part of it. Raises OSError.

    `durable`: the content is on the disk before the name is, which a measurement needs and what can be made again does not.
    """
    if is_stream(path):
        with _opened(path) as stream:
            stream.write(content)
        return
    with staged(path) as made, made.open("wb") as file:
        file.write(content)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def write_output(path: Path, content: str | bytes, option: str = "-o") -> None:
    """Write what the user asked for by an option. Raises UsageError or EnvironmentLacksError if it cannot be written."""
    try:
        write_atomically(
            path, encodable(content).encode() if isinstance(content, str) else content, durable=False
        )
    except OSError as error:
        raise unwritable(path, error, option) from None


def unwritable(path: Path, error: OSError, option: str = "-o") -> LinkworthError:
    """Return the error of an output that cannot be written: one of the machine if it lacks room, else one of usage."""
    lacks = error.errno in _NO_ROOM
    advice = (
        f"make room or give another place with {option}" if lacks else f"give another place with {option}"
    )
    return (EnvironmentLacksError if lacks else UsageError)(
        f"cannot write {path}: {error.strerror}; {advice}"
    )


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if path == STANDARD_OUTPUT:
        # Not opened anew, which would write over what a file that it leads to has.
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with path.open("wb") as stream:
            yield stream
