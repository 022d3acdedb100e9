"""Known machines."""

import functools

import msgspec

from linkworth.catalog.decode import data_folder, decode, read_toml, unknown_name
from linkworth.catalog.fabric_file import SourceTable, plain
from linkworth.errors import UsageError
from linkworth.model.fabric import SourceNote
from linkworth.model.machine import Machine
from linkworth.model.number_range import CPU_FACTOR


class MachineTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[machines]]` of the file; the fields are those of `linkworth.model.machine.Machine`."""

    name: str
    title: str
    nodes: int
    sockets_per_node: int
    cores_per_node: int
    memory_bytes_per_node: int
    processor: str
    fabrics: list[str]
    cpu_factor: float = 1.0
    core_speed: float | None = None
    thread_gain: float = 1.0
    sources: list[SourceTable] = msgspec.field(default_factory=list)


class MachinesFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`machines.toml`."""

    machines: list[MachineTable]


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
    return {table.name: _machine(table) for table in file.machines}


def _machine(table: MachineTable) -> Machine:
    for field in ("cpu_factor", "core_speed"):
        value = getattr(table, field)
        if value is not None and value not in CPU_FACTOR:
            raise UsageError(f"machine {table.name}: {field} is {value}; give {CPU_FACTOR}")
    if not 1 <= table.thread_gain <= 2:
        raise UsageError(
            f"machine {table.name}: thread_gain is {table.thread_gain}; give a number from 1 to 2"
        )
    sources = [plain(source, SourceNote) for source in table.sources]
    values = {field: getattr(table, field) for field in table.__struct_fields__ if field != "sources"}
    return Machine(**values, sources=sources)
