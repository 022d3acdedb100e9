"""Reasons to doubt a scaled trace that no comparison with a recording shows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import log

from linkworth.profile.where_it_ran import shared_cores
from linkworth.scale.align.folding import first_leaves
from linkworth.scale.fit.columns import PlacedCall
from linkworth.scale.fit.levels import Resting
from linkworth.scale.fit.members import OTHER_GRIDS
from linkworth.scale.fit.numbers import Sum
from linkworth.scale.fit.partners import Partner
from linkworth.scale.fit.peers import OWNERS
from linkworth.scale.fit.rules import (
    INEXACT,
    Appearing,
    Block,
    ByCount,
    ByStep,
    Copied,
    Portion,
    Rule,
    Varying,
    rules_within,
)
from linkworth.scale.grids import balanced, odd_part
from linkworth.scale.recording import COLLECTIVE, SENDS, Recording, is_of_neighbours
from linkworth.scale.search import Found, Target, Way
from linkworth.scale.shares import Unseen
from linkworth.units import shortened

LEAST_SECONDS = 0.05
"""Computation of each rank from which switching between ranks on a core hardly counts."""
OTHER_FILES = 1.25
"""Factor between the times in calls to files at two counts from which it is named."""
FEW_RANKS = 4
"""Most ranks that are both neighbours along two dimensions and the next ones on a ring or in a tree."""
MOST_BITS = 16
"""Ranks of a grid of four dimensions with two ranks along each."""
MOST_LISTED = 3
"""Calls that one sentence names at most."""


def scaling_warnings(
    found: Found, recordings: Sequence[Recording], target: Target, remainders: Sequence[Unseen]
) -> list[str]:
    """Return one sentence for each."""
    return [
        *_of_structure(found, recordings[-1].ranks, target),
        *_of_sizes(found, recordings, target),
        *_of_loops(found),
        *_of_grids(found, recordings, target),
        *_of_remainders(found, target, remainders),
        *_of_own_grids(found, target),
        *_of_hypercubes(found, recordings[-1], target),
        *_of_resting(found, recordings, target),
        *_of_transpositions(recordings[-1], target),
        *_of_computation(recordings[-1]),
        *_of_files(recordings, target),
        *_of_sites(recordings),
        *_of_failures(recordings),
    ]


def waits_in_files(recording: Recording) -> str:
    """Return what to do if the time of calls to files contains waits for cores, else an empty string."""
    if not (recording.file_calls().any() and shared_cores(recording.trace)):
        return ""
    return (
        f"the time of calls to files contains the waits of {recording.ranks} ranks, which shared cores, for a core and for each "
        "other, and may grow otherwise; record where each rank has a core"
    )


def _of_files(recordings: Sequence[Recording], target: Target) -> Iterator[str]:
    largest = recordings[-1]
    if waits := waits_in_files(largest):
        yield waits
    before, now = (_seconds_in_files(each) for each in recordings[-2:])
    if target.ranks > largest.ranks and min(before, now) > 0 and abs(log(now / before)) > log(OTHER_FILES):
        yield (
            f"a rank's calls to files take {now / before:.2g} times as long on {largest.ranks} ranks as on "
            f"{recordings[-2].ranks}, and each is taken to be as long on {target.ranks} ranks as on {largest.ranks}"
        )


def _seconds_in_files(recording: Recording) -> float:
    """Return the time that a rank spends in calls to files in the mean."""
    files = recording.file_calls()
    return (
        sum(float(each.durations[files[each.calls]].sum()) for each in recording.sequences) / recording.ranks
    )


def _of_sites(recordings: Sequence[Recording]) -> Iterator[str]:
    if any(each.renamed for each in recordings):
        yield (
            "the recordings are of different program files, as of a program that is compiled for each count, so that calls "
            "correspond by name and order only, and not by call site"
        )


def _of_failures(recordings: Sequence[Recording]) -> Iterator[str]:
    for recording in recordings:
        if failure := recording.trace.metadata.failure():
            yield f"recording on {recording.ranks} ranks: {failure}"


def _of_structure(found: Found, largest: int, target: Target) -> Iterator[str]:
    roles = found.program.roles.values()
    once = sum(role.recordings == 1 for role in roles)
    if once:
        yield (
            f"{once} of {len(roles)} roles are in the recording on {largest} ranks only, so that what grows in "
            "them is not known; record another count that is as large"
        )
    changes: defaultdict[tuple[int, bool], set[str]] = defaultdict(set)
    for count in _counts(found):
        if isinstance(count, Appearing):
            changes[count.ranks, count.appear].add(count.site)
    appearing = [sites for (_, appear), sites in changes.items() if appear]
    again = {site for sites in appearing for site in sites if sum(site in each for each in appearing) > 1}
    if again and target.ranks > largest:
        yield (
            f"more calls of {_first(again)} appear at each of several counts, as of a program that divides its ranks again and "
            f"again, so that {target.ranks} ranks probably have more than are taken; record {target.ranks} ranks themselves"
        )
    for (ranks, appear), sites in sorted(changes.items()):
        yield (
            f"the program's structure changes at {ranks} ranks: {_first(sites)} {'is' if len(sites) == 1 else 'are'} called "
            f"{'from there on' if appear else 'below'} only, which is taken to go on; if it changes again at more "
            f"ranks, record counts beyond that"
        )


def _of_sizes(found: Found, recordings: Sequence[Recording], target: Target) -> Iterator[str]:
    columns = _columns(found)
    doubling = sorted({column.entry for column in columns if _doubles(column) and _has_steps(column)})
    if doubling and odd_part(target.ranks) not in {odd_part(recording.ranks) for recording in recordings}:
        yield (
            f"sizes of {_first(doubling)} differ from one doubling distance to the next, and {target.ranks} ranks are a "
            f"power of two times {odd_part(target.ranks)}, which no recording is, so that they may be wrong; record counts "
            "of this kind"
        )
    hidden = _unequal_parts(found, recordings, target)
    if hidden:
        yield (
            f"sizes of {_first(hidden)} are unequal parts along one dimension of the grid, and all recordings with such ranks "
            "are as long along another, so that they may be wrong; record a count at which it is longer"
        )
    inexact, gone, rounds = _by_count(found, recordings, target)
    if rounds and {odd_part(recording.ranks) for recording in recordings} == {odd_part(recordings[-1].ranks)}:
        yield (
            f"sizes or numbers of {_first(rounds)} grow by one step when the ranks double, and no recording shows where between "
            f"that is, as {target.ranks} ranks are not {recordings[-1].ranks} doubled or halved; record a count of this kind"
        )
    if inexact:
        yield (
            f"sizes or numbers of {_first(inexact)} follow no exact rule of the rank count and are taken from the best "
            "curve; if the program changes at one of the counts, record only counts at which it is as at the large one"
        )
    if gone:
        yield (
            f"the program's structure may change before {target.ranks} ranks: {_first(gone)} would have no calls or no "
            f"data there, as they become less with each count; record counts beyond that"
        )


def _of_loops(found: Found) -> Iterator[str]:
    counts = _counts(found)
    columns = _columns(found)
    owned = sorted({column.entry for column in columns if _has_owners(column)})
    if owned and found.way is not Way.OWNERS:
        yield (
            f"ranks own the steps of {_first(owned)} in turn, and what an owner computes is not known apart from what others do, "
            "so that times may be too short"
        )
    varying = sorted({count.site.split("@")[0] for count in counts if isinstance(count, Varying)})
    if varying:
        yield (
            f"loops with {', '.join(varying)} run differently often each time, as data decide, and are taken to run as often "
            "as in the mean, or as a steady trend goes on"
        )
    if any(isinstance(count, Copied) for count in counts):
        yield (
            "some loops run differently often on each rank, by no rule, and are taken to run as on a like rank of the largest "
            "recording"
        )


def _of_grids(found: Found, recordings: Sequence[Recording], target: Target) -> Iterator[str]:
    arrangement = found.program.arrangement
    grids = [arrangement.grid(recording.ranks) for recording in recordings]
    new = arrangement.grid(target.ranks)
    for extents, extent in zip(zip(*grids, strict=True), new, strict=True):
        if len(set(extents)) == 1 and extent != extents[0]:
            yield (
                f"one extent of the grid is {extents[0]} in all recordings and {extent} at {target.ranks} ranks, so that what "
                "depends on it is not known; record a count at which it differs"
            )
    if all(len(set(extents)) == 1 for extents in grids) and len(set(new)) > 1:
        yield (
            f"the grids of all recordings are as wide as long, and {arrangement.describe(target.ranks)} is not, "
            "so that each message is taken to be as large as the side that it crosses; record such a count"
        )
    shown = [recording.cartesian() for recording in recordings]
    if len(new) > 1 and all(shown) and list(map(_longer, shown)) != list(map(_longer, grids)):
        yield (
            "the program's Cartesian communicators have other grids than that with which its calls fit, "
            f"{arrangement.describe(target.ranks)} at {target.ranks} ranks, so that peers may be wrong; record counts at which "
            "more ranks lie along each dimension"
        )
    flat = [
        balanced(each, len(new) + 1)[-1] == 1 for each in (*(of.ranks for of in recordings), target.ranks)
    ]
    hidden = flat == [*[True] * len(recordings), False] and (
        len(new) == 1 or (len(new) == 2 and not all(shown))
    )
    if hidden and _sends(found):
        kinds = (
            ("prime numbers of ranks", "line", "is no prime"),
            ("numbers of ranks", "plane", "fills a box"),
        )
        numbers, shape, other = kinds[len(new) > 1]
        yield (
            f"all recordings are on {numbers}, on which every process grid is a {shape}, so that the grid at {target.ranks} "
            f"ranks is not known; record a count that {other}"
        )
    if recordings[-1].ranks <= FEW_RANKS < target.ranks and _sends(found):
        yield (
            f"recordings on {FEW_RANKS} ranks or fewer hide grids and trees, so that peers at {target.ranks} ranks may be wrong; "
            "record more ranks"
        )
    fixed = [str(extent) for extent in arrangement.fixed if extent]
    if fixed:
        which, verb = ("one extent", "is") if len(fixed) == 1 else ("two extents", "are")
        yield (
            f"{which} of the grid {verb} {' and '.join(fixed)} in all recordings and {verb} taken to be so at "
            f"{target.ranks} ranks ({arrangement.describe(target.ranks)}); another grid can be set with `grid`"
        )
    if arrangement.doubtful:
        yield (
            f"the process grid follows the shape of the problem, which the recordings do not determine: at {target.ranks} ranks "
            f"it is taken to be {arrangement.describe(target.ranks)}; another one can be set with `grid`"
        )


def _sends(found: Found) -> bool:
    """Return whether ranks send messages or make communicators of some ranks."""
    columns = _columns(found)
    return any(
        column.call_class == "comm_new" or ("peer" in column.rules and "collective" not in column.call_class)
        for column in columns
    )


def _longer(grid: Sequence[int]) -> list[int]:
    """Return the extents of a grid without those of one rank."""
    return [extent for extent in grid if extent > 1]


def _of_remainders(found: Found, target: Target, remainders: Sequence[Unseen]) -> Iterator[str]:
    grid = found.program.arrangement.grid(target.ranks)
    for unseen in remainders:
        yield (
            f"the {grid[unseen.dimension]} ranks along dimension {unseen.dimension + 1} of the grid may not divide the "
            "problem, as those of all recordings do, so that sizes are means, and the largest "
            f"part may be {unseen.largest:.2f} times the mean one; record a count that does not divide it"
        )


def _of_own_grids(found: Found, target: Target) -> Iterator[str]:
    columns = _columns(found)
    sites = {
        column.entry
        for column in columns
        for rule in column.rules.values()
        if isinstance(rule, Partner) and rule.dimensions > 1
    }
    sites |= {each.entry for each in columns if each.members and each.members.colour.kind in OTHER_GRIDS}
    if sites:
        yield (
            f"peers of {_first(sites)} are taken to lie on grids of their own, as MPI_Dims_create would choose them; if those at "
            f"{target.ranks} ranks do not divide the problem, sizes are means; record counts at which grids differ, and one "
            "that does not divide it"
        )


def _of_hypercubes(found: Found, largest: Recording, target: Target) -> Iterator[str]:
    """Yield a doubt if each rank sends twice to one after the other, as round rings of two ranks."""
    columns = _columns(found)
    sites = {column.entry for column in columns if column.call_class in SENDS and _doubles(column)}
    calls = [largest.calls[number] for number in largest.sequences[0].calls.tolist()]
    peers = [call.fields["peer"] for call in calls if call.entry in sites]
    if sites and peers[::2] == peers[1::2] and largest.ranks <= MOST_BITS < target.ranks:
        yield (
            f"distances of {_first(sites)} double, and those up to {largest.ranks} ranks are also those on a grid with two ranks "
            f"along each of its dimensions; record more than {MOST_BITS} ranks"
        )


def _of_resting(found: Found, recordings: Sequence[Recording], target: Target) -> Iterator[str]:
    grids = [found.program.arrangement.grid(recording.ranks) for recording in recordings]
    new = found.program.arrangement.grid(target.ranks)
    resting = {
        level.width
        for count in _counts(found)
        if isinstance(count, Resting)
        for level in count.levels
        if level.rests(new) and not any(map(level.rests, grids))
    }
    if resting:
        yield (
            f"some of {target.ranks} ranks rest on levels of {_listed(resting)} points along a side, on which all ranks of every "
            "recording work, and are taken to do as on coarser levels; record a count at which some rest there"
        )


def _of_transpositions(largest: Recording, target: Target) -> Iterator[str]:
    transposed = _transpositions(largest) if target.ranks > largest.ranks else []
    if transposed:
        yield (
            f"all ranks exchange pieces in {', '.join(transposed)}; a program that cuts its data into slabs for that, such "
            f"as a Fourier transform, cuts it otherwise beyond some count, which recordings up to {largest.ranks} ranks "
            "may not show"
        )


def _of_computation(largest: Recording) -> Iterator[str]:
    if is_short(largest):
        milliseconds = 1000 * _mean_computation(largest)
        yield (
            f"each of {largest.ranks} ranks computed for {milliseconds:.2g} ms in the largest recording, of which much may be "
            "noise, so that times on fast networks may be off by half; record a problem that computes for 100 ms or more on each"
        )


def is_short(largest: Recording) -> bool:
    """Return whether the ranks of a real run computed so little that much of it may be noise."""
    return largest.trace.metadata.source == "recorded" and _mean_computation(largest) < LEAST_SECONDS


def _mean_computation(largest: Recording) -> float:
    return sum(float(each.compute.sum()) for each in largest.sequences) / largest.ranks


def _columns(found: Found) -> list[PlacedCall]:
    """Return the calls of each role."""
    return [column for role in found.program.roles.values() for column in role.columns]


def _counts(found: Found) -> list[Rule]:
    """Return how often each loop of each role runs."""
    return [count for role in found.program.roles.values() for count in role.counts]


def _listed(numbers: Iterable[int]) -> str:
    *most, last = map(str, sorted(numbers))
    return f"{', '.join(most)} and {last}" if most else last


def _first(sites: Iterable[str]) -> str:
    return shortened(sorted(sites), MOST_LISTED)


def _doubles(column: PlacedCall) -> bool:
    """Return whether it sends over distances that double."""
    rules = (each for rule in column.rules.values() for each in rules_within(rule))
    return any(isinstance(rule, Partner) and bool(rule.peer.doubled()) for rule in rules)


def _has_owners(column: PlacedCall) -> bool:
    """Return whether the root of a collective call is another rank in each step."""
    return "collective" in column.call_class and any(
        term.kind in OWNERS
        for rule in column.rules.values()
        for each in rules_within(rule)
        if isinstance(each, Partner)
        for term in each.peer.terms
    )


def _has_steps(column: PlacedCall) -> bool:
    return any(isinstance(rule, ByStep) for rule in column.rules.values())


def _by_count(
    found: Found, recordings: Sequence[Recording], target: Target
) -> tuple[list[str], list[str], list[str]]:
    """Return the calls with a number that meets not all recordings, those with one that reaches zero, and those with rounds."""
    known = [found.point(each.ranks, each.size) for each in recordings]
    there = found.point(target.ranks, target.size)
    inexact, gone, rounds = set(), set(), set()
    doubled = odd_part(target.ranks) == odd_part(recordings[-1].ranks)
    for role in found.program.roles.values():
        first = first_leaves(role.top)
        sites = [role.columns[int(role.column_of_leaf[first[loop]])] for loop in range(len(role.counts))]
        rules = [
            (column, each, False)
            for column in role.columns
            for rule in column.rules.values()
            for each in rules_within(rule)
        ]
        loops = [(column, rule, True) for column, rule in zip(sites, role.counts, strict=True)]
        for column, rule, is_loop in rules + loops:
            if isinstance(rule, ByStep) and rule.is_curve(there):
                inexact.add(column.entry)
            if isinstance(rule, ByCount):
                # No loop runs 0.75 times: 8 log p / p is 4, 3, 2 at 4, 8 and 16 ranks, as 6 - log p is.
                value = rule.model.at(there)
                parted = is_loop and abs(value - round(value)) > INEXACT
                if rule.model.error > INEXACT or parted:
                    inexact.add(column.entry)
                terms = rule.model.terms if isinstance(rule.model, Sum) and not doubled else ()
                if any(term.has_rounds() for term in terms) and not (is_loop and _doubles(column)):
                    rounds.add(column.entry)
                # If the largest recording already has none, what else becomes less is not known either.
                if there not in known and max(map(rule.model.at, known)) >= 0.5 > value:
                    gone.add(column.entry)
    return sorted(inexact), sorted(gone), sorted(rounds)


def _unequal_parts(found: Found, recordings: Sequence[Recording], target: Target) -> list[str]:
    """Return the calls of roles that only recordings as long along a dimension show, with parts that no other role has."""
    grids = [found.program.arrangement.grid(recording.ranks) for recording in recordings]
    new = found.program.arrangement.grid(target.ranks)
    parts: dict[bool, set[tuple[str, object]]] = {False: set(), True: set()}
    for role in found.program.roles.values():
        # Larger grids have all roles that smaller ones have.
        few = zip(zip(*grids[-role.recordings :], strict=True), zip(*grids, strict=True), new, strict=True)
        hides = any(len(set(some)) == 1 < len(set(of)) and extent != some[0] for some, of, extent in few)
        parts[hides] |= {
            (column.entry, rule)
            for column in role.columns
            for name in ("bytes", "recv_bytes")
            for rule in rules_within(column.rules.get(name))
            if isinstance(rule, Block | Portion)
        }
    return sorted({entry for entry, _ in parts[True] - parts[False]})


def _transpositions(recording: Recording) -> list[str]:
    """Return the all-to-all exchanges of blocks among all ranks."""
    found = set()
    members = recording.communicators[0]
    for call in recording.calls:
        name = call.entry.partition("@")[0]
        if "alltoall" not in name.lower() or is_of_neighbours(name):
            continue
        if call.call_class not in COLLECTIVE:
            continue
        # A number for each rank is no data.
        if (
            len(members.get(call.fields["comm"], [])) == recording.ranks
            and call.fields["bytes"] > 8 * recording.ranks
        ):
            found.add(name)
    return sorted(found)
