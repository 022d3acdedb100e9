"""Reads whole files and pipes that a user names."""

import errno
import io
import os
from pathlib import Path
from stat import S_ISFIFO


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, or of a pipe that a program writes to, as in `<(command)`.

    Raises OSError, also for a pipe without a writer, whose opening would wait for one.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        start: bytes | None = b""
        if S_ISFIFO(os.fstat(descriptor).st_mode):
            start = file.read(1)  # None: there is a writer
            if start == b"":
                raise OSError(errno.ENODATA, "it is a pipe that no program writes to", str(path))
        os.set_blocking(descriptor, True)
        return (start or b"") + file.readall()


def read_text(path: Path, errors: str = "strict") -> str:
    """Return UTF-8 text without its byte order mark, with line feeds as line ends. Raises OSError or UnicodeDecodeError."""
    return io.TextIOWrapper(io.BytesIO(read_bytes(path)), "utf-8-sig", errors).read()
