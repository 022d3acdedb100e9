"""The C of the wrappers, read from native/tracer/wrappers.toml, which explains its keys."""

import re
import tomllib
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from linkworth.mpi import sources


class Body(msgspec.Struct, frozen=True):
    """The parts of a wrapper that depend on the procedure."""

    before: str = ""
    always: str = ""
    nested: str = "$real"
    record: str = ""
    condition: str = "lw_call.recording"
    yielding: str = ""
    foresee: str = ""
    prepare: str = ""
    expected: str = ""
    foreseen: str = ""
    unforeseen: str = "lw_encode_local(LW_COPY(&lw_call));"
    bytes: str = ""
    way: str = "plain"


class Wrapped(msgspec.Struct, frozen=True):
    """A procedure to wrap: its name, its result's type, the call of the library's function, and its number."""

    name: str
    returns: str
    real: str
    number: int
    body: Body


def file() -> Path:
    """Return the file with the C of the wrappers."""
    return sources.folder("tracer") / "wrappers.toml"


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(file().read_text(encoding="utf-8"))


def _fill(text: str, words: dict[str, str]) -> str:
    """Replace each `$word`, also in what replaces another. Unknown ones stay."""
    while (filled := Template(text).safe_substitute(words)) != text:
        text = filled
    return text


@cache
def bodies() -> dict[str, Body]:
    """Return the bodies of the modelled procedures, by name, and that of any other."""
    document = _document()
    found = {}
    for entry in document["body"]:
        of = entry["of"]
        rows = document["rows"][of] if isinstance(of, str) else {call: {} for call in of}
        for call, row in rows.items():
            given = {"name": "MPI_$call$large", **document["words"], **entry, **row}
            for large, wide in (("", "false"), ("_c", "true"))[: 2 if given.get("large") else 1]:
                words = {**given, "call": call, "lower": call.lower(), "large": large, "wide": wide}
                parts = {
                    part: _fill(given[part], words) if isinstance(given[part], str) else given[part]
                    for part in Body.__struct_fields__
                    if part in given
                }
                found[_fill(given["name"], words)] = msgspec.convert(parts, Body)
    return found


def is_modelled(name: str) -> bool:
    """Return whether a procedure has a body of its own, in any library."""
    return name in bodies()


def body_of(name: str, available: set[str]) -> Body:
    """Return the body of a procedure.

    `available` are the wrapped procedures. A yielding form that needs another one is left out.
    """
    body = bodies().get(name, bodies()["any other"])
    return body if _needed_to_yield(body) <= available else msgspec.structs.replace(body, yielding="")


def _needed_to_yield(body: Body) -> set[str]:
    return {word.split("(")[0] for word in body.yielding.split("REAL_")[1:]}


def is_conversion(name: str) -> bool:
    """Return whether a procedure converts a handle or a status of one language into another's."""
    return re.search(r"_(f2c|c2f|f082c|c2f08|f2f08|f082f|fromint|toint)$", name) is not None


def is_quick(name: str) -> bool:
    """Return whether reading the clock a second time would take longer than the procedure itself."""
    return name.removeprefix("MPI_") in _document()["quick"].split() or is_conversion(name)


def has_fast_way(name: str) -> bool:
    """Return whether a procedure is called so often that it has a fast path (native/tracer/wrapper.h)."""
    return name.removeprefix("MPI_") in _document()["often"].split()


def block(way: str, wrapped: Wrapped, told: str, otherwise: str = "") -> str:
    """Return the statements of a wrapper on one way.

    lw_enter gets `told`. `otherwise` is the call of the function for all other cases, without its end.
    """
    body, real, quick = wrapped.body, wrapped.real, is_quick(wrapped.name)
    if way == "plain":
        way = body.way
    elif way == "traced" and body.foresee:
        way = "foreseen"
    elif way == "profiled" and (quick or body.bytes):
        way = "profiled_quick" if quick else "profiled_bytes"
    # The library of a precompiled tracer may lack them.
    yields = " && ".join(["lw_yielding", *(f"HAS_{name}" for name in sorted(_needed_to_yield(body)))])
    succeeded = "lw_result == MPI_SUCCESS" if wrapped.returns == "int" else "true"
    words = {
        **msgspec.structs.asdict(body),
        "any_call": _document()["words"]["any_call"],
        "number": str(wrapped.number),
        "returns": wrapped.returns,
        "real": real,
        "fast": real.replace("REAL_", "FAST_", 1),
        "called": f"{yields} ? {body.yielding} : $real" if body.yielding else real,
        "told": told,
        "cfa": told.split(", ")[1],
        "otherwise": otherwise,
        "succeeded": succeeded,
        "as_expected": " && ".join(filter(None, (succeeded, body.expected))),
        "exit": "lw_exit_quick" if quick else "lw_exit",
        "end": "lw_call.start" if quick else "lw_counter_ticks()",
        "recorded": f"if ({body.condition}) {body.record}" if body.record else "",
    }
    return _fill(_document()["ways"][way], words)
