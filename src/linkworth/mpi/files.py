"""Checks of files that a search finds, some of which this user may not access."""

from pathlib import Path


def is_file(path: Path) -> bool:
    """Return whether there is a file. False also for one in a folder that this user cannot search."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Return whether there is a folder. False also for one in a folder that this user cannot search."""
    try:
        return path.is_dir()
    except OSError:
        return False
