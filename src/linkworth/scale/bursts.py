"""Messages of a rank with its neighbours on a grid, in bursts between calls that all ranks make."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from linkworth import _engine
from linkworth.scale.align.stencils import Space
from linkworth.scale.grids import Offset
from linkworth.scale.recording import WAIT, WAITALL, Call, Recording, references

RARE: Offset = ()
"""Stands for the place of the neighbour in calls that concern none, and that only some ranks make."""
Symbol = tuple[str, Offset, int]
"""Call site, where the neighbour is, and how many such calls come before between two calls of all ranks."""
Request = tuple[int, Symbol | None]
"""Number of bursts since it was made, and the call that made it; None: the call of all ranks after the burst."""


class UnlikeError(Exception):
    """Ranks lack other calls than those for neighbours that do not exist."""


class _Known(NamedTuple):
    """Properties that equal calls of a rank share."""

    entry: str
    backs: Sequence[int]
    """Distances back to the requests that it starts or completes. The latest is at 1."""
    makes_request: bool
    offset: Offset | None
    """Place of a message's neighbour. None: it is no message, or `is_of_one`."""
    is_of_one: bool
    """It starts or completes one request, with whose neighbour it belongs."""
    is_rare: bool


class Burst(NamedTuple):
    """Messages of a rank between two calls of all ranks, and the second of these."""

    symbols: Sequence[Symbol]
    places: Mapping[Symbol, int]
    """By symbol: its place in `symbols`."""
    refers: Sequence[Sequence[Request]]
    """By call: the requests that it starts or completes. The last one is that of all ranks, if there is one."""

    def place(self, symbol: Symbol | None) -> int:
        """Return the place of a call of the burst. None: that of all ranks after it."""
        return len(self.symbols) if symbol is None else self.places[symbol]


class Bursts:
    """The bursts of a rank."""

    def __init__(
        self, recording: Recording, rank: int, sites: Collection[str], rare: Collection[str], space: Space
    ) -> None:
        """Divide the calls. `rare`: sites that not all ranks call.

        Raises UnlikeError if these make or complete requests, or if other calls complete some of several.
        """
        self.starts = [0]
        """By burst: place of its first call."""
        self.kinds: list[int] = []
        """By burst: number in `different`."""
        self.different: list[Burst] = []
        self._calls = recording.sequences[rank].calls
        self._requests: list[tuple[int, int]] = []
        """The burst in which each was made, and the place."""
        self._made = 0
        """Requests made before the burst."""
        self._numbers: dict[Any, int] = {}
        everyone = np.arange(recording.ranks)
        offsets = [tuple(each) for each in space.offsets(np.full_like(everyone, rank), everyone).tolist()]

        def known(call: Call) -> _Known:
            backs = references(call)
            if backs and call.fields.get("mode", WAIT) > WAITALL:
                # Time decides what it completes.
                raise UnlikeError
            makes_request = _engine.makes_request(call.call_class)
            if call.entry in sites:
                members = recording.communicators[rank][call.fields["comm"]]
                return _Known(
                    call.entry, backs, makes_request, offsets[members[call.fields["peer"]]], False, False
                )
            return _Known(
                call.entry,
                backs,
                makes_request,
                None,
                len(backs) == 1 and is_of_one(call),
                call.entry in rare,
            )

        self._known = {number: known(recording.calls[number]) for number in np.unique(self._calls).tolist()}
        self._divide()

    def burst(self, number: int) -> Burst:
        """Return a burst."""
        return self.different[self.kinds[number]]

    def _divide(self) -> None:
        offsets: list[Offset] = []
        """By call of the burst: where its neighbour is."""
        earlier: list[tuple[int, int, int]] = []
        """Requests of earlier bursts: how many bursts ago, which of the different ones, and the place in it."""
        neighbours: list[Offset | None] = []
        """By request: where the neighbour is with which it is."""
        for place, number in enumerate(self._calls.tolist()):
            _, backs, makes_request, offset, is_of_one, is_rare = self._known[number]
            if backs:
                burst = len(self.kinds)
                if self._requests[-max(backs)][0] < burst:
                    earlier += [self._earlier(self._requests[-back]) for back in backs]
                if is_of_one:
                    offset = neighbours[-backs[0]]
            if offset is None and is_rare:
                if makes_request or backs:
                    raise UnlikeError
                offset = RARE
            if makes_request:
                self._requests.append((len(self.kinds), place))
                neighbours.append(offset)
            if offset is None:
                self._end(place + 1, offsets, earlier)
                offsets, earlier = [], []
            else:
                offsets.append(offset)
        self._end(len(self._calls), offsets, earlier)

    def _earlier(self, request: tuple[int, int]) -> tuple[int, int, int]:
        made_in, place = request
        kind = self.kinds[made_in] if made_in < len(self.kinds) else -1
        return len(self.kinds) - made_in, kind, place - self.starts[made_in]

    def _end(self, end: int, offsets: Sequence[Offset], earlier: Sequence[tuple[int, int, int]]) -> None:
        """End a burst before a place. `offsets`: where the neighbours of its calls are."""
        calls = self._calls[self.starts[-1] : end]
        kind = self._numbers.setdefault((calls.tobytes(), *earlier), len(self.different))
        if kind == len(self.different):
            self.different.append(self._burst(calls.tolist(), offsets))
        self.kinds.append(kind)
        self.starts.append(end)
        self._made = len(self._requests)

    def _burst(self, calls: Sequence[int], offsets: Sequence[Offset]) -> Burst:
        burst = len(self.kinds)
        symbols: list[Symbol] = []
        refers: list[list[Request]] = []
        turns: Counter[tuple[str, Offset]] = Counter()
        made = self._made

        def request(back: int) -> Request:
            made_in, place = self._requests[made - back]
            of = symbols if made_in == burst else self.burst(made_in).symbols
            at = place - self.starts[made_in]
            return burst - made_in, of[at] if at < len(of) else None

        for number, offset in zip_longest(calls, offsets):
            known = self._known[number]
            refers.append([request(back) for back in known.backs])
            made += known.makes_request
            if offset is not None:
                symbols.append((known.entry, offset, turns[known.entry, offset]))
                turns[known.entry, offset] += 1
        return Burst(symbols, {symbol: place for place, symbol in enumerate(symbols)}, refers)


def is_of_one(call: Call) -> bool:
    """Return whether a call starts or completes one request whatever the rank, which a list of one does not show."""
    if call.call_class == "complete":
        return bool(call.fields["mode"] == WAIT)
    return not call.entry.startswith("MPI_Startall")
