"""Writes a fabric to a file that every verb accepts with `--on`."""

from pathlib import Path

from linkworth.model import fabric as model
from linkworth.writing import toml
from linkworth.writing.files import write_output


def write(fabric: model.Fabric, path: Path) -> None:
    """Write a fabric file. Raises UsageError for a name that `--on` cannot resolve, and as `write_output` does."""
    toml.require_name(path, "fabric")
    write_output(path, text(fabric))


def text(fabric: model.Fabric) -> str:
    """Return the fabric's TOML."""
    return toml.text(fabric, without=("origin",))
