"""Every test under AddressSanitizer and UndefinedBehaviorSanitizer."""

import json

import pytest
import sanitized_programs
from sanitized_programs import ENVIRONMENT

QUICK = ["--seconds", "0.002"]


@pytest.fixture
def sanitized(open_mpi):
    return sanitized_programs.program("netbench", open_mpi)


@pytest.mark.slow  # compiles the program once more
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    ("test", "ranks"),
    [
        ("latency --sizes 1,70000", 2),
        ("pingpong --sizes 1,5000 --async", 2),
        ("pingpong --sizes 1,5000 --bidirectional --pairs", 5),
        ("bandwidth --sizes 1,70000 --window 3", 2),
        ("bibandwidth --sizes 8", 3),
        ("multipair --sizes 8 --window 2", 6),
        ("incast --sizes 8,4096", 4),
        ("overlap --sizes 8,70000", 2),
        ("beff --sizes 1,5000", 3),
        ("hpcc", 3),
        ("alltoall --sizes 1,3000", 3),
        ("allreduce --sizes 3,4096", 3),
        ("bcast --sizes 1,3000", 3),
        ("allgather --sizes 1,3000", 3),
        ("barrier", 3),
    ],
)
def test_clean(open_mpi, launch, sanitized, test, ranks):
    done = launch(open_mpi, ranks, [sanitized, *test.split(), *QUICK], environment=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runtime error" not in done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["kind"] == "start"
    assert lines[-1]["kind"] == "end"
    assert [line["kind"] for line in lines].count("row") > 0
