"""Profile for a person: on one screen, or in full."""

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth import units
from linkworth.cli.profile_detail import FULL, SCREENS, TWO_COLUMNS, Detail
from linkworth.cli.profile_messages import matrix, matrix_key, messages, partner_sentences
from linkworth.cli.profile_phases import phases
from linkworth.cli.profile_times import calls, efficiencies, shares, waited_most, waiting
from linkworth.model.profile import CpuUse, Imbalance, NetworkGain, Profile
from linkworth.profile.remarks import remarks

_SHOWN_LOSSES = 3
_GAP = 2


def show(profile: Profile, console: Console, *, full: bool = False) -> None:
    """Print a profile: all of it, or as much as fits the console's width and height."""
    if full:
        console.print(_screen(profile, FULL, console))
        return
    room = console.height - 1  # one line for the shell's prompt
    for detail in SCREENS:
        shown = _screen(profile, detail, console)
        if len(console.render_lines(shown)) <= room:
            break
    console.print(shown)


def _screen(profile: Profile, detail: Detail, console: Console) -> RenderableType:
    """Return a profile's parts, most important first."""
    parts: list[RenderableType] = [
        *_head(profile),
        *_warnings(profile, detail),
        "",
        *_times(profile, detail, console),
    ]
    parts += ["", calls(profile, detail, console.width), *_structure(profile, detail)]
    return Group(*parts)


def _times(profile: Profile, detail: Detail, console: Console) -> list[RenderableType]:
    left: list[RenderableType] = [shares(profile)]
    if profile.waits is not None and profile.ranks > 1:
        left.append(waiting(profile.waits, detail))
    right: list[RenderableType] = [efficiencies(profile, detail)]
    if profile.imbalance is not None and profile.ranks > 1:
        right.append(_imbalance(profile.imbalance))
    if profile.waits is not None and profile.waits.seconds > 0:
        right.append(waited_most(profile.waits))
    if profile.cpu is not None:
        right.append(Text(_cpu(profile.cpu)))
    if detail.beside and console.width >= TWO_COLUMNS:
        return [_side_by_side(Group(*left), Group(*right))]
    if detail.beside and sum(console.measure(part).maximum for part in left) + _GAP <= console.width:
        left = [_side_by_side(*left)]
    return (
        [*left, "", *right]
        if not detail.sentences
        else [part for each in left + right for part in (each, "")][:-1]
    )


def _structure(profile: Profile, detail: Detail) -> list[RenderableType]:
    drawn = matrix(profile.matrix, detail) if profile.messages and detail.matrix_rows else None
    left: list[RenderableType] = []
    if profile.phases is not None:
        left.append(phases(profile.phases, detail))
    left.append(messages(profile, detail))
    words = (
        [partner_sentences(profile.partners, profile, detail)]
        if profile.messages and profile.partners is not None
        else []
    )
    if drawn is None:
        return ["", *left, *map(Text, words)]
    words.append(matrix_key(profile.matrix, detail))
    if detail.beside:
        return [_side_by_side(Group("", *left), drawn), Text(" ".join(words))]
    return [part for each in (*left, drawn, Text(" ".join(words))) for part in ("", each)]


def _side_by_side(*parts: RenderableType) -> Table:
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
    grid.add_row(*parts)
    return grid


def _head(profile: Profile) -> list[RenderableType]:
    verified = {True: ", verified", False: ", FAILED its verification", None: ""}[profile.verified]
    where = "where it ran" if profile.timed else "in one node's memory; not timed"
    ranks = f"{profile.ranks:,} rank{'s' if profile.ranks != 1 else ''}"
    return [
        Text(f"{profile.workload}: {ranks}, {units.duration(profile.elapsed_seconds)} {where}{verified}"),
        *([Text(_gain(profile.gain))] if profile.gain is not None else []),
        Text(f"Group of network dependence: {profile.group or 'not known'} ({profile.group_reason})"),
    ]


def _gain(gain: NetworkGain) -> str:
    """Return the effect of networks on this run."""
    if gain.ideal_seconds <= 0:
        return "This run: nothing but communication"
    most = units.significant(gain.seconds / gain.ideal_seconds)
    if most == "1.00":
        return f"This run: as fast on {gain.fabric} as on an ideal network (one rank per node)"
    return f"This run: up to {most} x as fast as on {gain.fabric} (ideal network, one rank per node)"


def _cpu(cpu: CpuUse) -> str:
    least, most = f"{cpu.least_cores:.2f}", f"{cpu.most_cores:.2f}"
    return f"CPU time / elapsed time of a rank: {cpu.cores_per_rank:.2f} ({units.interval(least, most)})"


def _imbalance(spread: Imbalance) -> Text:
    least = f"{units.duration(spread.least_seconds)} (rank {spread.least_rank})"
    most = f"{units.duration(spread.most_seconds)} (rank {spread.most_rank})"
    return Text(f"Computation of a rank: {least} to {most}, mean {units.duration(spread.mean_seconds)}")


def _warnings(profile: Profile, detail: Detail) -> list[RenderableType]:
    warnings = []
    if profile.failure:
        warnings.append(profile.failure)
    if profile.oversubscribed:
        waited = (
            f", beside {units.duration(profile.descheduled_seconds)} of waiting for one between calls"
            if detail.sentences
            else ""
        )
        warnings.append(
            "more ranks than cores: time and efficiency are as with a core for each rank"
            if detail.brief
            else "more ranks than cores where it ran: time and efficiency are as with a core for each rank (CPU time, and a "
            f"replay in shared memory{waited}); all else is as recorded, with the waiting for a core"
        )
    warnings += remarks(profile, " (all: --whole)")
    if profile.rates is not None and profile.rates.warning:
        warnings.append(profile.rates.warning)
    if profile.scaling is not None:
        warnings += profile.scaling.warnings()
    losses = [loss for loss in profile.damage if not any(loss in warning for warning in warnings)]
    most = len(losses) if detail.sentences else _SHOWN_LOSSES
    warnings += losses[:most]
    if len(losses) > most:
        warnings.append(f"and {len(losses) - most} more such losses (--full)")
    return [Text(f"! {warning}") for warning in warnings]
