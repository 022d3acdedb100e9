"""Programs that work on finer and coarser levels, on the coarse ones of which ranks rest.

Each rank has the calls of those that rest nowhere, without some, and with messages between a level and the next.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from linkworth.scale.align.blocks import (
    PEERS,
    SIZES,
    Block,
    Pattern,
    axes_of,
    distances,
    kinds_of_ranks,
    merged,
    pattern_of,
)
from linkworth.scale.align.folding import Alignment, Item, Loop
from linkworth.scale.fit.levels import FINER, GIVES, HERE, TAKES, Level, LevelFace, OnLevel, Resting
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.grids import GridRule, positions
from linkworth.scale.recording import Numbers, Recording

WIDEST = 1 << 20
MARGINS = range(5)
"""Points around those of a rank that are sent with them."""

Margins = tuple[bool, tuple[int | None, ...]]
"""`finer` and `margins` of a face."""


class Slot(NamedTuple):
    """A place of a block in the program."""

    blocks: tuple[Block | None, ...]
    """By recording."""
    kinds: tuple[frozenset[int], ...]
    """By recording: kinds of ranks that have it."""


class _Size(NamedTuple):
    """A field of a call in all slots where ranks have the same part in it."""

    slots: tuple[Slot, ...]
    place: int
    """Number of the call in the block."""
    name: str

    def of(self, slot: Slot) -> dict[int, int]:
        """Return it by recording."""
        which = SIZES.index(self.name)
        return {number: block[self.place].sizes[which] for number, block in enumerate(slot.blocks) if block}

    def call(self) -> Pattern:
        """Return what is the same whatever axes its messages go along."""
        return (*(event.symbol for event in self.slots[0].blocks[-1] or ()), self.place, self.name)


class PlacedSlot(NamedTuple):
    """A slot in the new program."""

    slot: int
    factor: float
    """Its level has so many times the points of the slot's."""


