import pytest

from linkworth.model.bench import BenchResult, BenchRow, Carrier
from linkworth.model.counters import NicCounters, NodeCounters
from linkworth.model.run import CoreUse, RunResult
from linkworth.model.study import StudyWorkload
from linkworth.study.outcome import of_bench, of_run, thinned


def nic(name, sent):
    return NicCounters(
        nic=name, sent_bytes=sent, received_bytes=sent, sent_packets=1, received_packets=1, dropped_packets=1
    )


COUNTERS = [
    NodeCounters(
        node="n1", nics=[nic("lo", 999), nic("d0", 100), nic("d1", 50)], tcp_retransmits=2, tcp_out_of_order=3
    ),
    NodeCounters(node="n2", nics=[nic("d0", 10), nic("m0", 0)], tcp_retransmits=1),
]


def outcome(command="npb:ep.S", *, output="", figures=None, counted=False, **result):
    run = RunResult(
        **{
            "workload": command, "command": [command], "ranks": 2, "mpi": "M", "launcher": "l", "state": "complete",
            "exit_code": 0, "seconds": 2.0, **result,
        }
    )  # fmt: skip
    workload = StudyWorkload(name=command, command=[command], figures=figures or {})
    return of_run(run, workload, output, counted=counted)


@pytest.mark.parametrize(
    ("command", "verified", "state"),
    [
        ("npb:ep.S", True, "done"),
        ("npb:ep.S", False, "unverified"),
        ("npb:ep.S", None, "unverified"),
        ("./own", None, "done"),
        ("./own", False, "unverified"),
    ],
)
def test_what_is_not_verified_is_not_done(command, verified, state):
    assert outcome(command, verified=verified).state == state


def test_the_time_is_what_the_program_reports_else_that_of_the_run():
    assert outcome(verified=True, reported_seconds=1.5).metrics == {
        "elapsed_seconds": 2.0,
        "reported_seconds": 1.5,
        "seconds": 1.5,
    }
    assert outcome("./own").metrics["seconds"] == 2.0


def test_counters_are_added_up_where_they_are_wanted():
    core_use = [CoreUse(node="n1", mean=[1.0, 0.5]), CoreUse(node="n2", mean=[0.0, 0.5])]
    found = outcome("./own", counters=COUNTERS, core_use=core_use, counted=True).metrics
    assert (found["sent_bytes"], found["retransmits"], found["out_of_order"], found["dropped_packets"]) == (
        160,
        3,
        3,
        4,
    )
    assert (found["d0_sent_bytes"], found["d1_sent_bytes"]) == (110, 50) and "m0_sent_bytes" not in found
    assert found["lo_sent_bytes"] == 999  # and in no sum
    assert found["core_utilisation"] == 0.5
    assert "sent_bytes" not in outcome("./own", counters=COUNTERS).metrics
    # Sums without those of a third node would be too small.
    partial = outcome("./own", counters=COUNTERS, nodes=["n1", "n2", "n3"], counted=True)
    assert "sent_bytes" not in partial.metrics and partial.counters == []


def test_how_runs_end():
    good = outcome("./own", output="rate: 2.5e3 x", figures={"rate": "rate: (\\S+)"})
    assert good.metrics["rate"] == 2500.0
    for useless in ("fast", "nan", "inf", "1e999"):
        made = outcome("./own", output=f"rate: {useless}", figures={"rate": "rate: (\\S+)"})
        assert (made.state, "rate" in made.metrics) == ("failed", False)
    assert outcome("./own", output="rate: fast", figures={"rate": "rate: (\\d+)?"}).state == "failed"
    for cut in ("9.8e-05", "1,5", "1,234.5", "1.0D+03", "12.75"):
        for pattern in (r"rate: ([0-9]+\.?[0-9]?)", r"([0-9]) s", r".*[^,]([0-9])"):
            made = outcome("./own", output=f"rate: {cut} s", figures={"rate": pattern})
            assert made.state == "failed" and f"a part of {cut!r}" in made.cause
    for output, pattern in (
        ("1,5,7", "^1,([0-9]+),"),
        ("t=1e-5s", "t=([-0-9.e]+)"),
        ("2.5.", "([0-9.]+[0-9])"),
        ("0.25,0.5", "([0-9.]+)"),
    ):
        assert outcome("./own", output=output, figures={"rate": pattern}).state == "done"
    absent = outcome("./own", figures={"rate": "rate: (\\S+)"})
    assert absent.state == "failed" and "rate" not in absent.metrics
    assert outcome("./own", state="timeout", message="too long").state == "timeout"
    crashed = outcome("./own", state="failed", message="a rank crashed with SIGSEGV")
    assert (crashed.state, crashed.cause) == ("failed", "a rank crashed with SIGSEGV")
    assert outcome("./own", state="killed", message="it was interrupted after 1 s").interrupted
    lost = outcome("./own", message="the program's output is not complete: No space left on device")
    assert lost.state == "failed"


def test_a_micro_benchmark_gives_its_rows_and_its_best():
    rows = [BenchRow(bytes=1, latency_seconds=2e-6, samples=9), BenchRow(bytes=8, latency_seconds=3e-6)]
    carried = Carrier(transport="tcp", verdict="over d0", counters=COUNTERS)
    found = of_bench(
        BenchResult(test="latency", rows=rows, mpi="M", carried=carried, values={"x_per_second": 1.0})
    )
    assert (
        found.rows[0]["bytes"] == 1
        and found.rows[0]["latency_seconds"] == 2e-6
        and "mean" not in found.rows[0]
    )
    assert found.metrics["latency_seconds"] == 2e-6 and found.metrics["x_per_second"] == 1.0
    assert found.metrics["sent_bytes"] == 160 and found.facts["carried"] == "over d0"


def test_a_long_run_keeps_means_of_its_samples():
    times = [0.5 * number for number in range(1, 121)]
    use = CoreUse(
        node="n", mean=[0.5], times=[*times, 60.25], samples=[[number % 2] for number in range(121)]
    )
    kept = thinned(use, 60)
    assert len(kept.times) <= 60
    assert kept.times[0] == 1.5 and kept.times[-1] == 60.25
    # 0, 1, 0 of the same length; the last is one sample of half a second and one of a quarter.
    assert kept.samples[0] == [pytest.approx(1 / 3, abs=1e-4)]
    assert thinned(kept, 60) == kept


def test_samples_of_cores_are_kept_with_the_counters():
    use = CoreUse(node="n", mean=[0.5], times=[1.0], samples=[[0.5]])
    assert outcome("./own", core_use=[use], counted=True).core_use == [use]
    assert outcome("./own", core_use=[use]).core_use == []
