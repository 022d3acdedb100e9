"""Recordings that differ in more than their rank count."""

import pytest

from linkworth.model.scaling import Scaling
from linkworth.model.trace import TraceMetadata
from linkworth.trace.comparable import doubts, same_model


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz",
            "Intel Xeon E5-2650 v3 (10 cores, Hyper-Threading)",
            True,
        ),
        (
            "Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz",
            "Intel Xeon E5-2650 v3 (10 cores, Hyper-Threading)",
            False,
        ),
        ("AMD EPYC 7V73X 64-Core Processor", "AMD EPYC 7V73X (120 cores of the two sockets)", True),
        ("AMD EPYC 7763 64-Core Processor", "AMD EPYC 7V73X (120 cores of the two sockets)", False),
        ("Intel(R) Xeon(R) Processor", "AMD EPYC 7V73X", True),
    ],
)
def test_a_number_of_the_model_decides(one, other, same):
    assert same_model(one, other) == same_model(other, one) == same


@pytest.mark.parametrize(
    ("commands", "differs"),
    [
        (["mpirun -n 4 ./a -i x -n 100", "mpirun -H one,two -n 8 ./a -i x -n 100"], ""),
        (["./a -i x", "./a -i y"], "4 ranks: x; 8 ranks: y"),
        (["./a -n 100", "./a -n 200"], "4 ranks: 100; 8 ranks: 200"),
        (["./a", "./a -v"], "4 ranks: none; 8 ranks: -v"),
        (["./a -grid 2x2 -b 8 workers=3", "./a -grid 2x4 -b 8 workers=7"], ""),
    ],
)
def test_arguments_that_do_not_follow_from_the_rank_count_differ(commands, differs):
    traces = [
        (ranks, TraceMetadata(workload="a", command=command.split()))
        for ranks, command in zip((4, 8), commands, strict=True)
    ]
    found = doubts(traces)
    assert [f"({differs})" in doubt for doubt in found] == ([True] if differs else [])
    assert doubts(traces, one_problem=False) == []


def test_a_scaled_trace_names_the_sizes_of_its_recordings():
    def metadata(size=None):
        scaling = Scaling(ranks=[4, 8], sizes=[100, 200], size=size, grid=[16], roles="all", role_count=1)
        return TraceMetadata(workload="a", scaling=scaling if size else None)

    assert (
        "(4 ranks: 100; 8, 16 ranks: 200)"
        in doubts([(4, metadata()), (8, metadata()), (16, metadata(200))])[0]
    )
    assert doubts([(8, metadata()), (16, metadata(200)), (32, metadata())]) == []