class Multigrid:
    """The levels of some recordings."""

    def __init__(
        self, recordings: Sequence[Recording], alphabet: Sequence[Numbers], names: Sequence[str]
    ) -> None:
        """Prepare to find them. `alphabet`: symbols of the calls, by recording; `names`: of the symbols."""
        self._recordings = recordings
        self._alphabet = alphabet
        self._names = names
        self.texts: list[list[bytes]] = []
        """By recording and rank: equal for ranks with the same calls over the same distances."""
        self.on_level: list[OnLevel | None] = []
        """By leaf."""
        self.counts: list[Resting] = []
        """By loop."""
        self.copies: list[tuple[int, float]] = []
        """Leaves that no recording has: like others, on a level with so many times the points."""

    def found(self) -> bool:
        """Return whether there may be any: ranks of the largest recording call differently, but few kinds of them do."""
        sequences = self._recordings[-1].sequences
        return (
            1 < len({self._alphabet[-1][each.calls].tobytes() for each in sequences}) <= len(sequences) // 2
        )

    def align(self, arrangement: GridRule) -> tuple[Alignment, dict[bytes, int]]:
        """Return the places of all calls, and the number of each text's sequence. Raises UnfitError."""
        self._grids = [arrangement.grid(recording.ranks) for recording in self._recordings]
        if any(n & (n - 1) for grid in self._grids for n in grid):
            raise UnfitError("ranks", "their number is no power of two")
        self._at = [
            positions(np.arange(recording.ranks, dtype=np.int64), recording.ranks, grid)
            for recording, grid in zip(self._recordings, self._grids, strict=True)
        ]
        # Programs of other patterns fail at the largest recording, and soon.
        kinds = [
            kinds_of_ranks(*each)
            for each in zip(self._recordings[::-1], self._alphabet[::-1], self._grids[::-1], strict=True)
        ][::-1]
        self.texts = [
            [b"%d " % number + text for text in texts] for number, (texts, _, _) in enumerate(kinds)
        ]
        self._kind_of_rank = [of_rank for _, of_rank, _ in kinds]
        wholes = [merged(sequences) for _, _, sequences in kinds]
        slots = self._slots(wholes)
        levels = self._levels(slots)
        try:
            faces = self._faces(levels)
            places, shown = self._completed(slots, levels)
        except UnfitError as error:
            error.fitted = len(slots)
            raise
        alignment = self._alignment(slots, levels, faces, places, shown)
        return alignment, {
            text: at for at, text in enumerate(dict.fromkeys(each for of in self.texts for each in of))
        }

    def _unfit(self, slot: Slot, reason: str) -> UnfitError:
        block = next(each for each in reversed(slot.blocks) if each is not None)
        return UnfitError(self._names[block[0].symbol], reason)

    def _slots(self, wholes: Sequence[Sequence[tuple[Block, set[int]]]]) -> list[Slot]:
        """Return the blocks of all recordings in the order of the largest one."""
        last = wholes[-1]
        rows: list[list[tuple[Block, set[int]] | None]] = [[None] * len(last) for _ in wholes[:-1]]
        for row, whole, grid in zip(rows, wholes, self._grids, strict=False):
            # A rank that is alone along an axis is its own neighbour.
            known = [axis for axis, n in enumerate(grid) if n > 1]
            wanted = [pattern_of(block, self._grids[-1], known) for block, _ in last]
            at = 0
            for block, kinds in whole:
                pattern = pattern_of(block, grid, known)
                while at < len(wanted) and wanted[at] != pattern:
                    at += 1
                if at == len(wanted):
                    raise UnfitError(
                        self._names[block[0].symbol], "it is not where the largest recording has it"
                    )
                row[at] = (block, kinds)
                at += 1
        return [
            Slot(
                tuple(None if each is None else each[0] for each in column),
                tuple(frozenset() if each is None else frozenset(each[1]) for each in column),
            )
            for column in zip(*rows, last, strict=True)
        ]

    def _levels(self, slots: Sequence[Slot]) -> dict[Slot, list[Level]]:
        """Return the levels that each slot may belong to; slots that belong to none are not there."""
        calls = {
            slot: [
                np.isin(of_rank, list(kinds))
                for of_rank, kinds in zip(self._kind_of_rank, slot.kinds, strict=True)
            ]
            for slot in slots
        }
        far = {slot: _distances(slot, self._grids) for slot in slots}
        failed: UnfitError | None = None
        rare = sorted(calls, key=lambda slot: sum(int(each.sum()) for each in calls[slot]))
        for shape, last in product(_shapes(len(self._grids[0])), (True, False)):
            found: dict[Slot, list[Level]] = {}
            for slot in rare:
                if not _moves(slot) and all(each.all() for each in calls[slot]):
                    continue
                fits = [
                    level
                    for level in _possible(slot, far[slot], self._grids, last, shape)
                    if all(
                        np.array_equal(level.calls(of), each)
                        for of, each in zip(self._at, calls[slot], strict=True)
                    )
                ]
                found[slot] = [level for level in fits if not level.between()] or fits
                if not fits:
                    failed = failed or self._unfit(slot, "the ranks that call it are not those of a level")
                    break
            else:
                if any(level.rests(grid) for of in found.values() for level in of for grid in self._grids):
                    return self._alike(found)
                failed = failed or UnfitError("ranks", "none of them rest")
        assert failed is not None
        raise failed

    def _alike(self, levels: dict[Slot, list[Level]]) -> dict[Slot, list[Level]]:
        """Leave of the steps between levels those in which the same calls have the same part everywhere. Raises UnfitError."""
        parts: dict[Pattern, set[tuple[str, ...]]] = {}
        for slot, found in levels.items():
            if found[0].between():
                own = {level.parts for level in found}
                parts[self._pattern(slot)] = parts.get(self._pattern(slot), own) & own
        for slot, found in levels.items():
            if found[0].between():
                levels[slot] = [level for level in found if level.parts in parts[self._pattern(slot)]]
                if not levels[slot]:
                    raise self._unfit(slot, "other ranks call it between other levels")
        return levels

    def _faces(
        self, levels: dict[Slot, list[Level]]
    ) -> dict[tuple[Slot, int], dict[str, tuple[LevelFace, ...]]]:
        """Return the sizes of calls that depend on the level, and leave the levels that give them. Raises UnfitError."""
        for _ in range(2):
            # The levels that one size leaves leave fewer ways for the others.
            ways = self._ways_of_sizes(levels)
        finer: dict[Pattern, set[bool]] = {}
        for size, of in ways.items():
            own = {way[0] for way, _ in of}
            finer[size.call()] = finer.get(size.call(), own) & own or own
        faces: defaultdict[tuple[Slot, int], dict[str, tuple[LevelFace, ...]]] = defaultdict(dict)
        for size, of in ways.items():
            for slot in size.slots:
                faces[slot, size.place][size.name] = tuple(
                    LevelFace(level, *way, unit)
                    for level in levels[slot]
                    for way, unit in of
                    if way[0] in finer[size.call()] and self._unit(size.of(slot), level, way) == unit
                )
        for slot, found in levels.items():
            if not found[0].between() and len({level.width for level in found}) > 1 and _moves(slot):
                raise self._unfit(slot, "the recordings do not show how many ranks work on its level")
        return faces

    def _ways_of_sizes(self, levels: dict[Slot, list[Level]]) -> dict[_Size, list[tuple[Margins, int]]]:
        """Return what gives the sizes that depend on the level, and leave the levels that do. Raises UnfitError."""
        alike: defaultdict[tuple[Pattern, Pattern, int, str], list[Slot]] = defaultdict(list)
        for slot, found in levels.items():
            for place, event in enumerate(slot.blocks[-1] or ()):
                for name, size in zip(SIZES, event.sizes, strict=True):
                    if size > 0:
                        alike[self._pattern(slot), found[0].parts, place, name].append(slot)
        # Room for messages of any level is as large on all; other calls of the kind have room as well.
        room: defaultdict[tuple[str, str], list[dict[int, int]]] = defaultdict(list)
        ways = {}
        found_sizes = [_Size(tuple(slots), place, name) for (_, _, place, name), slots in alike.items()]
        for each in sorted(found_sizes, key=lambda each: -len(each.of(each.slots[0]))):
            sizes = [each.of(slot) for slot in each.slots]
            kind = (self._class_of(each.slots[0], each.place), each.name)
            widths = [{level.width for level in levels[slot]} for slot in each.slots]
            whole = {number: size for of in sizes for number, size in of.items()}
            equal = all(whole[number] == size for of in sizes for number, size in of.items())
            as_others = any(whole.items() <= others.items() for others in room[kind])
            if equal and (as_others or not set.intersection(*widths)):
                room[kind].append(whole)
                continue
            rows = list(zip(sizes, (levels[slot] for slot in each.slots), strict=True))
            found_ways = list(self._ways(rows, _axes(each.slots[0], each.place, self._grids[-1])))
            if not found_ways:
                raise self._unfit(each.slots[0], "its sizes are not those of a part of each level")
            for slot, of in zip(each.slots, sizes, strict=True):
                levels[slot] = [
                    level
                    for level in levels[slot]
                    if any(self._unit(of, level, way) == unit for way, unit in found_ways)
                ]
            ways[each] = found_ways
        return ways

    def _class_of(self, slot: Slot, place: int) -> str:
        block = slot.blocks[-1]
        assert block is not None
        return self._names[block[place].symbol].partition("@")[0]

    def _ways(
        self, rows: Sequence[tuple[dict[int, int], list[Level]]], moved: set[int]
    ) -> Iterator[tuple[Margins, int]]:
        """Yield margins and units that give all sizes. `moved`: axes along which the messages go."""
        axes = range(len(self._grids[0]))
        distinct = {(tuple(sizes.items()), tuple(levels)) for sizes, levels in rows}
        finer = (False, True) if rows[0][1][0].between() else (False,)
        for way in product(finer, product(*((None,) if axis in moved else MARGINS for axis in axes))):
            units: set[int] | None = None
            for sizes, levels in distinct:
                own = {self._unit(dict(sizes), level, way) for level in levels} - {0}
                units = own if units is None else units & own
                if not units:
                    break
            for unit in sorted(units or ()):
                yield way, unit

    def _unit(self, sizes: dict[int, int], level: Level, way: Margins) -> int:
        """Return the bytes of a point of a face, or 0 if they are not the same in all recordings."""
        units = set()
        for number, size in sizes.items():
            unit, rest = divmod(size, LevelFace(level, *way, 1).bytes(self._grids[number]))
            units.add(0 if rest else unit)
        return units.pop() if len(units) == 1 else 0

    def _completed(
        self, slots: Sequence[Slot], levels: dict[Slot, list[Level]]
    ) -> tuple[list[PlacedSlot], frozenset[int]]:
        """Return the slots with those between other levels, and the widths of which these are known. Raises UnfitError.

        What ranks do between two levels one of which they rest on is the same between all.
        """
        steps = list(_steps(slots, levels, self._grids[-1]))
        rested = {
            level.width for found in levels.values() for level in found if any(map(level.rests, self._grids))
        }
        whole: dict[Pattern, _Step] = {}
        for step in steps:
            known = whole.get(step.kind)
            if step.width in rested and (known is None or len(step.between) > len(known.between)):
                whole[step.kind] = step
        tags: defaultdict[Pattern, defaultdict[int, set[Pattern]]] = defaultdict(lambda: defaultdict(set))
        for slot, found in levels.items():
            own_tags = tuple(event.tags for event in slot.blocks[-1] or ())
            tags[self._pattern(slot)][found[0].width].add(own_tags)
        tagged = {
            pattern for pattern, of in tags.items() if len({frozenset(each) for each in of.values()}) > 1
        }
        places: list[PlacedSlot] = []
        shown: set[int] = set()
        unknown: set[int] = set()
        for step in steps:
            model = whole.get(step.kind) if step.width else None
            rest = list(step.slots)
            own = list(step.between)
            if step.width:
                (shown if model else unknown).add(step.width)
            for number in model.between if model else ():
                if own and self._pattern(slots[own[0]]) == self._pattern(slots[number]):
                    until = rest.index(own.pop(0)) + 1
                    places += [PlacedSlot(each, 1.0) for each in rest[:until]]
                    del rest[:until]
                    continue
                assert model is not None
                if tagged & {self._pattern(slots[number]), *model.kind[1:]}:
                    raise self._unfit(
                        slots[number], "its tag depends on the level, of which the recordings lack some"
                    )
                factor = step.width / model.width
                if any(
                    level.times(factor).calls(at).any() for level in levels[slots[number]] for at in self._at
                ):
                    raise self._unfit(slots[number], "ranks that rest on another level do not call it")
                places.append(PlacedSlot(number, factor))
            if own:
                raise self._unfit(slots[own[0]], "ranks that rest on another level do not call it")
            places += [PlacedSlot(each, 1.0) for each in rest]
        return places, frozenset(shown - unknown)

    def _pattern(self, slot: Slot) -> Pattern:
        return pattern_of(slot.blocks[-1] or (), self._grids[-1])

    def _alignment(
        self,
        slots: Sequence[Slot],
        levels: dict[Slot, list[Level]],
        faces: Mapping[tuple[Slot, int], dict[str, tuple[LevelFace, ...]]],
        places: Sequence[PlacedSlot],
        shown: frozenset[int],
    ) -> Alignment:
        lengths = [len(slot.blocks[-1] or ()) for slot in slots]
        starts = np.concatenate([[0], np.cumsum(lengths)]).tolist()
        self.on_level = []
        for slot in slots:
            found = tuple(levels.get(slot, ()))
            for place, event in enumerate(slot.blocks[-1] or ()):
                peers = frozenset(name for name, moved in zip(PEERS, event.moved, strict=True) if moved >= 0)
                self.on_level.append(OnLevel(found, peers, faces.get((slot, place), {})) if found else None)
        axes = frozenset(
            axis
            for found_of in levels.values()
            for level in found_of
            for grid in self._grids
            for axis in level.rests(grid)
        )
        top: list[Item] = []
        self.counts, self.copies = [], []
        for (found, factor), run in groupby(
            places, key=lambda each: (tuple(levels.get(slots[each.slot], ())), each.factor)
        ):
            leaves: list[Item] = []
            at = 0
            for at, _ in run:
                own = range(starts[at], starts[at + 1])
                if factor == 1:
                    leaves += own
                    continue
                leaves += range(starts[-1] + len(self.copies), starts[-1] + len(self.copies) + len(own))
                self.copies += [(leaf, factor) for leaf in own]
            if not found:
                top += leaves
                continue
            top.append(Loop(leaves, len(self.counts)))
            self.counts.append(
                Resting(found, axes, shown, self._names[(slots[at].blocks[-1] or ())[0].symbol]).times(factor)
            )
        leaf_of = [
            np.concatenate(
                [
                    np.arange(starts[at], starts[at + 1])
                    for at, slot in enumerate(slots)
                    if kind in slot.kinds[number]
                ]
            )
            for number, of_rank in enumerate(self._kind_of_rank)
            for kind in range(int(of_rank.max()) + 1)
        ]
        alone = [np.zeros(len(each), dtype=np.int64) for each in leaf_of]
        return Alignment(top, len(self.counts), leaf_of, alone, [each + 1 for each in alone], [])


