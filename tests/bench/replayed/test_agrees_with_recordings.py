"""A predicted benchmark against the replay of a recording of the real one: the same messages, so the same figures."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from mpi_programs import usable_mpis

from linkworth import _engine
from linkworth.bench.replayed.predict import predict
from linkworth.bench.settings import BenchSettings, arguments
from linkworth.bench.tests import TESTS
from linkworth.catalog import fabrics
from linkworth.measure import plan
from linkworth.model.settings import Details, RecordLimits, ReplaySettings
from linkworth.mpi import build
from linkworth.replay.layout import lay_out
from linkworth.replay.run import replay_in_detail
from linkworth.trace import record
from linkworth.trace.read import open_trace

RANKS, NODES = 4, 2
pytestmark = [
    pytest.mark.requires("mpi", "c++"),
    pytest.mark.slow,  # lw-netbench and the tracer are built, and the benchmark runs
]


def replayed_calls(tmp_path, test, settings):
    """Record a test with the MPI of this machine, replay it on gbe without computation: each rank's calls with their ends."""
    mpi = usable_mpis()[0]
    command = [str(build.netbench(mpi)), *arguments(TESTS[test], settings)]
    summary = record.record(plan.plan(plan.workload(command, RANKS), mpi=mpi.name), output=tmp_path / "b.lwt")
    trace = open_trace(Path(summary.path))
    found = replay_in_detail(
        trace.engine,
        fabrics.get("gbe"),
        lay_out(RANKS, NODES),
        cpu_factor=1e12,
        settings=ReplaySettings(mpi_library="mpich"),
        details=Details(record=RecordLimits(0.0, 1e9, 10_000_000)),
    )
    calls = defaultdict(list)
    for rank, _, name, _, end in found.result.recording.calls:
        calls[rank].append((trace.engine.names[name].partition("@")[0], end))
    return [calls[rank] for rank in range(RANKS)]


def stretches(calls, name):
    """Return seconds and number of each rank's calls between two readings of its clock: [stretch][rank]."""
    found = []
    for rank in calls:
        readings = [number for number, (one, _) in enumerate(rank) if one == "MPI_Wtime"]
        found.append(
            [
                (rank[last][1] - rank[first][1], last - first - 1)
                for first, last in pairwise(readings)
                if last > first + 1 and all(one == name for one, _ in rank[first + 1 : last])
            ]
        )
    return list(zip(*found, strict=True))


def predicted(test, settings):
    return predict(TESTS[test], settings, fabrics.get("gbe"), lay_out(RANKS, NODES))


def test_an_alltoall_is_predicted_as_its_recording_replays(tmp_path):
    settings = BenchSettings(sizes=[65536], seconds=0.002)
    calls = replayed_calls(tmp_path, "alltoall", settings)
    samples = [
        max(seconds / count for seconds, count in stretch) for stretch in stretches(calls, "MPI_Alltoall")
    ]
    middle = sorted(samples)[len(samples) // 2]
    assert predicted("alltoall", settings).rows[0].latency_seconds == pytest.approx(middle, rel=0.01)


def test_beff_is_predicted_as_its_recording_replays(tmp_path):
    settings = BenchSettings(sizes=[4096, 262144], methods=["sendrecv"])
    calls = replayed_calls(tmp_path, "beff", settings)
    found = {}
    rings = [_engine.beff_patterns(RANKS, random, settings.seed) for random in (False, True)]
    # Two calls are one exchange.
    seconds = iter(
        max(seconds / (count / 2) for seconds, count in stretch)
        for stretch in stretches(calls, "MPI_Sendrecv")
    )
    for label, patterns in zip(("rings", "random"), rings, strict=True):
        for size in settings.sizes:
            best = {}
            for pattern in map(tuple, patterns):
                if pattern not in best:
                    best[pattern] = min(next(seconds) for _ in range(3))
            bandwidths = [2 * RANKS * size / best[tuple(pattern)] for pattern in patterns]
            found[label, size] = _engine.logarithmic_average(bandwidths)
    assert next(seconds, None) is None
    rows = {
        (row.label, row.bytes): row.bandwidth_bytes_per_second for row in predicted("beff", settings).rows
    }
    assert rows == {key: pytest.approx(value, rel=0.02) for key, value in found.items()}
    assert all(one != other for one, other in pairwise(found.values()))
