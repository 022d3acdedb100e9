"""The lists of machines and programs."""

import re

import pytest
from msgspec.structs import replace

from linkworth.catalog import apps, fabrics, machines
from linkworth.errors import UsageError
from linkworth.model.machine import KernelTime
from linkworth.mpi.apps import is_app
from linkworth.skeleton.machine import write_machine

NUMBERS = {"nodes", "sockets_per_node", "cores_per_node", "memory_bytes_per_node", "cpu_factor"}
ASSUMED = {
    "core_speed": None,
    "thread_gain": 1.0,
    "memory_bytes_per_second": None,
    "copy_bytes_per_second": None,
    "cache_bytes_per_node": None,
}
"""Fields that need no published number."""


@pytest.mark.parametrize("name", machines.names())
def test_every_number_of_a_machine_has_a_source(name):
    machine = machines.get(name)
    covered = {field for source in machine.sources for field in source.fields}
    given = {field for field, assumed in ASSUMED.items() if getattr(machine, field) != assumed}
    assert covered == NUMBERS | given, (
        "each number needs a [[machines.sources]] that names it, and no other field does"
    )
    assert all(source.date[:2] == "20" for source in machine.sources)
    assert machine.nodes >= 1 and machine.cores_per_node >= machine.sockets_per_node >= 1
    assert machine.memory_bytes_per_node > 1 << 30 and machine.cpu_factor > 0
    for fabric in machine.fabrics:
        assert fabrics.get(fabric).name == fabric


@pytest.mark.parametrize(
    ("field", "value"),
    [("nodes", 0), ("sockets_per_node", 0), ("cores_per_node", -1), ("memory_bytes_per_node", -1)],
)
def test_a_count_that_cannot_be_is_named(tmp_path, field, value):
    machine = replace(machines.get(machines.names()[0]), **{field: value})
    write_machine(machine, tmp_path / "odd.toml")
    with pytest.raises(UsageError, match=f"{field} is {value}; give"):
        machines.get(str(tmp_path / "odd.toml"))


KERNEL = KernelTime(
    program="is",
    workload="npb:is.A",
    seconds=1.0,
    seconds_on_all_cores=1.5,
    seconds_per_operation={"key ranks": 1e-9},
)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"name": " "}, "`name` is empty"),
        ({"sockets_per_node": 21}, "21 sockets cannot have 20 cores together"),
        ({"memory_bytes_per_second": 26.5}, "give a number from 1e6 to 1e18"),
        ({"kernels": [KERNEL, KERNEL]}, "npb:is.A is there twice"),
        ({"kernels": [replace(KERNEL, workload="npb:ep.A")]}, "npb:ep.A is no run of the program is"),
        ({"kernels": [replace(KERNEL, seconds_on_all_cores=0.9)]}, "cannot take less on all cores"),
        ({"kernels": [replace(KERNEL, seconds=0.0)]}, "give seconds above 0"),
    ],
)
def test_a_machine_that_cannot_be_is_refused_by_its_file(tmp_path, changes, fault):
    write_machine(replace(machines.get("xeon-e5-2650v3-x2"), **changes), tmp_path / "odd.toml")
    with pytest.raises(UsageError, match=re.escape(fault)) as refused:
        machines.get(str(tmp_path / "odd.toml"))
    assert str(refused.value).startswith(str(tmp_path / "odd.toml"))


def test_a_program_is_found_with_and_without_its_class():
    assert apps.get("npb:ft.W") == apps.get("npb:ft")
    assert {"npb:ep", "npb:ft", "npb:cg", "npb:sp"} <= set(apps.names())
    assert apps.get("imbalance:3") == apps.get("imbalance")
    for name in apps.names():
        app = apps.get(name)
        if name.startswith("npb:"):
            assert {"S", "W", "A", "B", "C", "D"} <= set(app.classes)
        else:
            assert app.argument and not app.classes
        assert is_app(app.command)
        assert app.rank_rule and app.description
