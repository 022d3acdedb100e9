"""Identifies the MPI of a library or a launcher by asking it. File names are not reliable."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from linkworth.model.mpi import MpiKind
from linkworth.mpi import elf
from linkworth.mpi.files import is_file, text_of

# MPI_Get_library_version may be called before MPI_Init (MPI 4.1, section 9.1.1). It runs in a separate
# process, since a foreign library may crash or change the process that loads it.
_QUERY = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW | os.RTLD_GLOBAL)
text, length = ctypes.create_string_buffer(65536), ctypes.c_int(0)
code = library.MPI_Get_library_version(text, ctypes.byref(length))
sys.stdout.write(text.value.decode(errors="replace"))
sys.stdout.flush()
os._exit(code)
"""

_LIBRARIES: list[tuple[MpiKind, re.Pattern[str]]] = [
    ("openmpi", re.compile(r"Open MPI v?(\d[\w.]*)")),
    ("cray", re.compile(r"CRAY MPICH version (\d[\w.]*)", re.IGNORECASE)),
    ("mvapich", re.compile(r"MVAPICH2?(?:-\w+)? Version\s*:?\s*(\d[\w.]*)")),
    ("intel", re.compile(r"Intel\(R\) MPI Library (\d[\w.]*)")),
    ("mpich", re.compile(r"MPICH Version\s*:?\s*(\d[\w.]*)")),
]
_LAUNCHERS: list[tuple[MpiKind, re.Pattern[str]]] = [
    ("openmpi", re.compile(r"\((?:Open MPI|OpenRTE)\) (\d[\w.]*)")),
    ("intel", re.compile(r"Intel\(R\) MPI Library.*?Version (\d[\w.]*)", re.DOTALL)),
    ("mpich", re.compile(r"HYDRA build details:\s*Version:\s*(\d[\w.]*)")),
]


class Identity(NamedTuple):
    """Identity that a library or launcher reports."""

    kind: MpiKind
    version: str
    line: str


class CompileLine(NamedTuple):
    """Command line of a compiler wrapper."""

    compiler: list[str]
    """Compiler under the wrapper, with a possible prefix such as ccache."""
    arguments: list[str]


def patience(seconds: float) -> float:
    """Return how long to wait for a tool that answers within `seconds` on an idle machine: longer on a busy one."""
    with contextlib.suppress(OSError):  # without /proc the load is not known
        return seconds * max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))
    return seconds


def query_environment() -> dict[str, str]:
    """Return the environment for querying a program, without the user's preloads, which must not answer."""
    return {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}


def ask(arguments: list[str], *, errors: bool = False, seconds: float = 20.0) -> str | None:
    """Run a short query. Return its output, and what it writes as an error if `errors`; None if it fails.

    Errors may precede the answer, for example those of a shell that lacks the user's locale. `seconds` are what it
    takes at most on an idle machine.
    """
    try:
        answer = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
            timeout=patience(seconds),
            env=query_environment(),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.decode(errors="replace") if answer.returncode == 0 else None


def library(path: Path) -> Identity | None:
    """Return the identity of a shared library, or None if it is no usable MPI library."""
    answer = ask([sys.executable, "-I", "-S", "-c", _QUERY, str(path)])
    return None if not answer or not answer.strip() else parse_library_version(answer)


def parse_library_version(text: str) -> Identity:
    """Return kind and version from the output of MPI_Get_library_version."""
    line = re.sub(r"\s+", " ", text.strip().splitlines()[0])
    for kind, pattern in _LIBRARIES:
        found = pattern.search(text)
        if found:
            return Identity(kind, found[1].rstrip("."), line)
    number = re.search(r"\d+(\.\d+)+", text)
    return Identity("other", number[0] if number else "0", line)


def shortly(version: str) -> str:
    """Return the first name and number of an MPI_Get_library_version, such as `Open MPI 4.1.4`."""
    return re.sub(
        r"(\s*version:?\s+v?|\s+v(?=\d))", " ", version.partition(",")[0], flags=re.IGNORECASE
    ).strip()


def launcher(path: Path) -> Identity | None:
    """Return the identity of a launcher (mpiexec, mpirun), or None if it reports none."""
    answer = ask([str(path), "--version"], errors=True)
    if not answer:
        return None
    for kind, pattern in _LAUNCHERS:
        found = pattern.search(answer)
        if found:
            return Identity(kind, found[1], answer.strip().splitlines()[0].strip())
    return None


def compile_line(wrapper: Path) -> CompileLine | None:
    """Return the command line of a compiler wrapper (`-show` is common to MPICH, Intel MPI and Open MPI)."""
    answer = ask([str(wrapper), "-show"])
    if not answer or not answer.strip():
        return None
    # Most wrappers do not quote the folders of an installation whose path has a space.
    prefix = str(wrapper.parent.parent)
    try:
        tokens = shlex.split(answer.strip().splitlines()[0].replace(prefix, "\0"))
    except ValueError:
        return None
    tokens = [token.replace("\0", prefix) for token in tokens]
    options = next((i for i, token in enumerate(tokens) if token.startswith("-")), len(tokens))
    return CompileLine(tokens[:options], tokens[options:]) if options else None


def linked_library(line: CompileLine) -> Path | None:
    """Find the MPI library in a wrapper's compile line. None if there is no shared one."""
    folders = [Path(token[2:]) for token in line.arguments if token.startswith("-L") and len(token) > 2]
    folders += [
        Path(part) for token in line.arguments if token.startswith("-Wl,") for part in token.split(",")[1:]
    ]
    folders += [
        Path("/usr/lib64"),
        Path("/usr/lib"),
        *Path("/usr/lib").glob("*-linux-gnu*"),
        Path("/usr/local/lib"),
    ]
    names = [token[2:] for token in line.arguments if token.startswith("-l")]
    for name in names:
        if name not in {"mpi", "mpich", "mpi_abi", "mpi_cray"} and not name.startswith(
            ("mpi_gnu", "mpi_intel")
        ):
            continue
        for folder in folders:
            candidate = folder / f"lib{name}.so"
            found = _behind_linker_script(candidate) if candidate.is_absolute() else None
            if found:
                return found
    for token in line.arguments:
        if (
            token.startswith("/")
            and re.match(r"lib(mpi|mpich)\.so", Path(token).name)
            and is_file(Path(token))
        ):
            return Path(token).resolve()
    return None


def _behind_linker_script(path: Path) -> Path | None:
    """Return the library that a `-l` option finds. In MPI wheels it is behind a linker script."""
    if not is_file(path) or elf.is_elf(path):
        return path.resolve() if is_file(path) else None
    for name in re.findall(r"[\w./+-]*lib[\w+-]+\.so[\w.]*", text_of(path)[:4096]):
        target = path.parent / str(name)
        if elf.is_elf(target):
            return target.resolve()
    return None
