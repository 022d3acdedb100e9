"""Peers of grids on which several rules agree."""

import numpy as np
import pytest

from linkworth.scale.fit.dimensions import Across, Repeats
from linkworth.scale.fit.peers import Iterations, OffGridError, fit_peer
from linkworth.scale.grids import positions


def test_a_neighbour_round_a_ring_is_no_constant_rank() -> None:
    """Rank 0 of a periodic 3 x 4 grid sends down the first dimension, which has 3 ranks in all recordings."""
    zero = np.zeros(1, dtype=np.int64)
    steps = Iterations(zero, zero + 1)
    peer = fit_peer(positions(zero, 12, (3, 4)), np.array([8]), steps)
    assert peer is not None
    assert peer.ranks(positions(zero, 16, (4, 4)), steps).tolist() == [12]


def test_a_loop_over_no_dimension_leads_off_the_grid() -> None:
    """A loop over dimensions of two ranks has none on 4 x 4."""
    peer = Across(0, Repeats(2, 2, 3), descending=False, offsets=(0, 0, 0), none={(0, 0): -1})
    with pytest.raises(OffGridError):
        peer.place((4, 4), 0)
