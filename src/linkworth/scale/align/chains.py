"""Chains of messages in which ranks pass on what the owner of a step sends, as a ring broadcasts a panel.

In each step, a rank receives, or begins a chain if it is the owner. Both become one symbol, so that the steps are found like
those with a collective call.
"""

from collections.abc import Collection, Sequence
from itertools import chain, product

import numpy as np
import numpy.typing as npt

from linkworth.scale.recording import Call, Numbers, Recording

FEWEST_STEPS = 8
ROOT = 40
"""Bit of a symbol that is set where the rank is the root of a collective call, or begins a chain."""
_MOST_DISTANCES = 4
_FARTHEST = 3
"""Number for half of the ranks."""
_MOST_PAIRS = 16
Flags = npt.NDArray[np.bool_]
_SENDS = {"send", "isend"}


def with_chains(
    recordings: Sequence[Recording], codes: Sequence[list[Numbers]]
) -> tuple[list[list[Numbers]], set[int]]:
    """Return the codes of all ranks, with those of a receive for sends that begin a chain, and the symbols of chains."""
    begins = [[_begins(recording, each.calls) for each in recording.sequences] for recording in recordings]
    sends: set[int] = set()
    receives: set[int] = set()
    for recording, of, first in zip(recordings, codes, begins, strict=True):
        received = np.array([call.call_class == "recv" for call in recording.calls], dtype=bool)
        for sequence, own, begin in zip(recording.sequences, of, first, strict=True):
            sends.update(np.unique(own[begin]).tolist())
            receives.update(np.unique(own[received[sequence.calls]]).tolist())
    if len(sends) * len(receives) > _MOST_PAIRS:
        return list(codes), set()
    for send, receive in product(sorted(sends), sorted(receives)):
        starts = [
            [begin & (own == send) for own, begin in zip(of, first, strict=True)]
            for of, first in zip(codes, begins, strict=True)
        ]
        counts = [
            {int(np.count_nonzero((own == receive) | start)) for own, start in zip(of, first, strict=True)}
            for of, first in zip(codes, starts, strict=True)
        ]
        if all(len(each) == 1 and min(each) >= FEWEST_STEPS for each in counts):
            return _marked(recordings, codes, starts, receive), {receive}
    return list(codes), set()


def _begins(recording: Recording, calls: Numbers) -> Flags:
    """Return by event whether it is a send that passes nothing on, and follows no such send of the same data."""
    found = np.zeros(len(calls), dtype=bool)
    before: Call | None = None
    messages = np.array([call.call_class in {*_SENDS, "recv"} for call in recording.calls], dtype=bool)
    for place in np.flatnonzero(messages[calls]).tolist():
        call = recording.calls[calls[place]]
        found[place] = call.call_class in _SENDS and (before is None or _data(before) != _data(call))
        before = call
    return found


def _data(call: Call) -> tuple[int, int, int]:
    return call.fields["comm"], call.fields["tag"], call.fields["bytes"]


def _marked(
    recordings: Sequence[Recording],
    codes: Sequence[list[Numbers]],
    starts: Sequence[list[Flags]],
    receive: int,
) -> list[list[Numbers]]:
    """Return the codes with those of a receive where chains start. Receives from elsewhere are other ones."""
    shown = set(
        chain.from_iterable(_distances(recordings[-1], rank, ()) for rank in range(recordings[-1].ranks))
    )
    kinds = sorted(shown - {0})
    found = []
    for recording, of, first in zip(recordings, codes, starts, strict=True):
        ranks = []
        for rank, (own, start) in enumerate(zip(of, first, strict=True)):
            code = np.where(start, receive + (1 << ROOT), own)
            if 1 < len(kinds) <= _MOST_DISTANCES:
                far = np.array(_distances(recording, rank, kinds), dtype=np.int64)
                code += (far + _FARTHEST)[recording.sequences[rank].calls] << ROOT + 1
            ranks.append(code)
        found.append(ranks)
    return found


def _distances(recording: Recording, rank: int, known: Collection[int]) -> list[int]:
    """Return by call from how far away it receives, up to two ranks or half of all, else 0. `known`: those to prefer."""
    found = []
    made = set(recording.sequences[rank].calls.tolist())
    for number, call in enumerate(recording.calls):
        members = recording.peers(rank, call.fields.get("comm", -1))
        peer = call.fields.get("peer", -1)
        if number not in made or call.call_class != "recv" or not 0 <= peer < len(members):
            found.append(0)
            continue
        n = len(members)
        away = (peer - members.index(rank)) % n
        fitting = [each for each in (-1, -2, 1, 2) if each % n == away]
        fitting += [_FARTHEST] if away == n - n // 2 else []
        found.append(next((each for each in fitting if each in known), (fitting or [0])[0]))
    return found
