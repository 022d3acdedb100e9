"""Known machines."""

import functools

import msgspec

from linkworth.catalog.decode import data_folder, decode, read_toml, unknown_name
from linkworth.errors import UsageError
from linkworth.model.machine import Machine
from linkworth.model.parameter import declared


class MachinesFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`machines.toml`."""

    machines: list[Machine]


def names() -> list[str]:
    """Return the names of the machines in the order of the file."""
    return list(_catalog())


def get(name: str) -> Machine:
    """Return a machine by name. An unknown name is a UsageError with the nearest names."""
    catalog = _catalog()
    if name not in catalog:
        raise unknown_name("machine", name, catalog)
    return catalog[name]


@functools.cache
def _catalog() -> dict[str, Machine]:
    path = data_folder() / "machines.toml"
    file = decode(read_toml(path), MachinesFile, str(path))
    return {machine.name: _checked(machine) for machine in file.machines}


def _checked(machine: Machine) -> Machine:
    for each in declared(Machine):
        value, allowed = getattr(machine, each.name), each.parameter.allowed
        if value is not None and allowed is not None and value not in allowed:
            raise UsageError(f"machine {machine.name}: {each.name} is {value}; give {allowed}")
    return machine
