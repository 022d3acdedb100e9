"""Rates of a skeleton's computation: from a run, from a machine of the catalog, or by proportion; and refusals."""

import os
import sys

import msgspec
import pytest
from collector import Steps

from linkworth import _engine
from linkworth.catalog import machines
from linkworth.catalog import rates as reference_rates
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.rates import PhaseTimes, TimingQuality
from linkworth.mpi import cache
from linkworth.skeleton import RateRequest, calibrate, parse, rates_for
from linkworth.skeleton import rates as skeleton_rates
from linkworth.skeleton.calibrate import BusyCores
from linkworth.skeleton.program import operations
from linkworth.skeleton.rates import of_run

CG = parse(["npb:cg.D"])


def times_of(program, quality=None, **seconds):
    phases = dict.fromkeys(program.phases, 0.0) | seconds
    return PhaseTimes(
        workload="npb:cg.A", seconds=3.0, phases=phases, mpi="mpich 5", date="2026-11-22", quality=quality
    )


def timed_with(spread, busy_cores, cores):
    timed = parse(["npb:cg.A"])
    quality = TimingQuality(
        time="2026-11-22T21:23Z", repetitions=3, spread=spread, busy_cores=busy_cores, cores=cores
    )
    return of_run(timed, times_of(timed, quality, **{"matrix-vector products": 3.0}))


def test_a_runs_rates_reproduce_its_time():
    """Phases take their own time, what lies between them is spread, and a phase without work on one rank gets the mean, while
    its own time is an exchange's."""
    timed = parse(["npb:cg.A"])
    rates = of_run(
        timed, times_of(timed, **{"matrix-vector products": 2.0, "vector updates": 0.5, "scalar sums": 0.1})
    ).seconds_per_operation
    counted = operations(timed)
    assert sum(rates[phase] * counted[phase] for phase in counted) == pytest.approx(2.9)
    by_time = rates["matrix-vector products"] * counted["matrix-vector products"]
    assert by_time == pytest.approx(4 * rates["vector updates"] * counted["vector updates"])
    assert rates["row sums"] == pytest.approx(2.9 / sum(counted.values()))


def test_a_run_without_the_skeletons_phases_cannot_be_used():
    timed = parse(["npb:cg.A"])
    times = PhaseTimes(workload="npb:cg.A", seconds=3.0, phases={"other": 3.0}, mpi="", date="")
    with pytest.raises(
        EnvironmentLacksError, match=r"npb:cg.A does not report the time of its phases matrix-vector"
    ):
        of_run(timed, times)


@pytest.mark.parametrize(
    ("spread", "busy_cores", "cores", "cause"),
    [
        (0.3, 1.1, 2, "(its repetitions differ by 30 %)"),
        (0.02, 2.0, 2, "(2.0 of the machine's 2 cores were busy meanwhile, where 1 is its own)"),
        (0.3, 64.0, 64, "(its repetitions differ by 30 % and 64.0 of the machine's 64 cores were busy"),
        (0.3, None, 0, "(its repetitions differ by 30 %)"),
    ],
)
def test_rates_of_a_busy_machine_carry_a_warning_and_what_to_do(spread, busy_cores, cores, cause):
    warning = timed_with(spread, busy_cores, cores).warning
    assert cause in warning
    assert "time it again when the machine is quiet" in warning


@pytest.mark.parametrize(("busy_cores", "cores"), [(1.0, 1), (63.0, 64), (None, 0)])
def test_a_core_of_ones_own_is_no_cause_for_doubt(busy_cores, cores):
    assert timed_with(0.02, busy_cores, cores).warning == ""


def test_times_that_an_earlier_version_kept_say_that_nobody_noted_how_busy_it_was():
    timed = parse(["npb:cg.A"])
    rates = of_run(timed, times_of(timed, **{"matrix-vector products": 3.0}))
    assert "2026-11-22; how busy the machine was then is not known" in rates.description
    assert rates.warning == ""


