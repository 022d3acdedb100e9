"""Call sites of a program that was compiled for each rank count, as many are whose grid is a constant."""

from collections.abc import Mapping, Sequence


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
