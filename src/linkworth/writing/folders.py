"""Temporary folders, and their removal, which an interrupt does not cut short."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from linkworth import interrupts


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that can be removed of it. An interrupt is raised afterwards.

    Raised within shutil.rmtree, it can close a descriptor twice, and an OSError replaces it.
    """
    with interrupts.deferred():
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def temporary_folder(prefix: str = "linkworth-", beside: Path | None = None) -> Iterator[Path]:
    """Yield a new folder, in the folder `beside` or that of temporary files, and remove it afterwards.

    Raises OSError if it cannot be made.
    """
    folder = None
    try:
        with interrupts.deferred():
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=beside))
        yield folder
    finally:
        if folder is not None:
            remove_folder(folder)
