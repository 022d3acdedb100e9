"""Files that this user may be unable to access, or that may be gone."""

from pathlib import Path


def text_of(path: Path) -> str:
    """Return the text of a file, "" if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


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
