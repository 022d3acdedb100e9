"""Limits of a profile's figures, in sentences without their full stops: for the screen and the page."""

from linkworth.model.profile import Profile
from linkworth.model.trace import FILE_CALLS
from linkworth.profile.where_it_ran import waited_for_cores
from linkworth.units import count, duration, percent, plural, shortened

_MUCH_IN_FILES = 0.01
"""Share of the ranks' time from which calls to files are reported."""
_SYNCHRONISING = tuple(
    f"MPI_Win_{verb}" for verb in ("fence", "post", "start", "complete", "wait", "lock", "unlock", "flush")
)


def remarks(profile: Profile, how_to_replay_all: str = "") -> list[str]:
    """Return each limit of the profile's own figures, not of predictions from its trace.

    `how_to_replay_all` follows the remark on a profile whose replay is of the first events only.
    """
    found = [profile.not_replayed]
    if profile.not_replayed is None and profile.sampled_share < 1:
        replayed = (
            "communication (in shares and efficiencies)"
            if profile.oversubscribed
            else "serialisation and transfer"
        )
        found.append(
            f"network dependence and {replayed} come from a replay of the first "
            f"{percent(profile.sampled_share, 1)} of the events{how_to_replay_all}"
        )
    found += [profile.node_aware, profile.idle_in_part, waited_for_cores(profile)]
    busy = sum(profile.rank_compute_seconds) + sum(profile.rank_communication_seconds)
    files = sum(call.seconds for call in profile.calls if call.name.startswith(FILE_CALLS))
    if files > _MUCH_IN_FILES * busy:
        counted = "the shares and the efficiencies" if profile.oversubscribed else "the efficiencies"
        found.append(
            f"calls to files took {duration(files)} of all ranks together, and count as computation in {counted}"
        )
    found += [
        f"{name} ({plural(calls, 'call')}) is not modelled, or failed: its traffic is in no figure"
        for name, calls in sorted(profile.unmodelled.items())
    ]
    if synchronising := [call.name for call in profile.calls if call.name.startswith(_SYNCHRONISING)]:
        found.append(
            f"messages that synchronise one-sided communication ({shortened(sorted(synchronising), 3)}) are in no "
            "figure of messages"
        )
    if profile.waits is not None and profile.waits.unmatched:
        found.append(
            f"messages or collectives with a side that is not in the trace: {count(profile.waits.unmatched)}; waiting for "
            "them is not known"
        )
    return [remark for remark in found if remark]
