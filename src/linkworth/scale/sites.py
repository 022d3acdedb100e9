"""Call sites of programs that are copied or compiled for each rank count, and their names."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath

from linkworth.model.trace import CallSite
from linkworth.profile.where_called import place_at

_REPEATED = re.compile(r"(\w+ at [^,]+)(, \1)+\b")
_ENTRY = re.compile(r"(\w+)@([^@,]*?\+0x[0-9a-f]+)")
"""Call and site in the table of names; file names with a comma or @ stay as they are."""


def common_names(entries: Sequence[Sequence[str]]) -> list[Mapping[str, str]]:
    """Return other names of each recording's entries, so that the same calls have the same name in all."""
    moved = _as_in_the_last(entries)
    now = [[names.get(entry, entry) for entry in of] for names, of in zip(moved, entries, strict=True)]
    own = without_own_files(now)
    return [
        {
            entry: names.get(new, new)
            for entry, new in zip(of, to, strict=True)
            if names.get(new, new) != entry
        }
        for names, of, to in zip(own, entries, now, strict=True)
    ]


def _as_in_the_last(entries: Sequence[Sequence[str]]) -> Sequence[Mapping[str, str]]:
    """Return other names of each recording's entries: those in copies of a file, as in that of the last recording.

    A program may be copied into a folder for each run. Copies have their calls at the same addresses, which few files that
    are compiled for each count do. So the sites of each recording must contain those of all with fewer.
    """
    renamed: list[dict[str, str]] = [{} for _ in entries]
    files = [{_file_of(entry) for entry in of} - {""} for of in entries]
    for last in files[-1]:
        of_name = [[file for file in of if PurePath(file).name == PurePath(last).name] for of in files]
        if any(len(of) != 1 for of in of_name):
            continue
        to = [
            {entry: entry.replace(f"@{file}+", f"@{last}+", 1) for entry in of if _file_of(entry) == file}
            for (file,), of in zip(of_name, entries, strict=True)
        ]
        if all(one <= other for one, other in pairwise(sorted((set(each.values()) for each in to), key=len))):
            for names, each in zip(renamed, to, strict=True):
                names |= each
    return renamed


def without_own_files(entries: Sequence[Sequence[str]]) -> list[Mapping[str, str]]:
    """Return other names of each recording's entries: those at sites in files that not all recordings have, without the site.

    Constants change the addresses of a program, and at times their order. Nothing is renamed if a recording has no such
    file, as where only some call MPI from a library.
    """
    files = [{_file_of(entry) for entry in of} - {""} for of in entries]
    common = files[0].intersection(*files)
    own = [of - common for of in files]
    if not all(own):
        return [{} for _ in entries]
    return [
        {entry: entry.partition("@")[0] for entry in of if _file_of(entry) in its}
        for of, its in zip(entries, own, strict=True)
    ]


def _file_of(entry: str) -> str:
    """Return the file that contains a call site; of an entry without one, nothing."""
    return entry.partition("@")[2].rpartition("+0x")[0]


def readable(text: str, known: Mapping[str, CallSite]) -> str:
    """Return a sentence with each entry's address replaced by file, line and function, as far as they are known."""
    named = _ENTRY.sub(
        lambda entry: f"{entry[1]} at {place_at(entry[2], known.get(entry[2], CallSite()))}", text
    )
    return _REPEATED.sub(r"\1", named)  # several calls in one function, without lines
