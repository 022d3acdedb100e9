"""A few thousand mutations of every kind of file that linkworth reads; `make fuzz` makes many more."""

import pytest
from file_fuzzer import faults, mutated
from fuzzed_kinds import KINDS

COUNTS = {
    "fabric": 60, "price": 60, "machine": 40, "study": 20, "hosts": 300, "queue": 300, "benchmark": 6, "predictions": 300,
    "record": 300, "ti": 100, "part": 200, "profile": 300, "trace": 25, "otf2": 10,
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.requires("otf2") if name == "otf2" else []) for name in KINDS],
)
def test_any_file_is_read_or_refused_in_one_sentence(tmp_path, name):
    assert list(faults(KINDS[name], 1, range(COUNTS[name]), tmp_path)) == []


def test_a_mutation_follows_from_its_seed_and_number():
    kind = KINDS["fabric"]
    assert mutated(kind, 1, 5) == mutated(kind, 1, 5) != mutated(kind, 1, 6)
    assert mutated(kind, 1, 5) != mutated(kind, 2, 5)