class _Step(NamedTuple):
    """The calls between two blocks on levels."""

    width: int
    """Width of the coarser level, if the other one is the next finer one; or 0."""
    kind: Pattern
    """The same for steps between other levels."""
    slots: list[int]
    """All after the block before; the last one is the block behind."""
    between: list[int]
    """Slots that belong to the step."""


def _steps(
    slots: Sequence[Slot], levels: Mapping[Slot, Sequence[Level]], grid: tuple[int, ...]
) -> Iterator[_Step]:
    """Yield what is between blocks on levels, in order."""
    before: Slot | None = None
    since: list[int] = []
    between: list[int] = []
    for number, slot in enumerate(slots):
        since.append(number)
        found = levels.get(slot)
        if not found or not _moves(slot):
            continue
        if found[0].between():
            between.append(number)
            continue
        width = found[0].width
        last = levels[before][0].width if before else 0
        step = min(width, last) if max(width, last) == 2 * min(width, last) else 0
        patterns = [pattern_of(each.blocks[-1] or (), grid) for each in (before, slot) if each]
        yield _Step(step, (width > last, *patterns), since, between)
        before, since, between = slot, [], []
    yield _Step(0, (), since, between)


def _axes(slot: Slot, place: int, grid: tuple[int, ...]) -> set[int]:
    """Return the axes along which the messages of a call go."""
    return {axis for moved in (slot.blocks[-1] or ())[place].moved for axis in axes_of(moved, grid)}


