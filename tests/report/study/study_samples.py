"""Hand-made studies with known answers: every section of the report has something to show."""

import math

import numpy

from linkworth.model.counters import NicCounters, NodeCounters
from linkworth.model.place import Place
from linkworth.model.profile import Group
from linkworth.model.run import CoreUse
from linkworth.model.study import (
    Environment,
    Mode,
    RunRecord,
    Study,
    StudyComparison,
    StudyPrices,
    StudyWorkload,
)
from linkworth.report.study.trace_profiles import TraceProfile

CLASSES = {"A": 1.0, "B": 4.0, "C": 16.0}
PROGRAMS = {"ep": (0.3, 0.0), "ft": (0.5, 4.0), "is": (0.05, 0.9)}
"""Seconds of computation, and of communication on gigabit Ethernet, of class A."""
NETWORK = {"ib-fdr": 0.1, "gbe": 1.0}
SIZES = [1, 1024, 65_536, 4_194_304]


def record(
    workload: str, environment: str, mode: Mode = "measure", repetition: int = 0, **more: object
) -> RunRecord:
    return RunRecord(
        run=f"{workload}@{environment}@{mode}@{repetition}",
        workload=workload,
        environment=environment,
        mode=mode,
        repetition=repetition,
        state=more.pop("state", "done"),  # type: ignore[arg-type]
        started=f"2026-03-0{1 + repetition % 9}T10:00:00.000+00:00",
        facts={
            "mpi": "Open MPI 4.1.4",
            "transport": "ob1 (tcp,self)",
            **more.pop("facts", {}),  # type: ignore[dict-item]
        },
        **more,  # type: ignore[arg-type]
    )


def interconnects(slower: float = 1.0) -> tuple[Study, list[RunRecord]]:
    """Programs and classes on two networks, measured seven times, predicted once and recorded once.

    `slower`: factor of the times that are measured.
    """
    rng = numpy.random.default_rng(7)
    workloads = [f"npb:{program}.{problem}" for program in PROGRAMS for problem in CLASSES]
    records = []
    for name in workloads:
        program, problem = name.removeprefix("npb:").split(".")
        compute, network = (seconds * CLASSES[problem] for seconds in PROGRAMS[program])
        for environment, factor in NETWORK.items():
            seconds = compute + network * factor
            for repetition in range(7):
                measured = seconds * slower * rng.normal(1, 0.01)
                records.append(
                    record(
                        name,
                        environment,
                        repetition=repetition,
                        metrics={"seconds": measured, "elapsed_seconds": measured + 1},
                    )
                )
            predicted = {
                "seconds": seconds * 1.05,
                "compute_share": compute / seconds,
                "communication_share": 1 - compute / seconds,
                "critical_compute_seconds": compute * 1.05,
                "critical_overhead_seconds": 0.0,
                "critical_latency_seconds": 0.0,
                "critical_bandwidth_seconds": network * factor * 1.05,
                "critical_wait_seconds": 0.0,
                "internode_bytes": 2e9 * network,
                "timed_internode_bytes": 1e9 * network,
                "parallel_efficiency": compute / seconds,
            }
            records.append(record(name, environment, "predict", metrics=predicted))
    # Two of the runs of one cell are lost, and one took two attempts.
    lost = [
        n
        for n, r in enumerate(records)
        if (r.workload, r.environment, r.mode) == ("npb:ep.A", "gbe", "measure")
    ]
    for place, state, cause in [(lost[0], "failed", "node gone"), (lost[1], "unverified", "wrong result")]:
        old = records[place]
        records[place] = record(
            old.workload, old.environment, repetition=old.repetition, state=state, cause=cause
        )
    old = records[lost[2]]
    records[lost[2]] = record(
        old.workload,
        old.environment,
        repetition=old.repetition,
        metrics=old.metrics,
        attempts=2,
        failures=["link down"],
    )
    # Warm-ups enter nothing.
    records.append(record("npb:ep.A", "gbe", repetition=-1, metrics={"seconds": 1e6}))
    study = Study(
        name="interconnects",
        title="Interconnects of the tests",
        repetitions=7,
        nodes=2,
        workloads=[StudyWorkload(name=name, command=[name], ranks=64) for name in workloads],
        environments=[
            Environment(
                name="ib-fdr", fabric="ib-fdr", modes=["measure", "predict"], usd_per_node_hour=0.975
            ),
            Environment(name="gbe", fabric="gbe", modes=["measure", "predict"], usd_per_node_hour=0.78),
        ],
        comparisons=[StudyComparison(baseline="gbe", environments=["ib-fdr"])],
        prices=StudyPrices(),
    )
    return study, records


