"""Known machines."""

import functools
from pathlib import Path

import msgspec

from linkworth.catalog.decode import data_folder, decode, read_toml, unknown_name
from linkworth.errors import UsageError
from linkworth.model.machine import KernelTime, Machine
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
        return _checked(machines[0], name)
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
    return {machine.name: _checked(machine, str(path)) for machine in file.machines}


def _checked(machine: Machine, where: str) -> Machine:
    fault = _fault(machine)
    if fault:
        raise UsageError(f"{where}: machine {machine.name}: {fault}")
    return machine


def _fault(machine: Machine) -> str:
    """Return what cannot be true of a machine; "" without a fault."""
    if not machine.name.strip():
        return "its `name` is empty"
    for each in declared(Machine):
        value, allowed = getattr(machine, each.name), each.parameter.allowed
        if value is not None and allowed is not None and value not in allowed:
            return f"{each.name} is {value}; give {allowed}"
    if machine.sockets_per_node > machine.cores_per_node:
        return f"{machine.sockets_per_node} sockets cannot have {machine.cores_per_node} cores together"
    workloads = [kernel.workload for kernel in machine.kernels]
    return next(filter(None, map(_kernel_fault, machine.kernels)), "") or next(
        (f"{each} is there twice" for each in workloads if workloads.count(each) > 1), ""
    )


def _kernel_fault(kernel: KernelTime) -> str:
    if kernel.workload.rpartition(":")[2].partition(".")[0] != kernel.program:
        return f"{kernel.workload} is no run of the program {kernel.program}"
    for seconds in (kernel.seconds, kernel.seconds_on_all_cores):
        if not 0 < seconds < float("inf"):
            return f"a time of {kernel.workload} is {seconds}; give seconds above 0"
    if kernel.seconds_on_all_cores < kernel.seconds:
        return f"{kernel.workload} takes {kernel.seconds} s alone, and cannot take less on all cores at once"
    if not all(0 <= seconds < float("inf") for seconds in kernel.seconds_per_operation.values()):
        return f"{kernel.workload} has an operation without a length"
    return ""
