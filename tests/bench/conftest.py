"""Results written by hand, for what shows and stores them."""

import pytest

from linkworth.model.bench import BenchResult, BenchRow, Carrier


@pytest.fixture
def latency():
    rows = [
        BenchRow(bytes=1, latency_seconds=1.5e-6, bandwidth_bytes_per_second=1 / 1.5e-6, samples=1200, mean=1.5e-6,
                 median=1.45e-6, deviation=1e-7, minimum=1.2e-6, p99=2e-6, confidence_half_width=0.012, outliers=3),
        BenchRow(bytes=65536, latency_seconds=2.5e-5, bandwidth_bytes_per_second=65536 / 2.5e-5, samples=80, mean=2.5e-5,
                 median=2.4e-5, deviation=1e-6, minimum=2.2e-5, p99=3e-5, confidence_half_width=0.019, outliers=0),
    ]  # fmt: skip
    return BenchResult(
        test="latency", rows=rows, nodes=2, mpi="Open MPI 4.1.4", where="lab gbe", date="2026-11-22T08:00:00+00:00",
        facts={"nodes": "node1, node2"},
        carried=Carrier(transport="ob1: tcp between nodes", verdict="between nodes over d0: 1.05 of the payload"),
    )  # fmt: skip


@pytest.fixture
def beff():
    rows = [
        BenchRow(
            bytes=size,
            label=label,
            latency_seconds=4 * size / rate,
            bandwidth_bytes_per_second=rate,
            samples=9,
        )
        for label, rate in (("rings", 2e8), ("random", 1e8))
        for size in (1, 4096)
    ]
    return BenchResult(
        test="beff", rows=rows, mpi="MPICH 5.0.2", warnings=["the machine was busy"],
        values={"beff_bytes_per_second": 1.41421356e8, "longest_bytes": 4096},
    )  # fmt: skip


@pytest.fixture
def overlap():
    rows = [
        BenchRow(bytes=1024, label="transfer", latency_seconds=1e-5, bandwidth_bytes_per_second=2048e5, samples=50),
        BenchRow(bytes=1024, label="computation", latency_seconds=1e-5, samples=50),
        BenchRow(bytes=1024, label="both at once", latency_seconds=1.2e-5, samples=50, overlap_share=0.8),
    ]  # fmt: skip
    return BenchResult(test="overlap", rows=rows, mpi="MPICH 5.0.2")
