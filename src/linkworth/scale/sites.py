"""Call sites of programs that are compiled for each rank count, as those with a constant grid are, and their names."""

import re
from collections.abc import Mapping, Sequence

from linkworth.model.trace import CallSite
from linkworth.profile.where_called import place_at

_REPEATED = re.compile(r"(\w+ at [^,]+)(, \1)+\b")
_ENTRY = re.compile(r"(\w+)@([^@,]*?\+0x[0-9a-f]+)")
"""Call and site in the table of names; file names with a comma or @ stay as they are."""


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
