"""Finds the MPI library that mpi4py loads in a Python interpreter."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linkworth.mpi import identify, progress
from linkworth.mpi.linkage import MPI_LIBRARY

_INTERPRETER = re.compile(r"^(python|pypy)[\d.]*t?$")
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
_LONGEST_IMPORT_SECONDS = 60.0

# mpi4py is imported without MPI_Init. Wheels of PyPI contain a module for each ABI, with the ABI's name
# before the interpreter's. These use the library that is already loaded.
_QUERY = r"""
import importlib.util, json, os, re
found = {"library": "", "free": False}
spec = importlib.util.find_spec("mpi4py")
if spec and spec.submodule_search_locations:
    folder = list(spec.submodule_search_locations)[0]
    found["free"] = any(re.match(r"MPI\.\w+\.(cpython|pypy|abi)", name) for name in os.listdir(folder))
    try:
        import mpi4py
        mpi4py.rc.initialize = mpi4py.rc.finalize = False
        import mpi4py.MPI
    except Exception:
        pass
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[-1].strip()
            if re.match(r"PATTERN", os.path.basename(path)):
                found["library"] = path
                break
os.write(1, b"\nlinkworth " + json.dumps(found).encode() + b"\n")
os._exit(0)
""".replace("PATTERN", MPI_LIBRARY.pattern)


class PythonMpi(NamedTuple):
    """MPI of an interpreter."""

    library: Path | None
    """Real path of the library that mpi4py loads by itself. None without mpi4py or without a library."""
    free: bool
    """True if mpi4py uses any MPI library that the process has already loaded."""


def is_interpreter(name: str) -> bool:
    """Return whether a file's name is that of a Python interpreter."""
    return bool(_INTERPRETER.match(name))


def script_name(arguments: Sequence[str]) -> str:
    """Return the name of Python's program: `heat.py`, or the `-m` module. "" for `-c` and standard input."""
    words = iter(arguments)
    for word in words:
        if word == "-m":
            module = next(words, "")
            # `python -m mpi4py SCRIPT` runs the script.
            return (module == "mpi4py" and script_name(list(words))) or module
        if word in ("-c", "-"):
            return ""
        if word in _WITH_VALUE:
            next(words, "")
        elif not word.startswith("-"):
            return Path(word).name
    return ""


@cache
def mpi_of(interpreter: Path) -> PythonMpi:
    """Import mpi4py with an interpreter, in a separate process, and return the MPI library that it loads."""
    with progress.slow(f"asking {interpreter} for its MPI"):
        answer = identify.ask([str(interpreter), "-c", _QUERY], seconds=_LONGEST_IMPORT_SECONDS)
    said = re.search(r"^linkworth (\{.*\})$", answer or "", re.MULTILINE)
    if said is None:
        return PythonMpi(None, False)
    found = json.loads(said[1])
    return PythonMpi(Path(found["library"]).resolve() if found["library"] else None, found["free"])