def test_busy_cores_are_counted_over_all_processes(tmp_path, monkeypatch):
    stat = tmp_path / "stat"
    tick = os.sysconf("SC_CLK_TCK")
    clock = iter([100.0, 110.0])
    monkeypatch.setattr(calibrate.time, "monotonic", lambda: next(clock))
    stat.write_text("cpu  9 9 9 9\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n")
    watch = BusyCores(tmp_path)
    stat.write_text(
        f"cpu  9 9 9 9\ncpu0 {10 * tick} 0 0 0 0 0 0 0\ncpu1 {tick} {tick} {2 * tick} 5 0 0 0 0\n"
    )
    assert (watch.cores, watch.mean()) == (2, pytest.approx(1.4))
    stat.unlink()
    monkeypatch.setattr(calibrate.time, "monotonic", lambda: 0.0)
    unknown = BusyCores(tmp_path)
    assert (unknown.cores, unknown.mean()) == (0, None)


def test_a_machine_of_the_catalog_is_not_timed_anew_nor_given_twice():
    with pytest.raises(UsageError, match="`calibrate_anew` times a run here, and `machine`"):
        rates_for(CG, RateRequest(machine="laptop", anew=True))
    with pytest.raises(UsageError, match="either `machine` or `calibrate_with`"):
        rates_for(CG, RateRequest(machine="laptop", calibrate_with="W"))


def test_a_machine_scales_the_reference():
    machine = machines.get("xeon-e5-2650v3-x2")
    reference = reference_rates.of_program("cg")
    rates = rates_for(CG, RateRequest(machine=machine.name))
    assert (rates.method, rates.machine) == ("machine", machine.name)
    assert "from a published time" in rates.description
    for phase, seconds in rates.seconds_per_operation.items():
        assert seconds == pytest.approx(reference.seconds_per_operation[phase] / machine.core_speed)


def test_every_program_has_reference_rates():
    for name, phases in _engine.skeleton_programs().items():
        found = reference_rates.of_program(name)
        assert set(found.seconds_per_operation) == set(phases)
        assert all(seconds > 0 for seconds in found.seconds_per_operation.values()), name


def test_measured_times_and_unknown_classes_run_nothing(monkeypatch):
    monkeypatch.setattr(skeleton_rates, "phase_times", lambda *_: pytest.fail("ran"))
    rates = rates_for(CG, RateRequest(), scaled=True)
    assert rates.method == "reference"
    assert rates.seconds_per_operation == reference_rates.of_program("cg").seconds_per_operation
    monkeypatch.setattr(skeleton_rates, "phase_times", lambda *_: pytest.fail("ran"))
    with pytest.raises(UsageError, match="cg takes one class"):
        rates_for(CG, RateRequest(calibrate_with="Z"))


def test_without_an_mpi_it_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("LINKWORTH_MPI_PATH", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("linkworth.mpi.find.find_all", list)
    with pytest.raises(
        EnvironmentLacksError, match=r"no MPI was found .*`machine`, or a measured time with `measured`"
    ):
        rates_for(CG, RateRequest())


@pytest.mark.requires("mpi", "c++")
def test_a_run_here_is_timed_once_and_kept(monkeypatch, tmp_path):
    steps = Steps()
    request = RateRequest(calibrate_with="S")
    first = rates_for(CG, request, progress=steps)
    assert (first.method, first.workload, first.ranks) == ("run", "npb:cg.S", 1)
    assert first.seconds > 0
    assert steps.texts in ([], ["timing npb:cg.S on 1 rank (kept for later)"])
    with monkeypatch.context() as patch:
        patch.setattr(calibrate, "execute", lambda *_, **__: pytest.fail("ran again"))
        assert rates_for(CG, request) == first
    kept = list((cache.cache_folder() / "rates").glob("*.json"))
    of_it = [
        times for file in kept if (times := msgspec.json.decode(file.read_bytes()))["workload"] == "npb:cg.S"
    ]
    assert of_it[0]["quality"]["repetitions"] >= 2
    assert of_it[0]["quality"]["spread"] >= 0
    steps.texts.clear()
    again = rates_for(CG, RateRequest(calibrate_with="S", anew=True), progress=steps)
    assert steps.texts == ["timing npb:cg.S on 1 rank (kept for later)"]
    assert rates_for(CG, request) == again
