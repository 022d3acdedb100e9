"""Reasons to doubt a scaled trace that no comparison with a recording shows."""

from collections.abc import Sequence

from linkworth.scale.recording import Recording
from linkworth.scale.rules import Appearing, Copied, Varying
from linkworth.scale.search import Found, Target
from linkworth.scale.shares import Unseen


def doubts(
    found: Found, recordings: Sequence[Recording], target: Target, remainders: Sequence[Unseen]
) -> list[str]:
    """Return one sentence for each."""
    out = []
    largest = recordings[-1]
    roles = found.program.roles.values()
    once = sum(role.recordings == 1 for role in roles)
    if once:
        out.append(
            f"{once} of {len(roles)} roles are in the recording on {largest.ranks} ranks only, so that what grows in "
            "them is not known; record another count that is as large"
        )
    for count in sorted({count for role in roles for count in role.counts if isinstance(count, Appearing)}):
        out.append(
            f"{count.site} is called {'from' if count.appear else 'below'} {count.ranks} ranks only, which is taken to go on"
        )
    varying = sorted(
        {count.site.split("@")[0] for role in roles for count in role.counts if isinstance(count, Varying)}
    )
    if varying:
        out.append(
            f"loops with {', '.join(varying)} run differently often each time, as data decide, and are taken to run as often "
            "as in the mean"
        )
    if any(isinstance(count, Copied) for role in roles for count in role.counts):
        out.append(
            "some loops run differently often on each rank, by no rule, and are taken to run as on a like rank of the largest "
            "recording"
        )
    grids = [found.program.arrangement.grid(recording.ranks) for recording in recordings]
    new = found.program.arrangement.grid(target.ranks)
    for extents, extent in zip(zip(*grids, strict=True), new, strict=True):
        if len(set(extents)) == 1 and extent != extents[0]:
            out.append(
                f"one extent of the grid is {extents[0]} in all recordings and {extent} at {target.ranks} ranks, so that what "
                "depends on it is not known; record a count at which it differs"
            )
    if all(len(set(extents)) == 1 for extents in grids) and len(set(new)) > 1:
        out.append(
            f"the grids of all recordings are as wide as long, and {found.program.arrangement.describe(target.ranks)} is not, "
            "so that each message is taken to be as large as the side that it crosses; record such a count"
        )
    for unseen in remainders:
        what = (
            f"the {found.program.arrangement.grid(target.ranks)[unseen.dimension]} ranks along dimension "
            f"{unseen.dimension + 1} of the grid"
        )
        out.append(
            f"{what} may not divide the problem, as those of all recordings do, so that sizes are means, and the largest "
            f"part may be {unseen.largest:.2f} times the mean one; record a count that does not divide it"
        )
    transposed = _transpositions(largest) if target.ranks > largest.ranks else []
    if transposed:
        out.append(
            f"all ranks exchange pieces in {', '.join(transposed)}; a program that cuts its data into slabs for that, such "
            f"as a Fourier transform, cuts it otherwise beyond some count, which recordings up to {largest.ranks} ranks "
            "may not show"
        )
    return out


def _transpositions(recording: Recording) -> list[str]:
    """Return the all-to-all exchanges of blocks among all ranks."""
    found = set()
    members = recording.communicators[0]
    for call in recording.calls:
        name = call.entry.partition("@")[0]
        if "alltoall" not in name.lower() or call.call_class not in (
            "collective",
            "icollective",
            "collective_init",
        ):
            continue
        # A number for each rank is no data.
        if (
            len(members.get(call.fields["comm"], [])) == recording.ranks
            and call.fields["bytes"] > 8 * recording.ranks
        ):
            found.add(name)
    return sorted(found)
