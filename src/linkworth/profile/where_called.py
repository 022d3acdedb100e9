"""Places in the program where the calls of a profile are made."""

from collections.abc import Mapping, Sequence

import msgspec

from linkworth.model.profile import CallTotals, SiteProfile
from linkworth.model.trace import CallSite


def located(calls: Sequence[CallTotals], known: Mapping[str, CallSite]) -> list[CallTotals]:
    """Return the calls, each with its sites, longest first; with function, file and line if the trace has them."""
    return [
        msgspec.structs.replace(
            call, sites=[_named(site, known) for site in sorted(call.sites, key=lambda site: -site.seconds)]
        )
        for call in calls
    ]


def _named(site: SiteProfile, known: Mapping[str, CallSite]) -> SiteProfile:
    place = known.get(site.site)
    if place is None:
        return site
    return msgspec.structs.replace(site, function=place.function, file=place.file, line=place.line)
