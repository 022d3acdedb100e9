"""Ranks that a place cannot start, or not on the nodes asked for, are refused before anything is built."""

import pytest

from linkworth.errors import UsageError
from linkworth.places.local import LocalPlace
from linkworth.places.place import LEAST_LIMIT, RANKS_A_CORE, check_layout, check_started_ranks


class Large(LocalPlace):
    """A machine of many cores."""

    cores = 1000


@pytest.mark.parametrize("verb", ["run", "trace", "bench"])
@pytest.mark.parametrize("ranks", [10**6, 10**7])
def test_verbs_that_start_ranks_refuse_too_many(verb, ranks, refused):
    program = ["latency"] if verb == "bench" else ["--", "true"]
    sentence = refused(verb, "-n", ranks, "--dry-run", *program)
    assert f"-n {ranks}: each rank is a process, and local starts at most " in sentence


def test_cores_raise_the_limit():
    check_started_ranks(LEAST_LIMIT, LocalPlace())
    check_started_ranks(1000 * RANKS_A_CORE, Large())
    with pytest.raises(UsageError, match="starts at most 64000 of them"):
        check_started_ranks(1000 * RANKS_A_CORE + 1, Large())


def test_no_place_takes_more_nodes_than_ranks():
    check_layout(4, 4, 1)
    with pytest.raises(UsageError, match="`nodes` 4: 2 ranks cannot be on more than 2 nodes"):
        check_layout(2, 4, None)
    with pytest.raises(UsageError, match="`nodes` 4 and `ppn` 1 make 4 ranks, but `ranks` is 2"):
        check_layout(2, 4, 1)
