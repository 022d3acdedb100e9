"""A skeleton has the calls of a real run, one for one: what, with whom, how many bytes, which tag, in which order."""

import capabilities
import pytest

from linkworth import _engine
from linkworth.catalog import apps
from linkworth.errors import UsageError
from linkworth.measure import plan
from linkworth.skeleton import parse, record_skeleton
from linkworth.skeleton.program import check
from linkworth.trace import record

PROGRAMS = list(_engine.skeleton_programs())
NAS = [name for name in PROGRAMS if f"npb:{name}" in apps.names()]
RANKS = [1, 2, 8, 9]
"""Alone, with one neighbour on both sides, on an oblong grid or in a cube, and with a rank in the middle."""
DATA_DEPENDENT = {"is": ("send_counts", "recv_counts", "recv_bytes")}
"""IS sends each rank the keys of its buckets. Their number depends on the keys, within the bound
of tests/mpi/programs/test_is_messages.py. All that a rank sends together does not."""


def calls(trace, rank, forgiven=()):
    """Return the different calls of a rank, and which of them each event is."""
    read = _engine.read_rank(trace, rank)
    known = []
    for entry, call_class, fields in read["calls"]:
        name = trace.entries[entry].partition("@")[0]
        # MPI_Init has the thread level that the library provides.
        left_out = {"MPI_Alltoallv": forgiven, "MPI_Init": fields}.get(name, ())
        known.append((name, call_class, {key: fields[key] for key in fields if key not in left_out}))
    return known, read["call"].tolist()


def can_run(workload, ranks):
    try:
        check(parse([workload]), ranks)
    except UsageError:
        return False
    return True


def assert_same_calls(command, ranks, tmp_path, flat_rates):
    program = parse(command)
    try:
        check(program, ranks)
    except UsageError as refusal:
        pytest.skip(str(refusal))
    # Ranks of Open MPI that wait leave the cores to others.
    mpi = "openmpi" if capabilities.lacking("openmpi") is None else None
    planned = plan.plan(plan.workload(command, ranks), mpi=mpi)
    real = record.record(planned, output=tmp_path / "real.lwt", timeout=3000)
    assert (real.state, real.verified) == ("complete", True)
    made = record_skeleton(program, ranks, flat_rates(program.name), tmp_path / "skeleton.lwt")
    assert made.events == real.events
    traces = _engine.Trace(real.path), _engine.Trace(made.path)
    forgiven = DATA_DEPENDENT.get(program.name, ())
    for rank in range(ranks):
        (ran, real_order), (recorded, order) = (calls(trace, rank, forgiven) for trace in traces)
        assert len(order) == len(real_order)
        for one, other in set(zip(order, real_order, strict=True)):
            assert recorded[one] == ran[other], f"call {order.index(one)} of rank {rank}"


@pytest.mark.requires("mpi", "c++")
@pytest.mark.parametrize(
    ("name", "ranks"), [(name, ranks) for name in NAS for ranks in RANKS if can_run(f"npb:{name}.S", ranks)]
)
def test_class_s_is_recorded_as_it_runs(name, ranks, tmp_path, flat_rates):
    assert_same_calls([f"npb:{name}.S"], ranks, tmp_path, flat_rates)


@pytest.mark.exhaustive
@pytest.mark.requires("mpi", "c++")
@pytest.mark.parametrize("ranks", [4, 8, 9, 16])
@pytest.mark.parametrize("letter", ["W", "A"])
@pytest.mark.parametrize("name", NAS)
def test_larger_classes_are_recorded_as_they_run(name, letter, ranks, tmp_path, flat_rates):
    """Exhaustive: real runs of classes W and A, with more ranks than cores, and millions of calls to compare."""
    assert_same_calls([f"npb:{name}.{letter}"], ranks, tmp_path, flat_rates)


@pytest.mark.exhaustive
@pytest.mark.requires("mpi", "c++")
@pytest.mark.parametrize("ranks", [16, 64])
@pytest.mark.parametrize("name", NAS)
def test_many_ranks_are_recorded_as_they_run(name, ranks, tmp_path, flat_rates):
    """Exhaustive: 64 processes on a few cores. Class S, or the smallest that can be cut into so many parts."""
    letter = next(letter for letter in "SWA" if can_run(f"npb:{name}.{letter}", ranks))
    assert_same_calls([f"npb:{name}.{letter}"], ranks, tmp_path, flat_rates)