def _moves(slot: Slot) -> bool:
    """Return whether it has messages."""
    return any(max(event.moved) >= 0 for event in slot.blocks[-1] or ())


def _shapes(dimensions: int) -> list[tuple[int, ...]]:
    """Return multiples of a width by axis, equal ones first."""
    found = (each for each in product((1, 2, 4), repeat=dimensions) if min(each) == 1)
    return sorted(found, key=sum)


def _distances(slot: Slot, grids: Sequence[tuple[int, ...]]) -> set[tuple[int, int, int]]:
    """Return how far messages go: an axis, the ranks along it, and a distance that is not 0."""
    return {
        (axis, n, distance)
        for block, grid in zip(slot.blocks, grids, strict=True)
        for event in block or ()
        for moved in event.moved
        if moved >= 0
        for axis, (n, distance) in enumerate(zip(grid, distances(moved, grid), strict=True))
        if distance
    }


def _possible(
    slot: Slot,
    far: set[tuple[int, int, int]],
    grids: Sequence[tuple[int, ...]],
    last: bool,
    shape: tuple[int, ...],
) -> Iterator[Level]:
    """Yield levels, and then steps between two, over which the slot's messages go."""
    axes = range(len(shape))
    moved = {
        axis for event in slot.blocks[-1] or () for each in event.moved for axis in axes_of(each, grids[-1])
    }
    ways: list[Sequence[tuple[str, ...]]] = [[(HERE,) * len(shape)]]
    if moved:
        ways.append(list(product(*((GIVES, TAKES) if axis in moved else (HERE, FINER) for axis in axes))))
    for parts in ways:
        width = 1
        while width <= (WIDEST if len(parts) == 1 else max(map(max, grids))):
            for each in parts:
                level = Level(width, last, shape, each)
                if _reaches(level, far):
                    yield level
            width *= 2


def _reaches(level: Level, far: set[tuple[int, int, int]]) -> bool:
    """Return whether all messages go as far as a level's do."""
    return all(
        distance in (reach % n, -reach % n)
        for axis, n, distance in far
        for reach in (int(level.reach(axis, np.array(n))),)
    )
