"""Call sites of a recorded run: the function, file and line of each, found by binutils' addr2line where it ran."""

import contextlib
import os
import shutil
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from linkworth._engine import TraceError, part_info
from linkworth.model.trace import CallSite
from linkworth.mpi import elf

LONGEST_SECONDS = 60.0
"""Time limit for one file's addresses: reading large debug data is slow."""


def of_parts(parts: Iterable[Path]) -> list[str]:
    """Return the call sites that ranks wrote into their tables of names, `MODULE+0xADDRESS`, each once."""
    found: dict[str, None] = {}
    for part in parts:
        # The merge reports a damaged one by name.
        with contextlib.suppress(TraceError):
            found |= dict.fromkeys(part_info(str(part))["call_sites"])
    return list(found)


def resolve(sites: Iterable[str]) -> dict[str, CallSite]:
    """Return function, file and line of each call site, without the unknown ones."""
    tool = shutil.which("addr2line")
    by_module: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for site in sites:
        module, plus, address = site.rpartition("+0x")
        try:
            by_module[module if plus else site].append((site, int(address, 16)))
        except ValueError:
            continue
    found = {}
    for module, addresses in by_module.items():
        if tool is not None and os.path.isfile(module):  # noqa: PTH113 (damage may make what cannot be a name)
            # The return address may be another line's: the call itself is before it.
            calls = [address - 1 for _, address in addresses]
            places = _without_guesses(Path(module), calls, _ask(tool, module, calls))
            found.update({site: place for (site, _), place in zip(addresses, places, strict=False) if place})
    return found


def _ask(tool: str, module: str, addresses: Sequence[int]) -> list[CallSite | None]:
    try:
        done = subprocess.run(
            [tool, "-f", "-C", "-e", module],
            input="".join(f"{address:#x}\n" for address in addresses),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.splitlines()
    return [_place(function, where) for function, where in zip(lines[::2], lines[1::2], strict=False)]


def _without_guesses(
    module: Path, addresses: Sequence[int], places: Sequence[CallSite | None]
) -> list[CallSite | None]:
    """Return the places without functions that end before their address.

    In a stripped file addr2line knows the public functions only. It names the last that begins before an address.
    """
    if all(place is None or place.file for place in places):
        return list(places)
    try:
        functions = elf.functions(module)
    except (OSError, elf.ElfError):
        return list(places)
    starts = [start for start, _ in functions]
    # One function may contain another.
    ends = list(accumulate((end for _, end in functions), max, initial=0))
    return [
        place if place is None or place.file or address < ends[bisect_right(starts, address)] else None
        for address, place in zip(addresses, places, strict=False)
    ]


def _place(function: str, where: str) -> CallSite | None:
    file, _, line = where.partition(" (")[0].rpartition(":")
    place = CallSite(
        function="" if function == "??" else function,
        file="" if file == "??" else file,
        line=int(line) if line.isdecimal() else 0,
    )
    return place if place.function or place.file else None
