"""The short version of benchmarks/study/bench_reliability.py: the real command line, killed and hindered."""

import importlib.util
from pathlib import Path

import gated_clock
import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "study" / "bench_reliability.py"
pytestmark = pytest.mark.requires("mpi")


@pytest.fixture(scope="module")
def reliability():
    specification = importlib.util.spec_from_file_location("bench_reliability", BENCHMARK)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.slow  # five starts of the command line, and sixteen of an MPI launcher
def test_a_study_that_is_killed_again_and_again_has_each_result_once(reliability, tmp_path):
    found = reliability.killed(tmp_path, runs=16, kills=4)
    assert found["results"] == 16
    assert 0 < found["results before the last call"] < 16
    wrong = ("lost", "made twice", "damaged", "not done", "left running", "exit code")
    assert {name: found[name] for name in wrong} == dict.fromkeys(wrong, 0)


@pytest.mark.requires("root")
def test_a_full_disk_is_a_recorded_cause_and_costs_nothing_that_was_done(reliability):
    found = reliability.full_disk()
    if "not tried" in found:
        pytest.skip("no small file system can be mounted here")
    assert "No space left on device" in found["causes"]
    assert 0 < found["done"] < 8 and found["first results kept"]
    assert (found["exit code with room"], found["done then"]) == (0, 8)


def test_an_mpi_that_hangs_is_a_timeout_and_the_study_goes_on(reliability, tmp_path):
    found = reliability.hanging(
        tmp_path, 600, lambda reached: [*gated_clock.command(reached, each=True), "study"]
    )
    assert (found["exit code"], found["timeouts"], found["done"], found["left running"]) == (1, 2, 2, 0)
    assert found["cause"] == "it ran longer than 600 s and was stopped"


@pytest.mark.requires("lab")
@pytest.mark.slow  # two runs, and two labs
def test_a_node_that_disappears_is_the_cause_and_the_next_run_has_a_new_lab(reliability, tmp_path):
    found = reliability.node_lost(tmp_path)
    assert (found["exit code"], found["states"], found["left running"]) == (1, "failed, done", 0)
    assert found["cause"].startswith("node2 is gone; ")


@pytest.mark.requires("lab", "c++")
@pytest.mark.slow  # a test of five seconds, twice, and two labs
def test_a_link_that_goes_down_is_the_cause_and_the_study_goes_on(reliability, tmp_path):
    found = reliability.link_lost(tmp_path, 600, lambda harmed: [*gated_clock.command(harmed), "study"])
    assert (found["exit code"], found["left running"]) == (1, 0)
    assert found["states"] in ("timeout, done", "failed, done")
    assert found["cause"].startswith("the link d0 of node2 is down; ")
