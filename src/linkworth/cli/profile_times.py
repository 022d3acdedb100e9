"""Times in a profile's screen: shares, waiting, efficiencies, calls."""

from pathlib import PurePath

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from linkworth.cli.profile_detail import TWO_COLUMNS, Detail
from linkworth.cli.units import seconds, volume
from linkworth.model.call_profile import INIT
from linkworth.model.profile import CallProfile, Profile, SiteProfile, Waits

BAR = 10
_WIDEST = 160
"""Columns beyond which the places of calls are not spread out."""


def headline(text: str) -> Text:
    """Return the title of a part."""
    return Text(text, style="bold")


def compact() -> Table:
    """Return a table without lines and headings, so that all of a profile fits on a screen."""
    return Table(box=None, pad_edge=False, show_header=False, header_style="")


def bar(share: float) -> str:
    """Return a share as a bar of up to `BAR` letters."""
    return "#" * round(share * BAR)


def shares(profile: Profile) -> Group:
    """Return the division of the ranks' time between MPI_Init and MPI_Finalize, and initialisation separately.

    Ranks that shared cores get the shares of a replay with a core for each.
    """
    table = compact()
    title = "Time, with a core for each rank" if profile.oversubscribed else "Where the ranks' time goes"
    found = profile.run_shares
    for name, share in (("computation", found.compute), ("communication", found.communication)):
        table.add_row(f"  {name}", f"{share:6.1%}", bar(share))
    was_run = profile.rates is None
    beside = [Text(f"  + {seconds(profile.init_seconds)} a rank: MPI_Init, Finalize")] if was_run else []
    return Group(headline(title), table, *beside)


def waiting(waits: Waits, detail: Detail, *, oversubscribed: bool) -> Group:
    """Return the causes of waiting inside MPI calls."""
    recorded = " (recorded)" if oversubscribed else ""
    title = (
        f"Waiting for other ranks{recorded}: {seconds(waits.seconds)}, {waits.share:.1%} of the ranks' time"
        if detail.sentences
        else f"Waiting{recorded}: {seconds(waits.seconds)}, {waits.share:.0%} of time"
    )
    table = compact()
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    for name, kind, meaning in (
        ("late senders", waits.late_sender, "a receive was there before its message was sent"),
        ("late receivers", waits.late_receiver, "a send waited for its receive"),
        ("collectives", waits.collective, "not all whom it needs were there"),
    ):
        row = [f"  {name}", seconds(kind.seconds), f"{kind.calls:,} calls"]
        table.add_row(*row, *([meaning] if detail.sentences else []))
    return Group(headline(title), table)


def waited_most(waits: Waits, detail: Detail) -> Text:
    """Return the rank that the others waited for longest, and in the long form the rank that waited longest."""
    culprit = max(range(len(waits.rank_caused_seconds)), key=waits.rank_caused_seconds.__getitem__)
    text = f"Most waited for: rank {culprit} ({seconds(waits.rank_caused_seconds[culprit])})"
    if detail.sentences:
        victim = max(range(len(waits.rank_waiting_seconds)), key=waits.rank_waiting_seconds.__getitem__)
        text += f"; waited most: rank {victim} ({seconds(waits.rank_waiting_seconds[victim])})"
    return Text(text)


def efficiencies(profile: Profile, detail: Detail) -> Group:
    """Return the POP efficiencies; each is a sentence, in the long form with a second one."""
    pop = profile.pop
    longest = f"rank {profile.imbalance.most_rank}" if profile.imbalance is not None else "the longest"
    table = compact()

    def row(name: str, value: float | None, meaning: str, more: str) -> None:
        if value is None:
            table.add_row(f" {name}", "     –", "not known")
            return
        table.add_row(f" {name}", f"{value:6.1%}", f"{meaning}; {more}" if detail.sentences else meaning)

    row(
        "parallel",
        pop.parallel_efficiency,
        "of the ranks' time is computing",
        "load balance x communication",
    )
    row(" load balance", pop.load_balance, f"of {longest}'s work: a mean rank's", "who has less waits for it")
    row(
        " communication",
        pop.communication_efficiency,
        f"of the run {longest} computes",
        "the rest is MPI: serialisation x transfer",
    )
    row(
        "  serialisation",
        pop.serialisation_efficiency,
        "is left by waiting in turn",
        "also on a network that costs nothing",
    )
    row(
        "  transfer",
        pop.transfer_efficiency,
        "is left by latency, bandwidth",
        "of where it ran: what another network changes",
    )
    return Group(headline("Efficiency (POP)"), table)


def calls(profile: Profile, detail: Detail, width: int) -> Table:
    """Return the calls that took most time; their places are shown if the width allows.

    A program that was not run has no times of its own: the calls with most bytes are shown.
    """
    timed = profile.rates is None
    wide = width >= TWO_COLUMNS
    has_sites = any(call.sites for call in profile.calls)
    table = compact()
    table.show_header = True
    table.expand = has_sites and width < _WIDEST
    table.add_column("Costliest calls" if timed else "Calls by bytes", header_style="bold", no_wrap=True)
    for heading in (
        "calls",
        *(["bytes"] if wide or not timed else []),
        *(_headings(wide=wide) if timed else []),
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    if has_sites:
        table.add_column("most from", no_wrap=not detail.sentences, overflow="ellipsis", ratio=1)
    total = sum(call.seconds for call in profile.calls if call.name not in INIT) or 1.0
    waited = {call.name: call.seconds for call in profile.waits.calls} if profile.waits is not None else {}
    ranked = profile.calls if timed else sorted(profile.calls, key=lambda call: (-call.bytes, -call.count))
    for call in ranked[: detail.calls]:
        waiting = (
            f"{waited[call.name] / call.seconds:.0%}" if call.name in waited and call.seconds > 0 else ""
        )
        each = [seconds(call.seconds / call.count)] if wide else []
        # Initialisation is not communication, so it is not part of the time in calls either.
        share = "" if call.name in INIT else f"{call.seconds / total:.0%}"
        table.add_row(
            "  " + escape(call.name),
            f"{call.count:,}",
            *([volume(call.bytes)] if wide or not timed else []),
            *([seconds(call.seconds), share, *each, waiting] if timed else []),
            *([escape(_sites(call, detail))] if has_sites else []),
        )
    return table


def _headings(*, wide: bool) -> list[str]:
    return ["time", "share", "each", "waiting"] if wide else ["time", "share", "waiting"]


def _sites(call: CallProfile, detail: Detail) -> str:
    """Return the places that take most of a call's time, with their shares, and the number of others."""
    if not call.sites:
        return ""
    if len(call.sites) == 1:
        return _place(call.sites[0])
    places = [
        (f"{site.seconds / call.seconds:.0%} " if call.seconds > 0 else "") + _place(site)
        for site in call.sites[: detail.sites]
    ]
    others = len(call.sites) - len(places)
    return ", ".join(places) + (f" (+{others})" if others else "")


def _place(site: SiteProfile) -> str:
    line = f"{PurePath(site.file).name}:{site.line}" if site.file else ""
    function = _short(site.function)
    return f"{line} {function}".strip() or PurePath(site.site).name


def _short(function: str) -> str:
    """Return a C++ function with its class, but without arguments and template arguments; others unchanged."""
    plain, depth = "", 0
    for letter in function:
        depth += letter == "<"
        if letter == "(" and depth == 0 and plain:
            break
        if depth == 0:
            plain += letter
        depth -= letter == ">"
    return "::".join(plain.split("::")[-2:])
