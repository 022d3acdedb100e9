"""A profile on one screen for a person."""

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth.cli.profile_messages import messages, who_talks_to_whom
from linkworth.cli.profile_phases import phases
from linkworth.cli.profile_times import calls, efficiencies, shares, waiting
from linkworth.cli.units import seconds
from linkworth.model.profile import CpuUse, Imbalance, Profile

_SHOWN_SENTENCES = 5


def screen(profile: Profile) -> RenderableType:
    """Return everything about a profile, most important first."""
    parts: list[RenderableType] = [*_head(profile), "", shares(profile)]
    if profile.waits is not None:
        parts += ["", waiting(profile.waits, oversubscribed=profile.oversubscribed)]
    parts += ["", efficiencies(profile), "", calls(profile)]
    if profile.phases is not None:
        parts += ["", phases(profile.phases)]
    if profile.imbalance is not None:
        parts += ["", _imbalance(profile.imbalance)]
    parts += ["", messages(profile), "", who_talks_to_whom(profile)]
    warnings = _warnings(profile)
    if warnings:
        parts += ["", *(Text(f"! {warning}") for warning in warnings)]
    return Group(*parts)


def _head(profile: Profile) -> list[RenderableType]:
    verified = {True: ", verified", False: ", FAILED its verification", None: ""}[profile.verified]
    where = "where it ran" if profile.rates is None else "in one node's memory; not run"
    lines = [
        Text(
            f"{profile.workload}: {profile.ranks} ranks, {seconds(profile.elapsed_seconds)} {where}{verified}"
        ),
        Text(f"Network dependence: {profile.group} ({profile.group_reason})"),
    ]
    if profile.cpu is not None:
        lines.append(Text(f"CPU: {_cpu(profile.cpu)}"))
    return [*lines]


def _cpu(cpu: CpuUse) -> str:
    spread = (
        f" ({cpu.least_cores:.2f} to {cpu.most_cores:.2f})" if cpu.most_cores - cpu.least_cores > 0.01 else ""
    )
    meaning = (
        "its threads compute too"
        if cpu.cores_per_rank > 1.1
        else "computing, or polling inside MPI"
        if cpu.cores_per_rank > 0.9
        else "the rest it waited for a core, a device or the network"
    )
    return f"a rank's process kept {cpu.cores_per_rank:.2f} cores busy{spread}: {meaning}"


def _imbalance(spread: Imbalance) -> Text:
    lost = 1 - spread.mean_seconds / spread.most_seconds if spread.most_seconds > 0 else 0.0
    return Text(
        f"Imbalance: a rank computes {seconds(spread.mean_seconds)}, from {seconds(spread.least_seconds)} (rank "
        f"{spread.least_rank}) to {seconds(spread.most_seconds)} (rank {spread.most_rank}); were they equal, the longest "
        f"would take {lost:.1%} less"
    )


def _warnings(profile: Profile) -> list[str]:
    warnings = []
    if profile.oversubscribed:
        warnings.append(
            "the ranks shared cores where it ran: computation is CPU time (they waited "
            f"{seconds(profile.descheduled_seconds)} more for a core between calls), communication and the efficiencies come "
            "from a replay in shared memory"
        )
    if profile.sampled_share < 1:
        warnings.append(
            f"network dependence, serialisation and transfer come from a replay of the first {profile.sampled_share:.1%} of "
            "the events (all of them with --whole)"
        )
    for name, count in sorted(profile.unmodelled.items()):
        warnings.append(
            f"{name} ({count:,} calls) is not modelled: its traffic is in no figure but the calls"
        )
    if profile.waits is not None and profile.waits.unmatched:
        warnings.append(
            f"{profile.waits.unmatched:,} messages or collectives have a side that is not in the trace; waiting for them is "
            "not known"
        )
    warnings += profile.damage[:_SHOWN_SENTENCES]
    if len(profile.damage) > _SHOWN_SENTENCES:
        warnings.append(f"and {len(profile.damage) - _SHOWN_SENTENCES} more such losses (all with --json)")
    if profile.verified is False:
        warnings.append("the recorded run failed its own verification; do not trust what follows from it")
    return warnings
