"""Temporary folders, and their removal, which an interrupt does not cut short."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from linkworth import interrupts

_TEMPORARY: set[Path] = set()
"""Folders of temporary files that exist."""


def is_temporary(path: Path) -> bool:
    """Return whether a path is in a folder of temporary files, which `TMPDIR` places."""
    return not _TEMPORARY.isdisjoint(path.parents)


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
        if beside is None:
            _TEMPORARY.add(folder)
        yield folder
    finally:
        if folder is not None:
            remove_folder(folder)
            _TEMPORARY.discard(folder)
