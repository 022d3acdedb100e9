"""A profile of a run's MPI calls on one screen."""

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth import units
from linkworth.cli.table import Table
from linkworth.model.call_profile import INIT, CallProfile, RankTotal

_SHOWN_CALLS = 10
_SHOWN_RANKS = 8
_BAR = 30


def screen(profile: CallProfile) -> RenderableType:
    """Return shares, calls, sizes and ranks, most important first."""
    parts: list[RenderableType] = [_shares(profile), "", _calls(profile)]
    if profile.sizes:
        parts += ["", _sizes(profile)]
    parts += ["", _ranks(profile)]
    if warnings := [*profile.remarks, *profile.damage]:
        parts += ["", *(Text(f"! {sentence}") for sentence in warnings)]
    return Group(*parts)


def _shares(profile: CallProfile) -> Table:
    return Table(
        ["", ">", ""],
        [
            [name, units.percent(share, 1), "#" * round(share * _BAR)]
            for name, share in (("computation", profile.computation_share), ("MPI calls", profile.mpi_share))
        ],
        title="Share of the ranks' time between MPI_Init and MPI_Finalize",
        note=f"MPI_Init and MPI_Finalize: {units.duration(profile.init_seconds)} per rank.",
    )


def _calls(profile: CallProfile) -> Table:
    rows = []
    for call in profile.calls:
        # Some calls only look something up: reading the clock would take longer than the call.
        timed = call.seconds > 0
        rows.append(
            [
                call.name,
                units.count(call.calls),
                units.duration(call.seconds) if timed else "not timed",
                units.percent(call.share, 1) if timed and call.name not in INIT else "",
                units.duration(call.seconds / call.calls) if timed else "",
                units.data(call.bytes_sent) if call.bytes_sent else "",
                *(
                    (
                        units.duration(call.least_seconds),
                        units.duration(call.most_seconds),
                        str(call.most_rank),
                    )
                    if timed
                    else ("", "", "")
                ),
            ]
        )
    return Table(
        ["call", "calls>", "time>", "share>", "time per call>", "data sent>", "least>", "most>", "on rank>"],
        rows,
        title="Calls that take most time",
        note="Time: sum over ranks. Share: of the ranks' time between MPI_Init and MPI_Finalize. "
        "Least, most: time of one rank.",
        most_rows=_SHOWN_CALLS,
    )


def _sizes(profile: CallProfile) -> Table:
    return Table(
        ["from>", "below>", "calls>", "data sent>"],
        [
            [
                units.message_size(item.least_bytes),
                units.message_size(item.most_bytes + 1),
                units.count(item.calls),
                units.data(item.bytes_sent),
            ]
            for item in profile.sizes
        ],
        title="Sizes of what is sent",
    )


def _ranks(profile: CallProfile) -> Table:
    ranked = sorted(profile.ranks, key=lambda rank: -rank.computation_seconds)
    note = f"Computation: the most is {units.percent(profile.imbalance, 1)} above the mean."
    if len(ranked) > _SHOWN_RANKS:
        note += f" Shown: the {_SHOWN_RANKS // 2} ranks with most and with least of {len(ranked)}."
        ranked = ranked[: _SHOWN_RANKS // 2] + ranked[-_SHOWN_RANKS // 2 :]
    return Table(
        ["rank>", "elapsed>", "computation>", "MPI calls>", "calls>", "data sent>", "CPU use>"],
        [
            [
                str(rank.rank),
                units.duration(rank.elapsed_seconds),
                units.duration(rank.computation_seconds),
                units.duration(rank.mpi_seconds),
                units.count(rank.calls),
                units.data(rank.bytes_sent),
                _use(rank),
            ]
            for rank in ranked
        ],
        title="Ranks",
        note=f"{note} CPU use: CPU time / elapsed time.",
    )


def _use(rank: RankTotal) -> str:
    if rank.cpu_seconds is None or rank.elapsed_seconds <= 0:
        return ""
    return units.percent(rank.cpu_seconds / rank.elapsed_seconds)
