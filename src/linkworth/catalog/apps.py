"""Bundled programs."""

import functools

import msgspec

from linkworth.catalog.decode import data_folder, decode, read_toml, unknown_name
from linkworth.model.workload import App


class AppsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`apps.toml`."""

    apps: list[App]


def names() -> list[str]:
    """Return the names of the programs in the order of the file."""
    return list(_catalog())


def get(name: str) -> App:
    """Return a program by name, with or without its class or argument (`npb:ft`, `npb:ft.W`, `imbalance:3`).

    An unknown name is a UsageError with the nearest names.
    """
    catalog = _catalog()
    for base in (name.partition(".")[0], name.partition(":")[0]):
        if base in catalog:
            return catalog[base]
    raise unknown_name("program", name, catalog)


@functools.cache
def _catalog() -> dict[str, App]:
    path = data_folder() / "apps.toml"
    return {app.name: app for app in decode(read_toml(path), AppsFile, str(path)).apps}
