"""All events of the ranks of a role, by their place in the program."""

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby

import numpy as np
import numpy.typing as npt

from linkworth.scale.align.folding import Alignment
from linkworth.scale.align.sequences import RecordedRank, Sequences
from linkworth.scale.behaviour import SLOT_BITS, SLOT_MASK, slot_codes
from linkworth.scale.fit.numbers import Fitter
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Samples
from linkworth.scale.grids import GridRule, Position, positions
from linkworth.scale.recording import Numbers, Recording, Times


class EventTable:
    """All events of a role's samples, by leaf."""

    def __init__(
        self,
        sequences: Sequences,
        samples: Sequence[RecordedRank],
        alignment: Alignment,
        numbers: dict[bytes, int],
        arrangement: GridRule,
    ) -> None:
        self.samples_of_role = list(samples)
        self._recording = np.array([each.recording for each in samples], dtype=np.int64)
        self.arrangement = arrangement
        self.recordings = sequences.recordings
        self.sequence_of_sample = [numbers[sequences.texts[each.recording][each.rank]] for each in samples]
        own = [self.recordings[each.recording].sequences[each.rank] for each in samples]
        first_call = np.cumsum([0, *(len(each.calls) for each in self.recordings)])
        self._leaf_of = [alignment.leaf_of[number] for number in self.sequence_of_sample]
        leaf = np.concatenate(self._leaf_of)
        self._order = order = np.argsort(leaf, kind="stable")
        self.leaf = leaf[order]

        def gathered(parts: list[Numbers]) -> Numbers:
            return np.concatenate(parts)[order]

        self.sample = gathered(
            [np.full(len(each.calls), number, dtype=np.int64) for number, each in enumerate(own)]
        )
        self.call = gathered(
            [each.calls + first_call[sample.recording] for each, sample in zip(own, samples, strict=True)]
        )
        self.iteration = gathered([alignment.iteration[number] for number in self.sequence_of_sample])
        self.iterations = gathered([alignment.iterations[number] for number in self.sequence_of_sample])
        self.step = self.steps = np.zeros_like(self.iteration)
        if alignment.steps:
            self.step = gathered([alignment.step[number] for number in self.sequence_of_sample])
            self.steps = gathered([alignment.steps[number] for number in self.sequence_of_sample])
        self._sequences = own
        self.at = places_of(samples, self.recordings, arrangement)

    # Most programs are refused before slots and times are used.

    @cached_property
    def _slots(self) -> tuple[Numbers, Numbers]:
        slots, slot = np.unique(np.concatenate(list(map(slot_codes, self._leaf_of))), return_inverse=True)
        return slots, slot[self._order]

    @property
    def slots(self) -> Numbers:
        """Return the different slots."""
        return self._slots[0]

    @property
    def slot(self) -> Numbers:
        """Return the number of each event's slot."""
        return self._slots[1]

    @cached_property
    def compute(self) -> Times:
        """Return the computation before each event."""
        return np.concatenate([each.compute for each in self._sequences])[self._order]

    @cached_property
    def durations(self) -> Times:
        """Return how long each event took."""
        return np.concatenate([each.durations for each in self._sequences])[self._order]

    @cached_property
    def has_cpu(self) -> npt.NDArray[np.bool_]:
        """Return whether the computation is in CPU time."""
        return np.concatenate([each.has_cpu for each in self._sequences])[self._order]

    def group_of_slot(self, column_of_leaf: Numbers) -> Numbers:
        """Return slots whose computation is fitted together: the same call after the same call."""
        columns = np.append(column_of_leaf, -1)
        before, leaf = columns[(self.slots >> SLOT_BITS) - 1], column_of_leaf[self.slots & SLOT_MASK]
        return np.unique(before * (int(column_of_leaf.max()) + 2) + leaf, return_inverse=True)[1]

    def recordings_of(self, part: slice) -> int:
        """Return the number of recordings that have some events."""
        return len(np.unique(self._recording[self.sample[part]]))

    def samples(self, part: slice, fitter: Fitter) -> Samples:
        """Return the samples of some events."""
        outer = None
        if (self.steps[part] > 0).all() and (self.steps[part] != self.iterations[part]).any():
            outer = Iterations(self.step[part], self.steps[part])
        steps = Iterations(self.iteration[part], self.iterations[part], outer)
        return self._samples(self.sample[part], steps, fitter)

    def of_sequences(self, fitter: Fitter) -> Samples:
        """Return one sample for each sequence."""
        count = len(self.samples_of_role)
        return self._samples(np.arange(count), Iterations.once(count), fitter)

    def _samples(self, which: Numbers, steps: Iterations, fitter: Fitter) -> Samples:
        at = self.at.only(which)
        return Samples(at, steps, self._recording[which], at.ranks, self.recordings, self.arrangement, fitter)


def places_of(
    samples: Sequence[RecordedRank], recordings: Sequence[Recording], arrangement: GridRule
) -> Position:
    """Return the places of ranks on the grids of their recordings."""
    parts = [
        positions(
            np.array([each.rank for each in of], dtype=np.int64),
            recordings[number].ranks,
            arrangement.grid(recordings[number].ranks),
        )
        for number, of in groupby(samples, key=lambda each: each.recording)
    ]
    dimensions = range(arrangement.dimensions)
    return Position(
        np.concatenate([part.ranks for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        [np.concatenate([part.coordinates[d] for part in parts]) for d in dimensions],
        [np.concatenate([part.extents[d] for part in parts]) for d in dimensions],
    )
