"""The seam between Python and the engine: both declare the same fields, and the stub has the engine's names."""

import ast
import re
from pathlib import Path
from typing import get_args

import msgspec
from nanobind.stubgen import StubGen

import linkworth
from linkworth import _engine
from linkworth.model.collectives import CollectiveRules
from linkworth.model.prediction import ReplayTimes
from linkworth.model.settings import ReplayRequest

PYTHON_ONLY = {
    "fabric": {"name", "title", "spread", "worst_miss", "mpi", "sources", "origin"},
    "settings": {"samples", "spread", "mpi_library", "forced_collectives", "mpi_settings"},
}
"""Fields that the engine does not need, by table."""


def names(kind: type[msgspec.Struct], table: str = "") -> list[str]:
    """Return the dotted names of a struct's fields and of its tables' fields."""
    found = []
    for field in msgspec.structs.fields(kind):
        if field.name in PYTHON_ONLY.get(table, ()):
            continue
        place = f"{table}.{field.name}".removeprefix(".")
        inside = [
            each for each in parts(field.type) if isinstance(each, type) and issubclass(each, msgspec.Struct)
        ]
        tables = [each for each in inside if each is not CollectiveRules]
        found += [name for each in tables for name in names(each, place)] if tables else [place]
    return found


def parts(kind: object) -> list[object]:
    """Return a type and the types that it is made of."""
    return [kind, *(part for each in get_args(kind) for part in parts(each))]


def test_the_engine_has_and_uses_every_field_of_requests_and_results() -> None:
    assert sorted(_engine.request_fields()) == sorted(names(ReplayRequest))
    assert set(ReplayTimes.__struct_fields__) <= set(dir(_engine.ReplayResult))
    native = Path(__file__).parents[2] / "native"
    code = "".join(path.read_text(encoding="utf-8") for path in native.rglob("*.[ch]pp"))
    # A field that is only declared and listed has no effect, which no other test of it would show.
    listed = re.compile(r'visit\("(\w+)", &(?:Path|SwitchLevel|Topology|Tcp|Fabric|ReplaySettings)::')
    unused = {name for name in listed.findall(code) if len(re.findall(rf"\b{name}\b", code)) < 4}
    assert not unused


def members(source: str) -> dict[str, list[str]]:
    """Return the classes and functions of a stub: attributes of a class, parameters of a function."""
    found: dict[str, list[str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = [argument.arg for argument in node.args.args]
        elif isinstance(node, ast.ClassDef):
            found[node.name] = []
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    found[node.name].append(each.target.id)
                elif isinstance(each, ast.FunctionDef):
                    property_ = any(isinstance(one, ast.Name) for one in each.decorator_list)
                    parameters = "" if property_ else str([argument.arg for argument in each.args.args[1:]])
                    found[node.name].append(each.name + parameters)
            found[node.name].sort()
    return found


def test_the_stub_is_what_the_engine_has() -> None:
    generated = StubGen(_engine)  # type: ignore[no-untyped-call]
    generated.put(_engine)  # type: ignore[no-untyped-call]
    stub = Path(linkworth.__file__).with_name("_engine.pyi").read_text(encoding="utf-8")
    assert members(stub) == members(generated.get())  # type: ignore[no-untyped-call]
