"""Longest common subsequences against the definition."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkworth.scale.distributions.common import in_common, longest_common

series = st.lists(st.integers(0, 2), max_size=8)


@given(one=series, other=series)
def test_no_longer_subsequence_is_in_both(one: list[int], other: list[int]) -> None:
    places, others = longest_common(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64))
    assert [one[at] for at in places] == [other[at] for at in others]
    assert (np.diff(places) > 0).all()
    assert (np.diff(others) > 0).all()
    longer = {tuple(some) for some in combinations(other, len(places) + 1)}
    assert not longer & set(combinations(one, len(places) + 1))


def test_several_series_keep_what_all_have() -> None:
    found = in_common([list("xabcd"), list("aybdc"), list("abzd")])
    assert found is not None
    assert [places.tolist() for places in found] == [[1, 2, 4], [0, 2, 3], [0, 1, 3]]
    assert in_common([["a"], ["b"]]) is None
