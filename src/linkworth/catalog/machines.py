"""Known machines."""

import functools
from pathlib import Path

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
    """Return a machine by its name in the catalog, or the one of a `.toml` file.

    Raises UsageError for an unknown name, with the nearest ones, and for a file with a fault.
    """
    if is_path(name):
        machines = decode(read_toml(Path(name)), MachinesFile, name).machines
        if len(machines) != 1:
            raise UsageError(f"{name}: a machine file has one [[machines]]; this one has {len(machines)}")
        return _checked(machines[0])
    catalog = _catalog()
    if name not in catalog:
        raise unknown_name("machine", name, catalog)
    return catalog[name]


def is_path(name: str) -> bool:
    """Return whether a machine is given by its file's path."""
    return "/" in name or name.endswith(".toml")


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
    for kernel in machine.kernels:
        for seconds in (kernel.seconds, kernel.seconds_on_all_cores):
            if not 0 < seconds < float("inf"):
                raise UsageError(
                    f"machine {machine.name}: a time of {kernel.workload} is {seconds}; give seconds above 0"
                )
        if not all(0 <= seconds < float("inf") for seconds in kernel.seconds_per_operation.values()):
            raise UsageError(f"machine {machine.name}: {kernel.workload} has an operation without a length")
    return machine
