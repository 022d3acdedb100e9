"""The message sizes of IS, which depend on the keys: what a skeleton expects against what real keys give."""

from math import sqrt
from pathlib import Path

import checks_in_cpp
import pytest
from run_program import output_of

from linkworth import _engine

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "native/programs"
LOG2_KEYS = {"S": 16, "W": 20, "A": 23}
BUCKETS = {"S": 512, "W": 1024, "A": 1024}


@pytest.fixture(scope="module")
def real_counts(tmp_path_factory):
    """Keys from each rank to each other one, from the keys themselves."""
    files = [HERE / "is_message_counts.cpp", SOURCES / "is/sorter.cpp"]
    binary = checks_in_cpp.compiled(files, SOURCES, tmp_path_factory.mktemp("messages"), "-O2")

    def counts(letter, ranks):
        lines = output_of([binary, letter, str(ranks)]).splitlines()
        return [[int(count) for count in line.split()] for line in lines]

    return counts


@pytest.fixture
def exchanges(tmp_path):
    """The exchanges of keys of a skeleton: one list of (counts out, counts in) a rank."""

    def recorded(letter, ranks):
        path = str(tmp_path / "is.lwt")
        phases = _engine.skeleton_programs()["is"]
        _engine.record_skeleton("is", [letter], ranks, [0.0] * len(phases), path, "{}")
        trace = _engine.Trace(path)
        return [
            [
                ([b // 4 for b in e["fields"]["send_counts"]], [b // 4 for b in e["fields"]["recv_counts"]])
                for e in trace.iterate(rank)
                if e["name"] == "MPI_Alltoallv"
            ]
            for rank in range(ranks)
        ]

    return recorded


@pytest.mark.requires("c++")
@pytest.mark.parametrize(
    ("letter", "ranks"), [("S", 1), ("S", 2), ("S", 8), ("S", 128), ("W", 4), ("W", 64), ("A", 4), ("A", 16)]
)
def test_expected_counts_are_the_real_ones_within_the_bound(real_counts, exchanges, letter, ranks):
    """The bound of docs/reference/npb.md: six standard deviations of the keys between two ranks, and at each end
    of the receiver's range one bucket and six standard deviations of the keys below."""
    keys = 2 ** LOG2_KEYS[letter]
    share = keys // ranks
    ends = 2 * share * (8 / 3 / BUCKETS[letter] + 3 / sqrt(keys))
    for rank, (real, recorded) in enumerate(
        zip(real_counts(letter, ranks), exchanges(letter, ranks), strict=True)
    ):
        assert len(recorded) == 11
        expected, _ = recorded[rank % 11]
        assert sum(real) == sum(expected) == share
        for one, other in zip(real, expected, strict=True):
            assert abs(one - other) <= 6 * sqrt(max(other, 1)) + (ends if ranks > 1 else 0)


@pytest.mark.parametrize(("letter", "ranks"), [("S", 128), ("C", 64), ("D", 4), ("E", 64)])
def test_what_is_sent_is_received(exchanges, letter, ranks):
    recorded = [own[0] for own in exchanges(letter, ranks)]
    for sender in range(ranks):
        for receiver in range(ranks):
            assert recorded[sender][0][receiver] == recorded[receiver][1][sender]
