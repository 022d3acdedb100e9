"""Places in the program where the calls of a profile are made."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

import msgspec

from linkworth.model.profile import CallTotals, SiteProfile
from linkworth.model.trace import CallSite

_UNNAMED = "(anonymous namespace)::"


def located(calls: Sequence[CallTotals], known: Mapping[str, CallSite]) -> list[CallTotals]:
    """Return the calls, each with its sites, longest first; with function, file and line if the trace has them."""
    return [
        msgspec.structs.replace(
            call, sites=[_named(site, known) for site in sorted(call.sites, key=lambda site: -site.seconds)]
        )
        for call in calls
    ]


def place_of(site: SiteProfile) -> str:
    """Return the place of a call in a few words: file, line and function, or the address without debug data."""
    return place_at(site.site, site)


def place_at(address: str, known: CallSite | SiteProfile) -> str:
    """Return the same for an address, from what is known of it."""
    # Without a line, the file is an object that the program was linked of.
    line = f"{PurePath(known.file).name}:{known.line}" if known.line else ""
    return f"{line} {_short(known.function)}".strip() or PurePath(address).name


def _short(function: str) -> str:
    """Return a C++ function with its class, but without arguments, template arguments and result; others unchanged."""
    plain, depth = "", 0
    for letter in function.replace(_UNNAMED, ""):
        depth += letter == "<"
        if letter == "(" and depth == 0 and plain:
            break
        if depth == 0:
            plain += letter
        depth -= letter == ">"
    # Only a template is written with its result. Operators are written with a space, too.
    result, space, name = plain.rpartition(" ")
    return "::".join((name if space and "operator" not in result else plain).split("::")[-2:])


def _named(site: SiteProfile, known: Mapping[str, CallSite]) -> SiteProfile:
    place = known.get(site.site)
    if place is None:
        return site
    return msgspec.structs.replace(site, function=place.function, file=place.file, line=place.line)
