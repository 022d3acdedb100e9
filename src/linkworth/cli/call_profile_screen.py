"""A profile of a run's MPI calls on one screen."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.cli.units import seconds, size, volume
from linkworth.model.call_profile import INIT, CallProfile, RankTotal

_SHOWN_CALLS = 10
_SHOWN_RANKS = 8
_BAR = 30


def screen(profile: CallProfile) -> RenderableType:
    """Return shares, calls, sizes and ranks, most important first."""
    parts: list[RenderableType] = [_shares(profile), "", _calls(profile)]
    if profile.sizes:
        parts += ["", _sizes(profile)]
    if profile.half_timed_calls:
        parts += ["", Text(_half_timed(profile))]
    parts += ["", _ranks(profile)]
    if profile.damage:
        parts += ["", *(Text(f"! {sentence}") for sentence in profile.damage)]
    return Group(*parts)


def _shares(profile: CallProfile) -> Table:
    table = Table(title="Where the ranks' time goes", title_justify="left", show_header=False)
    table.caption_justify = "left"
    for name, share in (
        ("computation", profile.computation_share),
        ("MPI calls", profile.mpi_share),
    ):
        table.add_row(name, f"{share:6.1%}", "#" * round(share * _BAR))
    table.caption = f"beside them {seconds(profile.init_seconds)} a rank in MPI_Init and MPI_Finalize"
    return table


def _calls(profile: CallProfile) -> Table:
    table = Table(title="Calls that take most time", title_justify="left")
    table.add_column("call")
    for head in ("calls", "time, all ranks", "share", "a call", "sent", "least / most of a rank"):
        table.add_column(head, justify="right")
    for call in profile.calls[:_SHOWN_CALLS]:
        # Some calls only look something up: reading the clock would take longer than the call.
        timed = call.seconds > 0
        table.add_row(
            call.name,
            f"{call.calls}",
            seconds(call.seconds) if timed else "not timed",
            f"{call.share:.1%}" if timed and call.name not in INIT else "",
            seconds(call.seconds / call.calls) if timed else "",
            volume(call.bytes_sent) if call.bytes_sent else "",
            f"{seconds(call.least_seconds)} / {seconds(call.most_seconds)} (rank {call.most_rank})"
            if timed
            else "",
        )
    rest = len(profile.calls) - _SHOWN_CALLS
    if rest > 0:
        table.caption = f"and {rest} more, in --json"
    return table


def _half_timed(profile: CallProfile) -> str:
    calls = sum(call.calls for call in profile.calls)
    widest = max(profile.calls, key=lambda call: call.error_seconds)
    return (
        f"Of {profile.half_timed_calls / calls:.1%} of the calls, short ones in a row, only the end was timed. How the time "
        f"since the call before divides was looked at for one in 16.5 of such calls; for that, at most "
        f"{seconds(profile.error_seconds)} of the time may be in the wrong place ({seconds(widest.error_seconds)} of it "
        f"{widest.name}, which took {seconds(widest.seconds_at_least)} to {seconds(widest.seconds_at_most)} whatever the "
        "others were like). --time-every-call times all."
    )


def _sizes(profile: CallProfile) -> Table:
    table = Table(title="Sizes of what is sent", title_justify="left")
    for head in ("from", "below", "calls", "bytes"):
        table.add_column(head, justify="right")
    for item in profile.sizes:
        table.add_row(
            size(item.least_bytes), size(item.most_bytes + 1), f"{item.calls}", volume(item.bytes_sent)
        )
    return table


def _ranks(profile: CallProfile) -> Table:
    table = Table(
        title=f"Ranks (computation of the busiest: {profile.imbalance:.1%} above the mean)",
        title_justify="left",
    )
    table.add_column("rank", justify="right")
    for head in ("elapsed", "computation", "MPI calls", "calls", "sent", "CPU use"):
        table.add_column(head, justify="right")
    ranked = sorted(profile.ranks, key=lambda rank: -rank.computation_seconds)
    shown = ranked
    if len(ranked) > _SHOWN_RANKS:
        shown = ranked[: _SHOWN_RANKS // 2] + ranked[-_SHOWN_RANKS // 2 :]
        table.caption = f"the {_SHOWN_RANKS // 2} with most and with least computation of {len(ranked)}"
    for rank in shown:
        table.add_row(
            f"{rank.rank}",
            seconds(rank.elapsed_seconds),
            seconds(rank.computation_seconds),
            seconds(rank.mpi_seconds),
            f"{rank.calls}",
            volume(rank.bytes_sent),
            _use(rank),
        )
    return table


def _use(rank: RankTotal) -> str:
    if rank.cpu_seconds is None or rank.elapsed_seconds <= 0:
        return ""
    return f"{rank.cpu_seconds / rank.elapsed_seconds:.0%}"
