"""The part of a profile's screen that is about time: shares, waiting, efficiencies, calls."""

from pathlib import PurePath

from rich.markup import escape
from rich.table import Table

from linkworth.cli.units import seconds, volume
from linkworth.model.profile import CallProfile, Profile, SiteProfile, Waits

BAR = 30
_SHOWN_CALLS = 5


def compact(title: str) -> Table:
    """Return a table without lines, so that all of a profile fits on a screen."""
    return Table(title=title, title_justify="left", caption_justify="left", box=None, pad_edge=False)


def shares(profile: Profile) -> Table:
    """Return where the ranks' time goes."""
    table = compact("Where the ranks' time goes")
    table.show_header = False
    for name, share in (
        ("computation", profile.shares.compute),
        ("communication", profile.shares.communication),
        ("MPI_Init and MPI_Finalize", profile.shares.init),
    ):
        table.add_row(f"  {name}", f"{share:6.1%}", "#" * round(share * BAR))
    if profile.oversubscribed:
        table.caption = "With a core for each rank, which they did not have where it ran."
    return table


def waiting(waits: Waits, *, oversubscribed: bool) -> Table:
    """Return what the ranks waited for inside MPI calls."""
    table = compact(
        f"Waiting for other ranks: {seconds(waits.seconds)}, {waits.share:.1%} of the ranks' time"
    )
    table.show_header = False
    for name, kind, meaning in (
        ("late senders", waits.late_sender, "a receive was there before its message was sent"),
        ("late receivers", waits.late_receiver, "a send waited for its receive"),
        ("collectives", waits.collective, "not all whom it needs were there"),
    ):
        table.add_row(f"  {name}", seconds(kind.seconds), f"{kind.calls:,} calls", meaning)
    if waits.seconds > 0:
        culprit = max(range(len(waits.rank_caused_seconds)), key=waits.rank_caused_seconds.__getitem__)
        victim = max(range(len(waits.rank_waiting_seconds)), key=waits.rank_waiting_seconds.__getitem__)
        table.caption = (
            f"Most waited for: rank {culprit} ({seconds(waits.rank_caused_seconds[culprit])}); waited most: "
            f"rank {victim} ({seconds(waits.rank_waiting_seconds[victim])})."
        )
    if oversubscribed:
        table.caption = f"{table.caption or ''} As recorded: a rank without a core is late too.".strip()
    return table


def efficiencies(profile: Profile) -> Table:
    """Return the POP efficiencies with a sentence on each."""
    pop = profile.pop
    table = compact("Efficiency (POP)")
    table.show_header = False
    slowest = f" (rank {profile.imbalance.most_rank})" if profile.imbalance is not None else ""
    for name, value, meaning in (
        ("parallel", pop.parallel_efficiency, "part of the ranks' time that is computation: load balance x communication"),
        ("  load balance", pop.load_balance, f"a mean rank computes so long against the longest{slowest}"),
        ("  communication", pop.communication_efficiency, "part of the run that the longest rank computes; the rest is MPI"),
        ("    serialisation", pop.serialisation_efficiency, "what waiting for each other leaves, on an ideal network"),
        ("    transfer", pop.transfer_efficiency, "what latency and bandwidth leave of that, on the network where it ran"),
    ):  # fmt: skip
        table.add_row(f"  {name}", f"{value:6.1%}", meaning)
    return table


def calls(profile: Profile) -> Table:
    """Return the calls that took most time."""
    table = compact("Calls that cost most, over all ranks")
    table.add_column("  call")
    for heading in ("calls", "bytes", "time inside", "share", "a call", "of it waiting"):
        table.add_column(heading, justify="right")
    has_sites = any(call.sites for call in profile.calls)
    if has_sites:
        table.add_column("called most from")
    total = sum(call.seconds for call in profile.calls) or 1.0
    waited = {call.name: call.seconds for call in profile.waits.calls} if profile.waits is not None else {}
    for call in profile.calls[:_SHOWN_CALLS]:
        table.add_row(
            "  " + escape(call.name),
            f"{call.count:,}",
            volume(call.bytes),
            seconds(call.seconds),
            f"{call.seconds / total:.1%}",
            seconds(call.seconds / call.count),
            f"{waited[call.name] / call.seconds:.0%}" if call.name in waited and call.seconds > 0 else "",
            *([escape(_sites(call))] if has_sites else []),
        )
    if profile.oversubscribed:
        table.caption = "As recorded: the time inside calls includes waiting for a core."
    return table


def _sites(call: CallProfile) -> str:
    """Return the place that takes most of a call's time, with its share, and how many others there are."""
    if not call.sites:
        return ""
    most = call.sites[0]
    if len(call.sites) == 1:
        return _place(most)
    share = f"{most.seconds / call.seconds:.0%}, " if call.seconds > 0 else ""
    return f"{_place(most)} ({share}and {len(call.sites) - 1} more)"


def _place(site: SiteProfile) -> str:
    line = f"{PurePath(site.file).name}:{site.line}" if site.file else ""
    function = _short(site.function)
    return f"{function}, {line}" if function and line else function or line or PurePath(site.site).name


def _short(function: str) -> str:
    """Return a C++ function without arguments and template arguments, with the class that it is of; others as they are."""
    plain, depth = "", 0
    for letter in function:
        depth += letter == "<"
        if letter == "(" and depth == 0 and plain:
            break
        if depth == 0:
            plain += letter
        depth -= letter == ">"
    return "::".join(plain.split("::")[-2:])
