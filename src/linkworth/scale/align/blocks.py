"""Blocks of calls between which no request is open, over distances on a grid, and the order that all ranks keep."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from linkworth import _engine
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.grids import coordinates, positions
from linkworth.scale.recording import SENDS, Call, Numbers, Recording

MOST_PAIRS = 4_000_000
"""Pairs of calls that are compared at most."""
PEERS = ("peer", "recv_peer")
SIZES = ("bytes", "recv_bytes")
_TAGS = ("tag", "recv_tag")
_MESSAGES = SENDS | {"recv", "irecv", "recv_init", "precv_init"}


class Event(NamedTuple):
    """A call, as it is for all ranks of a recording that make it."""

    symbol: int
    moved: tuple[int, int]
    """The distances to both peers, as the numbers of ranks that are as far from rank 0; -1: none."""
    sizes: tuple[int, int]
    tags: tuple[int, int]


Block = tuple[Event, ...]
"""Calls from the first that starts a request to the last that waits."""
Pattern = tuple[object, ...]


def kinds_of_ranks(
    recording: Recording, symbols: Numbers, grid: tuple[int, ...]
) -> tuple[list[bytes], Numbers, list[list[Block]]]:
    """Return a text for each rank, the number of its kind, and the blocks of each kind. Raises UnfitError."""
    calls = recording.calls
    peers, sizes, tags = (
        np.array(
            [
                [call.fields.get(name, -1) if call.call_class in _MESSAGES else -1 for call in calls]
                for name in names
            ],
            dtype=np.int64,
        )
        for names in (PEERS, SIZES, _TAGS)
    )
    communicator = np.array([call.fields.get("comm", -1) for call in calls], dtype=np.int64)
    everyone = list(range(recording.ranks))
    own = np.stack(positions(np.array(everyone), recording.ranks, grid).coordinates)
    extents = [np.array([n]) for n in grid]
    numbers: dict[Event, int] = {}
    opened: list[int] = []
    kinds: dict[bytes, int] = {}
    texts, of_rank = [], []
    for rank, sequence in enumerate(recording.sequences):
        used, place = np.unique(sequence.calls, return_inverse=True)
        whole = [number for number, members in recording.communicators[rank].items() if members == everyone]
        among = np.isin(communicator[used], whole)
        moved = []
        for peer in peers[:, used]:
            there, _ = coordinates(np.maximum(peer, 0), extents)
            distance = np.zeros_like(peer)
            for x, y, n in zip(own[:, rank], there, extents, strict=True):
                distance = distance * n + (y - x) % n
            moved.append(np.where(among & (peer >= 0), distance, -1))
        events = np.empty(len(used), dtype=np.int64)
        for at, number in enumerate(used.tolist()):
            event = Event(
                int(symbols[number]),
                (int(moved[0][at]), int(moved[1][at])),
                (int(sizes[0, number]), int(sizes[1, number])),
                (int(tags[0, number]), int(tags[1, number])),
            )
            events[at] = numbers.setdefault(event, len(opened))
            if events[at] == len(opened):
                opened.append(_opened(calls[number]))
        code = events[place]
        text = code.tobytes()
        if text not in kinds:
            if 2 * len(kinds) >= recording.ranks > 1:
                raise UnfitError(calls[0].entry, "too many ranks call otherwise")
            kinds[text] = len(kinds)
        texts.append(text)
        of_rank.append(kinds[text])
    events_of = list(numbers)
    sequences = [
        [
            tuple(events_of[each] for each in block)
            for block in _blocks(np.frombuffer(text, dtype=np.int64).tolist(), opened)
        ]
        for text in kinds
    ]
    return texts, np.array(of_rank, dtype=np.int64), sequences


def _opened(call: Call) -> int:
    """Return how many requests are open after the call that were not before."""
    return int(_engine.makes_request(call.call_class)) - len(call.fields.get("completions", ()))


def _blocks(events: Sequence[int], opened: Sequence[int]) -> Iterator[list[int]]:
    """Yield the blocks of a sequence."""
    block: list[int] = []
    pending = 0
    for event in events:
        if block and pending <= 0 and opened[event] >= 0:
            yield block
            block, pending = [], 0
        block.append(event)
        pending += opened[event]
    yield block


def merged(sequences: Sequence[list[Block]]) -> list[tuple[Block, set[int]]]:
    """Return the blocks of all kinds of ranks in an order that all keep, each with the kinds that have it. Raises UnfitError."""
    whole: list[tuple[Block, set[int]]] = []
    for kind in sorted(range(len(sequences)), key=lambda each: -len(sequences[each])):
        blocks = sequences[kind]
        out: list[tuple[Block, set[int]]] = []
        for own, other, same in _matched([block for block, _ in whole], blocks):
            out += [(block, kinds | {kind} if same else kinds) for block, kinds in whole[own]]
            out += [] if same else [(block, {kind}) for block in blocks[other]]
        whole = out
    return whole


def _matched(one: Sequence[Block], other: Sequence[Block]) -> Iterator[tuple[slice, slice, bool]]:
    """Yield parts that are next in both, and whether they are the same. Raises UnfitError."""
    counts, others = Counter(one), Counter(other)
    # Most blocks are equally often in both, and the others are few between two of them.
    common = {block for block, count in counts.items() if others[block] == count}
    first = [at for at, block in enumerate(one) if block in common]
    second = [at for at, block in enumerate(other) if block in common]
    if [one[at] for at in first] != [other[at] for at in second]:
        first, second = [], []
    i = j = 0
    for a, b in zip([*first, len(one)], [*second, len(other)], strict=True):
        # Ranks that rest do less in the middle, so that what is equal at both ends is the same.
        before = _common(one[i:a], other[j:b])
        after = _common(one[i + before : a][::-1], other[j + before : b][::-1])
        yield slice(i, i + before), slice(j, j + before), True
        i, j = i + before, j + before
        if (a - after - i) * (b - after - j) > MOST_PAIRS:
            raise UnfitError("ranks", "they call too differently")
        matcher = SequenceMatcher(None, one[i : a - after], other[j : b - after], autojunk=False)
        for tag, i0, i1, j0, j1 in matcher.get_opcodes():
            yield slice(i + i0, i + i1), slice(j + j0, j + j1), tag == "equal"
        yield slice(a - after, a), slice(b - after, b), True
        yield slice(a, a + 1), slice(b, b + 1), True
        i, j = a + 1, b + 1


def _common(one: Sequence[Block], other: Sequence[Block]) -> int:
    """Return how many blocks are the same at the start."""
    same = (first == second for first, second in zip(one, other, strict=False))
    return sum(1 for _ in takewhile(bool, same))


def pattern_of(block: Block, grid: tuple[int, ...], known: Collection[int] | None = None) -> Pattern:
    """Return what is the same at all counts: calls, and axes along which their messages go."""
    axes = range(len(grid)) if known is None else known
    return tuple(
        (event.symbol, *(frozenset(axes_of(moved, grid)).intersection(axes) for moved in event.moved))
        for event in block
    )


@lru_cache
def distances(moved: int, grid: tuple[int, ...]) -> tuple[int, ...]:
    """Return the distance to a peer by axis."""
    found = []
    for n in reversed(grid):
        moved, here = divmod(moved, n)
        found.append(here)
    return tuple(found[::-1])


def axes_of(moved: int, grid: tuple[int, ...]) -> list[int]:
    """Return the axes along which a message goes."""
    return [] if moved < 0 else [axis for axis, distance in enumerate(distances(moved, grid)) if distance]
