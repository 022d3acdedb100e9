"""Times in a profile's screen: shares, waiting, efficiencies, calls."""

from rich.text import Text

from linkworth import units
from linkworth.cli.profile_detail import TWO_COLUMNS, Detail
from linkworth.cli.table import Table
from linkworth.model.call_profile import INIT
from linkworth.model.profile import CallTotals, Profile, Waits
from linkworth.profile.pop import DEFINITIONS, named
from linkworth.profile.where_called import place_of

_BAR = 10
_FACTOR_OF = {"parallel": 0, "load balance": 1, "communication": 1, "serialisation": 2, "transfer": 2}
"""Depth of each efficiency: one level is the product of the next."""


def bar(share: float) -> str:
    """Return a share as a bar."""
    return "#" * round(share * _BAR)


def shares(profile: Profile) -> Table:
    """Return the division of the ranks' time between MPI_Init and MPI_Finalize, and initialisation separately.

    Ranks that shared cores get the shares of a replay with a core for each.
    """
    found = profile.run_shares
    parts = (("  computation", found.compute), ("  communication", found.communication))
    return Table(
        ["", ">", ""],
        [[name, units.percent(share, 1), bar(share)] for name, share in parts],
        title="Share of the ranks' time",
        note=f"  + {units.duration(profile.init_seconds)} a rank: MPI_Init, Finalize"
        if profile.timed
        else "",
    )


def waiting(waits: Waits, detail: Detail) -> Table:
    """Return the causes of waiting inside MPI calls."""
    rows = [
        [
            f"  {name}",
            units.duration(kind.seconds),
            units.percent(waits.share * kind.seconds / waits.seconds if waits.seconds > 0 else 0.0, 1),
            *([units.plural(kind.calls, "call"), meaning] if detail.sentences else []),
        ]
        for name, kind, meaning in (
            ("late sender", waits.late_sender, "A receive starts before its message is sent."),
            ("late receiver", waits.late_receiver, "A send waits for its receive."),
            (
                "collective",
                waits.collective,
                "A collective waits for its last rank, its root or its senders.",
            ),
        )
    ]
    # Wall time: unlike the shares, it has the time without a core.
    return Table(["", ">", ">", ">", "~"][: len(rows[0])], rows, title="Waiting, share of the recorded time")


def waited_most(waits: Waits) -> Text:
    """Return the rank that caused most waiting, and the rank that waited longest."""

    def longest(seconds: list[float]) -> str:
        rank = max(range(len(seconds)), key=seconds.__getitem__)
        return f"rank {rank} ({units.duration(seconds[rank])})"

    return Text(
        f"Waiting caused most by {longest(waits.rank_caused_seconds)}, "
        f"suffered most by {longest(waits.rank_waiting_seconds)}"
    )


def efficiencies(profile: Profile, detail: Detail) -> Table:
    """Return the POP efficiencies with their definitions."""
    return Table(
        ["", ">", "~"],
        [
            [
                " " * (2 + _FACTOR_OF[name]) + name,
                "not known" if value is None else units.percent(value, 1),
                DEFINITIONS[name],
            ]
            for name, value in named(profile.pop).items()
        ],
        title="POP efficiencies",
        note="Computation: time of a rank outside MPI calls. Ideal time: of a replay on a network without latency, "
        "without overhead and of infinite bandwidth."
        if detail.sentences
        else "",
    )


def calls(profile: Profile, detail: Detail, width: int) -> Table:
    """Return the calls that took most time and their places.

    A program that was not run has no times of its own: the calls with most data are shown.
    """
    timed = profile.timed
    wide = width >= TWO_COLUMNS
    total = sum(call.seconds for call in profile.calls if call.name not in INIT) or 1.0
    waits = {call.name: call.seconds for call in profile.waits.calls} if profile.waits is not None else {}
    rows = []
    for call in profile.calls[: detail.calls]:
        waiting = call.name in waits and call.seconds > 0
        rows.append(
            [
                call.name,
                units.count(call.count),
                units.data(call.bytes) if wide or not timed else "",
                units.duration(call.seconds) if timed else "",
                # Initialisation is not communication, so it is not part of the time in calls either.
                units.percent(call.seconds / total) if timed and call.name not in INIT else "",
                units.duration(call.seconds / call.count) if timed and wide else "",
                units.percent(waits[call.name] / call.seconds) if timed and waiting else "",
                _sites(call, detail),
            ]
        )
    return Table(
        [
            f"MPI call, by {'time' if timed else 'data'}",
            "calls>",
            "data>",
            "time>",
            "share>",
            "per call>",
            "waiting>",
            "called from~",
        ],
        rows,
        note="Share: of the MPI time without initialisation. Waiting: of the call's time."
        if timed and not detail.brief
        else "",
    )


def _sites(call: CallTotals, detail: Detail) -> str:
    """Return the places that take most of a call's time, with their shares, and the number of others."""
    if not call.sites:
        return ""
    if len(call.sites) == 1:
        return place_of(call.sites[0])
    places = [
        (f"{units.percent(site.seconds / call.seconds)} " if call.seconds > 0 else "") + place_of(site)
        for site in call.sites[: detail.sites]
    ]
    others = len(call.sites) - len(places)
    return ("\n" if detail.sentences else ", ").join(places) + (f" (+{others})" if others else "")
