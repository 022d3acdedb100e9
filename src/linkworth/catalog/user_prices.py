"""Catalogs written by `linkworth prices update`: one TOML file for each provider in the user's data folder."""

from collections.abc import Iterable
from pathlib import Path

from linkworth.errors import EnvironmentLacksError
from linkworth.model.price import Price
from linkworth.writing.files import write_atomically
from linkworth.writing.toml import string
from linkworth.writing.user_folder import user_folder

_TEXTS = ("name", "fabric", "provider", "region", "date", "source")


def folder() -> Path:
    """Return `$XDG_DATA_HOME/linkworth/prices`, by default in `~/.local/share` (XDG Base Directory Specification)."""
    return user_folder("XDG_DATA_HOME", ".local/share") / "linkworth" / "prices"


def names() -> list[str]:
    """Return the names of the user's catalogs."""
    try:
        return sorted(entry.stem for entry in folder().iterdir() if entry.suffix == ".toml")
    except (OSError, EnvironmentLacksError):
        return []


def path(name: str) -> Path:
    """Return the path of a catalog, which may not exist yet."""
    return folder() / f"{name}.toml"


def write(name: str, title: str, prices: Iterable[Price]) -> Path:
    """Write a catalog by atomic rename, so that the old one survives a failure, and return its path."""
    target = path(name)
    text = as_toml(title, prices)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, text.encode())
    except OSError as error:
        raise EnvironmentLacksError(
            f"{target} cannot be written ({error.strerror}); the prices are as they were. Make room or set XDG_DATA_HOME"
        ) from None
    return target


def as_toml(title: str, prices: Iterable[Price]) -> str:
    """Return the text of a catalog file."""
    lines = [
        "# Written by 'linkworth prices update'; the next update replaces it.",
        f"title = {string(title)}",
    ]
    for price in prices:
        lines += ["", "[[prices]]"]
        lines += [f"{field} = {string(getattr(price, field))}" for field in _TEXTS]
        if price.usd_per_core_hour is not None and price.cores is not None:
            lines.append(f"usd_per_core_hour = {price.usd_per_core_hour!r}")
        else:
            lines.append(f"usd_per_node_hour = {price.usd_per_node_hour!r}")
        lines.append(f"market = {string(price.market)}")
        if price.cores is not None:
            lines.append(f"cores = {price.cores}")
        if price.memory_bytes is not None:
            lines.append(f"memory_bytes = {price.memory_bytes}")
        if price.processor:
            lines.append(f"processor = {string(price.processor)}")
        if price.note:
            lines.append(f"note = {string(price.note)}")
    return "\n".join(lines) + "\n"
