"""Call sites of a program that was compiled for each rank count, as many are whose grid is a constant."""

from collections import defaultdict
from collections.abc import Mapping, Sequence


def like_the_last(entries: Sequence[Sequence[str]]) -> list[Mapping[str, str]]:
    """Return the names of entries of the last recording by those of each recording, where another file contains the site.

    Constants change the addresses of a program, but not the order of its calls. So the sites of two files correspond if
    as many calls of the same names are in the same order.
    """
    files = [_by_file(of) for of in entries]
    names: list[Mapping[str, str]] = []
    for own in files:
        others = [sites for file, sites in files[-1].items() if file not in own]
        known: dict[str, str] = {}
        for file, sites in own.items():
            alike = [] if file in files[-1] else [other for other in others if _calls(other) == _calls(sites)]
            if len(alike) == 1:
                known |= zip(sites, alike[0], strict=True)
        names.append(known)
    return names


def _by_file(entries: Sequence[str]) -> dict[str, list[str]]:
    """Return the entries of each file, in the order of their addresses."""
    found: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for entry in entries:
        file, plus, address = entry.partition("@")[2].rpartition("+0x")
        if plus:
            found[file].append((int(address, 16), entry))
    return {file: [entry for _, entry in sorted(sites)] for file, sites in found.items()}


def _calls(sites: Sequence[str]) -> list[str]:
    return [site.partition("@")[0] for site in sites]
