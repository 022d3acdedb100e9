"""The simplest grid and roles with which every call of the recordings is described."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from itertools import product
from typing import NamedTuple

import numpy as np

from linkworth.errors import ThresholdError
from linkworth.scale.align.completions import timeless
from linkworth.scale.align.ladders import FEWEST_LEVELS, Ladders, levels
from linkworth.scale.align.multigrid import Multigrid
from linkworth.scale.align.named import named
from linkworth.scale.align.owners import Owners
from linkworth.scale.align.persistent import without_persistent
from linkworth.scale.align.rounds import in_rank_order
from linkworth.scale.align.sequences import Sequences
from linkworth.scale.align.stencils import SiteMessages
from linkworth.scale.behaviour import Behaviour, Key
from linkworth.scale.distributions.traffic import distributions
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.grids import (
    ROLES,
    GridRule,
    Shown,
    arrangements,
    is_square,
    odd_part,
    positions,
    role_keys,
)
from linkworth.scale.neighbours import with_absent
from linkworth.scale.points import Point
from linkworth.scale.program import Builder
from linkworth.scale.recording import Alphabet, Recording
from linkworth.scale.setup import after_setup

FEWEST_LEFT_OUT = 3
"""Recordings of which one can be left out: the others must still show how things grow."""

SIMILAR = 0.8
"""Share of the messages between neighbours on the likeliest grid that are so on another one that is tried."""

MOST_LOCAL = 0.6
"""Share of calls that concern other ranks, below which the rest is not aligned in long recordings, which takes long."""
LONG = 10_000

LIKENESS: tuple[Callable[[str], bool], ...] = (
    lambda _: True,
    lambda name: name in ("tag", "recv_tag", "completed"),
    lambda _: False,
)
"""Fields by which calls are told apart where all recordings have the same values, from the strictest."""


class Way(Enum):
    """An assumption about the sequences of calls."""

    LADDERS = auto()
    """Ranks form trees and butterflies."""
    LEVELS = auto()
    """Ranks rest on coarse levels."""
    OWNERS = auto()
    """Ranks own blocks in turn, and call otherwise in the steps of these."""
    EDGES = auto()
    """Ranks on the edges of a grid call as others do, with MPI_PROC_NULL."""
    LOOPS = auto()
    """Loops that always run equally often are loops all the same, such as one over blocks with owners, or over tasks."""
    WHOLE = auto()
    PARTS = auto()
    """Some ranks may lack parts that others have."""
    GRIDS = auto()
    """Some calls arrange the ranks on another grid than most, as a Fourier transform does in a box of neighbours."""


KINDS = {Way.LEVELS: 1, Way.OWNERS: 2}
"""Kinds of roles that are tried, where ranks of one role may call differently."""


class Target(NamedTuple):
    """The count, size and grid to reach."""

    ranks: int
    size: float
    grid: tuple[int, ...] | None
    weak: bool


class Found(NamedTuple):
    """A program, and the assumptions with which it was found."""

    program: Behaviour
    likeness: int
    way: Way

    def point(self, ranks: int, size: float) -> Point:
        """Return a count with its grid."""
        return Point(ranks, self.program.arrangement.grid(ranks), size)


class Aligned(NamedTuple):
    """A program, the recordings that it describes, and those that it does not."""

    found: Found
    recordings: list[Recording]
    dropped: list[Recording]


def candidates(recordings: Sequence[Recording], target: Target) -> Iterator[Aligned]:
    """Yield programs of all recordings, and then of fewer: the simplest for each arrangement of ranks.

    Raises ThresholdError, with the call that fits no rule under the best assumptions, if there is none. A dimension with
    one or two ranks may call otherwise: its neighbours are the rank itself, or one rank on both sides.
    """
    best: UnfitError | None = None
    aligned = False
    recordings = in_rank_order(without_persistent(recordings))
    # One rank sends no message, and shows no more of the grid when it is left out than when it was not given.
    enough = min(FEWEST_LEFT_OUT, sum(each.ranks > 1 for each in recordings))
    for chosen in _chosen(recordings, target):
        dropped = [each for each in recordings if each not in chosen]
        # A clock that is read differently often aligns with nothing, and takes no time.
        bare = _bare(chosen)
        events, fewer = _events(chosen), _events(bare)
        choices = [chosen] if fewer == events else [chosen, bare]
        if events > LONG * len(chosen[-1].sequences) and fewer < MOST_LOCAL * events:
            choices = [bare]
        choices += [waiting for some in choices[-1:] if (waiting := timeless(some))]
        tried = _arrangements(chosen, target)
        if dropped:
            # Fewer recordings fit more grids, also some on which few messages are between neighbours.
            most = max(each.neighbours for each in tried)
            tried = [each for each in tried if each.dimensions == 1 or each.neighbours >= SIMILAR * most]
        if len(chosen) < enough:
            for each in _with_other_grids(recordings, target) if not aligned else ():
                aligned = True
                yield each
            # Two of more recordings fit too many rules, unless the messages show the grid.
            tried = [each for each in tried if each.certain()]
        whole = set()
        sources = [named(each) for each in choices[-1]]
        stencils = choices if sources == choices[-1] else [*choices, sources]
        for arrangement, (some, messages) in product(
            tried, [(each, SiteMessages(each)) for each in stencils]
        ):
            present = with_absent(some, messages, [arrangement.grid(each.ranks) for each in some])
            if present is None:
                continue
            for found in _programs(present, target, Way.EDGES, [arrangement]):
                if isinstance(found, Found):
                    aligned = True
                    yield Aligned(found, present, dropped)
        for way, some in product([each for each in Way if each is not Way.GRIDS], choices):
            # If no rank lacks a part, looking for parts would find the same program again.
            left = [each for each in tried if way is not Way.PARTS or each not in whole]
            for found in _programs(some, target, way, left):
                if isinstance(found, Found):
                    aligned = True
                    if way is Way.WHOLE:
                        whole.add(found.program.arrangement)
                    yield Aligned(found, some, dropped)
                elif not dropped and (best is None or found.fitted > best.fitted):
                    best = found
    if not aligned:
        later = after_setup(_bare(recordings), lambda some: _align(some, target)) or []
        for found in _programs(later, target, Way.WHOLE, _arrangements(later, target)) if later else ():
            if isinstance(found, Found):
                aligned = True
                yield Aligned(found, later, [])
    if not aligned:
        raise ThresholdError(f"the recordings do not align: {best}")


def _chosen(recordings: Sequence[Recording], target: Target) -> Iterator[list[Recording]]:
    """Yield all recordings, then fewer of the largest, then those whose squarest grids are of the target's kind.

    Programs on powers of two often have a rule for square grids and one for grids that are twice as long as wide. Others
    have grids by rules of their own for counts such as 24.
    """
    fewer = [list(recordings[dropped:]) for dropped in range(len(recordings) - 1)]
    square = [each for each in recordings if is_square(each.ranks * target.ranks)]
    doubled = [each for each in recordings if odd_part(each.ranks) == odd_part(target.ranks)]
    yield from (each for each in fewer if len(each) >= FEWEST_LEFT_OUT)
    alike = [square] if square == doubled else [square, doubled]
    yield from (each for each in alike if len(each) >= FEWEST_LEFT_OUT and each not in fewer)
    yield from (each for each in fewer if len(each) < FEWEST_LEFT_OUT)


def _with_other_grids(recordings: Sequence[Recording], target: Target) -> Iterator[Aligned]:
    """Yield programs of which some calls are on other grids than most messages."""
    bare = _bare(recordings)
    grids = [each for each in _arrangements(bare, target) if each.dimensions > 1]
    for found in _programs(bare, target, Way.GRIDS, sorted(grids, key=lambda each: -each.neighbours)):
        if isinstance(found, Found):
            yield Aligned(found, bare, [])


def with_distributions(recordings: Sequence[Recording], target: Target) -> Iterator[Aligned]:
    """Yield programs whose collective calls of all ranks follow rules, and whose messages are distributions."""
    # The program's own calls of MPI_Pcontrol would pass for markers of messages.
    for fewer in distributions([each.without_local_calls(marks=False) for each in recordings]):
        # Without messages, the grid decides on little.
        for found in _programs(fewer, target, Way.WHOLE, _arrangements(fewer, target)[:1]):
            if isinstance(found, Found):
                yield Aligned(found, fewer, [])


def _bare(recordings: Sequence[Recording]) -> list[Recording]:
    """Return the recordings without calls that concern no other rank, except for MPI_Pcontrol."""
    return [each.without_local_calls(marks=True) for each in recordings]


def _align(recordings: Sequence[Recording], target: Target) -> bool:
    """Return whether the ranks call alike under some assumption."""
    builder = _builder(recordings, target, len(LIKENESS) - 1, Way.WHOLE)
    for arrangement, kind in product(_arrangements(recordings, target), range(len(ROLES))):
        try:
            builder.sequences.parse_roles(arrangement, kind, roles(arrangement, kind, target.ranks))
        except UnfitError:
            continue
        return True
    return False


def _events(recordings: Sequence[Recording]) -> int:
    return sum(len(sequence.calls) for recording in recordings for sequence in recording.sequences)


def _arrangements(recordings: Sequence[Recording], target: Target) -> list[GridRule]:
    """Return the arrangements to try, the simplest first."""
    shown = Shown(
        [each.cartesian() for each in recordings],
        set.intersection(*map(_group_sizes, recordings)) - {1},
        [each.partners() for each in recordings],
    )
    return list(arrangements([each.ranks for each in recordings], target.ranks, target.grid, shown))


def _group_sizes(recording: Recording) -> set[int]:
    """Return the sizes of rank 0's communicators, and how many of each size there are if these are no two halves."""
    sizes = {len(of) for of in recording.communicators[0].values()}
    return sizes | {recording.ranks // size for size in sizes}


def _programs(
    recordings: Sequence[Recording], target: Target, way: Way, tried: Sequence[GridRule]
) -> Iterator[Found | UnfitError]:
    """Yield a program, or why there is none, for each arrangement that is tried."""
    # On trees, butterflies and coarse levels, some messages go further than to the next rank.
    if not tried or (way in (Way.LADDERS, Way.LEVELS) and any(each.certain() for each in tried)):
        return
    if way is Way.EDGES and not any(each.has_edges() for each in recordings):
        return
    if way is Way.LOOPS and not any(each.has_owners() or each.has_master() for each in recordings):
        return
    # Calls that differ in size are not different calls of which some recordings lack one.
    likenesses = {Way.PARTS: (2, 1), Way.LEVELS: (1,), Way.OWNERS: (2,)}.get(way, (2, 1, 0))
    builders = {
        builder.sequences.alphabet.text(): (likeness, builder)
        for likeness in likenesses
        if way is not Way.LADDERS or levels(recordings[-1].ranks) >= FEWEST_LEVELS
        if (builder := _builder(recordings, target, likeness, way)).sequences.possible()
    }
    if not builders:
        return
    for arrangement in tried:
        best: UnfitError | None = None
        kinds = list(range(KINDS.get(way, len(ROLES))))
        if way in (Way.EDGES, Way.WHOLE, Way.PARTS):
            kinds += next(iter(builders.values()))[1].sequences.kinds_of_groups()
        for kind in kinds:
            found: Found | None = None
            for likeness, builder in reversed(builders.values()):
                try:
                    program = builder.build(arrangement, kind, roles(arrangement, kind, target.ranks))
                except UnfitError as error:
                    # Its frames hold the builder's tables, and the builder may hold the error.
                    error.with_traceback(None)
                    if best is None or error.fitted > best.fitted:
                        best = error
                    continue
                if way is Way.LOOPS and program.copied():
                    # Numbers by no rule of the iteration are known better for each one alone.
                    best = UnfitError("calls", "numbers in a loop depend on data")
                    continue
                each = Found(program, likeness, way)
                if not program.appearing():
                    # A loop over the dimensions of the grid is longer where there are more, and no other one.
                    found = each
                    break
                found = found or each
            if found is not None:
                yield found
                break
        else:
            assert best is not None
            yield best


def _builder(
    recordings: Sequence[Recording], target: Target, likeness: int, way: Way, known: Behaviour | None = None
) -> Builder:
    alphabet = Alphabet(
        list(recordings), LIKENESS[likeness], edges_apart=way not in (Way.LADDERS, Way.EDGES, Way.GRIDS)
    )
    features = known.features() if known else ()
    ladders = Ladders(recordings, alphabet.of_recording, features) if way is Way.LADDERS else None
    multigrid = Multigrid(recordings, alphabet.of_recording, alphabet.names) if way is Way.LEVELS else None
    sequences = Sequences(
        recordings,
        alphabet,
        ladders,
        multigrid,
        Owners(recordings, alphabet.of_recording) if way is Way.OWNERS else None,
        merging=way is Way.PARTS,
        folding=way is Way.LOOPS,
    )
    return Builder(sequences, weak=target.weak, grids=way is Way.GRIDS)


def again(recordings: Sequence[Recording], target: Target, found: Found) -> Found:
    """Return the program of fewer recordings under the same assumptions. Raises UnfitError."""
    arrangement, kind = found.program.arrangement, found.program.kind
    wanted = roles(arrangement, kind, target.ranks)
    unfit: UnfitError | None = None
    # Fewer recordings may have the same sizes by chance, which then tell no calls apart.
    for likeness in range(found.likeness, len(LIKENESS)):
        try:
            builder = _builder(recordings, target, likeness, found.way, found.program)
            return found._replace(program=builder.build(arrangement, kind, wanted))
        except UnfitError as error:
            unfit = unfit or error
    assert unfit is not None
    raise unfit


def roles(arrangement: GridRule, kind: int, ranks: int) -> set[Key]:
    """Return the roles at a count."""
    at = positions(np.arange(ranks, dtype=np.int64), ranks, arrangement.grid(ranks))
    return set(role_keys(kind, at))
