"""Folders of the user: of the XDG Base Directory Specification, and behind a `~`."""

import os
from pathlib import Path

from linkworth.errors import EnvironmentLacksError


def expanded(path: str | os.PathLike[str]) -> str:
    """Return a name or a file's path, with the home folder in place of a `~` at its start, as a shell gives it."""
    return os.path.expanduser(os.fspath(path))  # noqa: PTH111 (which raises for the home of an unknown user)


def user_folder(variable: str, default: str) -> Path:
    """Return the folder that an environment variable names, else `default` in the home folder.

    Raises EnvironmentLacksError for a user without a home folder, as in a container with a user number of its own.
    """
    named = os.environ.get(variable, "")
    # The specification requires that a relative path be ignored.
    if named.startswith("/"):
        return Path(named)
    # Python takes the root folder for an empty HOME.
    home = os.path.expanduser("~") if os.environ.get("HOME") != "" else "~"  # noqa: PTH111
    if home == "~":
        raise EnvironmentLacksError(
            f"this user has no home folder; set {variable} to a folder that you can write"
        )
    return Path(home) / default
