"""Finds the program behind a command that becomes the MPI ranks: env, taskset, a shell, a script, Python."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from linkworth.mpi import elf, linkage, python_program
from linkworth.mpi.files import is_file
from linkworth.mpi.linkage import Linkage

_PREFIXES = frozenset(
    ("catchsegv", "chrt", "env", "hwloc-bind", "ionice", "likwid-pin", "ltrace", "nice", "nohup", "numactl", "setarch",
     "setsid", "stdbuf", "strace", "taskset", "time", "timeout", "unbuffer", "valgrind")
)  # fmt: skip
"""Commands that start the program after their own options."""
_SHELLS = frozenset(("sh", "bash", "dash", "ksh", "mksh", "zsh", "ash"))
_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)=(.*)$", re.DOTALL)
_SEPARATORS = re.compile(r"""[\s;|&()<>'"`]+""")
_ARGUMENTS = re.compile(r"\$(?:[@*1-9]|\{[@*1-9])")
_IN_FOLDER = re.compile(r"^(?:\$\{?\w+\}?)?/(.+)$")
_MOST_SCRIPT_BYTES = 1 << 16
_MOST_WORDS = 400
_DEEPEST = 3
"""Depth to which scripts that start scripts are followed."""


class RankProgram(NamedTuple):
    """Program that becomes the ranks."""

    program: Path | None
    """File that calls MPI. If none is known to call it, the first file of the command, if any."""
    link: Linkage
    free: bool = False
    """True for a program that uses any MPI library already loaded, such as mpi4py from PyPI."""
    in_script: bool = False
    """True if a script names it. The script may set LD_LIBRARY_PATH and load modules before."""
    others: tuple[Linkage, ...] = ()
    """Other MPI libraries, linked with programs that the same script names."""

    @property
    def calls_mpi(self) -> bool:
        """True if its MPI library is known."""
        return self.link.library is not None or bool(self.link.missing) or self.free


_UNKNOWN = Linkage(None, "", True)
NO_TARGET = RankProgram(None, _UNKNOWN)


def name_of(words: Sequence[str]) -> str:
    """Return a name for a command: its program's name, or the script's for Python and shells."""
    name = Path(words[0]).name
    if python_program.is_interpreter(name):
        return python_program.script_name(words[1:]) or name
    if name in _PREFIXES:
        behind = next((at for at in _program_words(words) if shutil.which(words[at])), None)
        return name if behind is None else name_of(words[behind:])
    if name in _SHELLS and len(words) > 1 and is_file(Path(words[1])):
        return Path(words[1]).name
    return name


def of_command(words: Sequence[str]) -> RankProgram:
    """Return the program behind a command. No part of the command is run, except Python to import mpi4py."""
    return _of_words(list(words), {}, 0) or NO_TARGET


def _of_words(words: Sequence[str], variables: Mapping[str, str], depth: int) -> RankProgram | None:
    """Return the target of a command line, or None if its first word is no program."""
    file = shutil.which(words[0]) if words and words[0] else None
    if file is None:
        return None
    name, path = Path(words[0]).name, Path(file).absolute()
    if python_program.is_interpreter(name):
        return _of_python(path)
    if name in _SHELLS:
        return _of_shell(path, words[1:], variables, depth)
    if elf.is_elf(path):
        own = RankProgram(path, linkage.of_program(path, variables))
        return own if own.calls_mpi else _behind(words, variables, depth) or own
    interpreter = _interpreter(path)
    if interpreter and python_program.is_interpreter(Path(interpreter[-1]).name):
        found = shutil.which(interpreter[-1])
        return _of_python(Path(found)) if found else RankProgram(path, _UNKNOWN)
    return _of_script(path, words[1:], variables, depth)


def _of_python(interpreter: Path) -> RankProgram:
    mpi = python_program.mpi_of(interpreter)
    return RankProgram(interpreter, Linkage(mpi.library, "", True), mpi.free)


def _program_words(words: Sequence[str]) -> Iterator[int]:
    """Yield the indices at which a program may be named after the first word and its options."""
    for at, word in enumerate(words[1:], 1):
        if not (word.startswith("-") or word.isdecimal() or _ASSIGNMENT.match(word)):
            yield at


def _behind(words: Sequence[str], variables: Mapping[str, str], depth: int) -> RankProgram | None:
    """Return the first program with MPI after the first word, or None if there is none."""
    assigned = [match for word in words if (match := _ASSIGNMENT.match(word))]
    known = {**variables, **{match[1]: match[2] for match in assigned}}
    if depth >= _DEEPEST:
        return None
    found = (_of_words(words[at:], known, depth + 1) for at in _program_words(words))
    return next((target for target in found if target and target.calls_mpi), None)


def _of_shell(shell: Path, arguments: Sequence[str], variables: Mapping[str, str], depth: int) -> RankProgram:
    """Return the target of `bash -c TEXT` or `bash FILE`."""
    commands = False
    for at, word in enumerate(arguments):
        behind = arguments[at + 1 :]
        if word.startswith("-"):
            commands = commands or bool(re.match(r"^-[a-z]*c$", word))
        elif commands:
            # The word after the text is $0.
            return _chosen(_in_text(word, behind[1:], Path.cwd(), variables, depth)) or RankProgram(
                shell, _UNKNOWN
            )
        elif is_file(Path(word)):
            return _of_script(Path(word).absolute(), behind, variables, depth)
    return RankProgram(shell, _UNKNOWN)


def text_of(script: Path) -> str:
    """Return the beginning of a script, "" if it cannot be read or is no text."""
    try:
        with script.open("rb") as file:
            text = file.read(_MOST_SCRIPT_BYTES).decode(errors="replace")
    except OSError:
        return ""
    return "" if "\0" in text else text


def _of_script(
    script: Path, arguments: Sequence[str], variables: Mapping[str, str], depth: int
) -> RankProgram:
    unknown = RankProgram(script, _UNKNOWN)
    text = text_of(script) if depth < _DEEPEST else ""
    return _chosen(_in_text(text, arguments, script.parent, variables, depth)) or unknown


def _in_text(
    text: str, arguments: Sequence[str], folder: Path, variables: Mapping[str, str], depth: int
) -> list[RankProgram]:
    """Return the programs with MPI in shell commands, in order."""
    known = dict(variables)
    folders = [Path.cwd(), folder]
    found: list[RankProgram | None] = []
    seen: set[str] = set()
    for line in text.splitlines():
        words = [word for word in _SEPARATORS.split(line) if word]
        if not words or words[0].startswith("#"):
            continue
        for at, given in enumerate(words):
            word = given
            if assigned := _ASSIGNMENT.match(given):
                word = known[assigned[1]] = os.path.expandvars(assigned[2])
            if at and words[at - 1] == "cd":
                folders.append(Path.cwd() / os.path.expandvars(word))
            for file in _files(word, folders):
                if file not in seen and len(seen) < _MOST_WORDS:
                    seen.add(file)
                    found.append(_of_words([file, *words[at + 1 :]], known, depth + 1))
        if arguments and _ARGUMENTS.search(line):
            found.append(_behind(["", *arguments], known, depth))
    return [target for target in found if target and target.calls_mpi]


def _files(word: str, folders: Sequence[Path]) -> list[str]:
    """Return the programs that a word of a script may mean."""
    if word.startswith("-"):
        return []
    plain = os.path.expandvars(word)
    if "$" not in plain and shutil.which(plain):
        return [plain]
    inside = _IN_FOLDER.match(word)
    relative = inside[1] if inside else word
    if "/" not in word or "$" in relative:
        return []
    return [str(folder / relative) for folder in folders if shutil.which(str(folder / relative))]


def _chosen(found: Sequence[RankProgram]) -> RankProgram | None:
    """Return the target that decides for all. A linked MPI has priority over a program that takes any MPI."""
    if not found:
        return None
    first = min(found, key=lambda target: target.free)
    others = {target.link for target in found if target.link != first.link and not target.free}
    free = any(target.free for target in found)
    return first._replace(free=free, in_script=True, others=tuple(others))


def _interpreter(script: Path) -> list[str]:
    """Return the words of a script's first line after `#!`."""
    try:
        with script.open("rb") as file:
            first = file.readline(256)
    except OSError:
        return []
    return first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