def profiles() -> dict[tuple[str, str], TraceProfile]:
    """Return profiles as traces of `interconnects` would give them."""
    metrics = {
        "compute_share": 0.7,
        "communication_share": 0.3,
        "init_seconds": 0.1,
        "parallel_efficiency": 0.7,
        "load_balance": 0.9,
        "serialisation_efficiency": 0.9,
        "transfer_efficiency": 0.8,
    }
    groups: dict[str, Group] = {"ep": "none", "ft": "highly dependent", "is": "highly dependent"}
    return {
        (f"npb:{program}.{problem}", "gbe" if problem == "A" else ""): TraceProfile(
            group=groups[program], reason=f"{program} of the tests", metrics=metrics if problem == "A" else {}
        )
        for program in PROGRAMS
        for problem in CLASSES
    }


def networks() -> tuple[Study, list[RunRecord]]:
    """Micro-benchmarks, NICs, MTUs, steps, iterations and cores."""
    rng = numpy.random.default_rng(8)
    records: list[RunRecord] = []
    bandwidths = {"native": 1.18e8, "container": 1.178e8, "slow": 0.9e8}
    for environment, top in bandwidths.items():
        for repetition in range(8):
            rows: list[dict[str, float | str]] = [
                {
                    "bytes": size,
                    "bandwidth_bytes_per_second": float(top * size / (size + 3000) * rng.normal(1, 0.002)),
                    "latency_seconds": float((25e-6 + size / top) * rng.normal(1, 0.002)),
                    "label": "",
                }
                for size in SIZES
            ]
            records.append(record("bench:bandwidth", environment, repetition=repetition, rows=rows))
    for mtu in (1500, 4000, 9000):
        for repetition in range(6):
            value = 9.5e7 * math.sqrt(mtu / 1500) * rng.normal(1, 0.003)
            records.append(
                record(
                    "bench:beff",
                    f"sockets-mtu{mtu}",
                    repetition=repetition,
                    metrics={"beff_bytes_per_second": value},
                )
            )
    for step, seconds in {"sockets": 9.0, "shared": 6.0, "best": 5.9}.items():
        for repetition in range(6):
            total = seconds * rng.normal(1, 0.002)
            records.append(
                record(
                    "weather",
                    step,
                    repetition=repetition,
                    metrics={"seconds": total, "elapsed_seconds": total},
                    series={"iteration_seconds": (total / 50 * rng.normal(1, 0.05, 50)).tolist()},
                    counters=[_node(f"n{node}", 2, total) for node in range(2)],
                    core_use=[_core_use(f"n{node}", total) for node in range(2)],
                )
            )
    environments = [
        *(Environment(name=name) for name in bandwidths),
        *(Environment(name=f"sockets-mtu{mtu}", mtu=mtu) for mtu in (1500, 4000, 9000)),
        Environment(name="sockets", title="sockets only", where=Place(kind="lab", name="gbe"), nics=2),
        Environment(name="shared", title="shared memory", nics=2),
        Environment(name="best", title="best of today", nics=2),
    ]
    study = Study(
        name="networks",
        title="Networks of the tests",
        repetitions=8,
        workloads=[
            StudyWorkload(name=name, command=[name]) for name in ("bench:bandwidth", "bench:beff", "weather")
        ],
        environments=environments,
        comparisons=[
            StudyComparison(
                baseline="native",
                environments=["container", "slow"],
                workloads=["bench:bandwidth"],
                metrics=["bandwidth_bytes_per_second"],
            ),
            StudyComparison(
                title="Gains of the transports",
                baseline="sockets",
                environments=["shared", "best"],
                workloads=["weather"],
                steps=True,
            ),
        ],
    )
    return study, records


def _core_use(node: str, seconds: float) -> CoreUse:
    """Core 0 works 9 tenths of the time, core 1 all the time in the first half."""
    return CoreUse(node=node, mean=[0.9, 0.5], times=[seconds / 2, seconds], samples=[[0.9, 1.0], [0.9, 0.0]])


def _node(name: str, nics: int, seconds: float) -> NodeCounters:
    return NodeCounters(
        node=name,
        nics=[
            NicCounters(
                nic=nic,
                sent_bytes=10_000_000 * (n + 1),
                received_bytes=10_000_000,
                sent_packets=7000,
                received_packets=7000,
            )
            for n, nic in enumerate([*(f"d{n}" for n in range(nics)), "lo"])
        ],
        tcp_segments_sent=14_000,
        tcp_retransmits=70,
        tcp_out_of_order=9,
        core_seconds=[seconds * 0.9, seconds * 0.5],
    )


HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>_%&#{}"


def hostile() -> tuple[Study, list[RunRecord]]:
    """A study all of whose names are an attack on HTML, CSV or TeX."""
    study = Study(
        name="hostile",
        title=HOSTILE,
        description=HOSTILE,
        workloads=[StudyWorkload(name=HOSTILE, command=["x"])],
        environments=[Environment(name="a"), Environment(name=HOSTILE)],
    )
    records = [
        record(HOSTILE, environment, repetition=n, metrics={"seconds": 1.0 + n / 100}, facts={"mpi": HOSTILE})
        for environment in ("a", HOSTILE)
        for n in range(5)
    ]
    records.append(record(HOSTILE, "a", repetition=5, state="failed", cause=HOSTILE))
    return study, records
