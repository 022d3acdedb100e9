"""Times of iterations from the output of WRF (its lines as WRF 4 writes them), of our programs, and by the user's pattern."""

import json
import os
from pathlib import Path

import pytest
from collector import Collector
from fake_launcher import FakeLauncher
from hypothesis import given
from hypothesis import strategies as st

from linkworth.errors import UsageError
from linkworth.measure import iterations, plan, run
from linkworth.measure.iterations import IterationReader

WRF = Path(__file__).parents[1] / "fixtures/wrf/rsl.error.0000"


def read(text, *, asked=None, own=False, cut=7, stream="stdout"):
    """Hand the text in small pieces, as pipes do; return the times and what was passed on."""
    collector = Collector()
    reader = IterationReader(collector, iterations.pattern(asked) if asked else None, own=own)
    data = text.encode()
    for at in range(0, len(data), cut):
        reader.output(stream, data[at : at + cut])
    return reader.finish(), collector.data[stream].decode()


def test_of_wrf_the_outermost_domain_counts():
    times, passed = read(WRF.read_text())
    assert times == [2.71828, 1.61803]
    assert passed == WRF.read_text()


def test_wrf_on_several_ranks_writes_into_files(tmp_path):
    file = tmp_path / "rsl.error.0000"
    file.write_text(WRF.read_text())
    os.utime(file, (1000, 1000))
    assert iterations.from_wrf_files(tmp_path, 999.0) == [2.71828, 1.61803]
    assert iterations.from_wrf_files(tmp_path, 2000.0) == [], "the file of an earlier run"
    assert iterations.from_wrf_files(tmp_path / "absent", 0.0) == []


def test_the_lines_of_our_programs_are_read_and_kept_back():
    text = " FT Benchmark Completed.\nlinkworth-iterations: 0.5 0.25\nlinkworth-iterations: 1e-3\n Phase"
    times, passed = read(text, own=True)
    assert times == [0.5, 0.25, 0.001]
    assert passed == " FT Benchmark Completed.\n Phase"
    # Another program's line that looks like ours is not ours.
    assert read(text)[1] == text


def test_the_json_of_our_programs():
    document = {
        "program": "stencil",
        "iterations": 3,
        "iteration_seconds": [0.1, 0.2, 1e-05],
        "verified": True,
    }
    assert read("noise\n" + json.dumps(document) + "\n")[0] == [0.1, 0.2, 1e-05]
    assert read(json.dumps(document, indent=2).replace("\n", " "))[0] == [0.1, 0.2, 1e-05]


def test_a_pattern_of_the_users_comes_first():
    text = "step 1 took 0.5 s\nstep 2 took 0.75 s\nTiming for main: time x on domain 1: 9.0 elapsed seconds\nstep 3 took *** s"
    assert read(text, asked=r"took (\S+) s")[0] == [0.5, 0.75]
    assert read(text, asked=r"took (\S+) s", stream="stderr")[0] == [0.5, 0.75]
    assert read(text)[0] == [9.0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("(", "is no regular expression"), ("took", "has 0 groups"), ("(a)(b)", "has 2 groups")],
)
def test_a_pattern_that_cannot_be_used(text, sentence):
    with pytest.raises(UsageError, match=sentence):
        iterations.pattern(text)


def test_programs_that_say_nothing():
    assert read(" Time in seconds = 1.0\n")[0] == []
    assert read("")[0] == []


@given(st.text(), st.integers(1, 64), st.booleans())
def test_any_output_is_passed_on_whole(text, cut, own):
    times, passed = read(text, cut=cut, own=own)
    expected = text.encode().decode()
    lines = expected.split("\n")
    if own:
        expected = "\n".join(line for line in lines if not line.startswith("linkworth-iterations:"))
    assert passed == expected
    assert all(time >= 0 for time in times)


@given(st.lists(st.floats(0, 1e6), max_size=200), st.integers(1, 4096))
def test_every_time_is_read_back(values, cut):
    text = "".join(
        f"Timing for main: time t on domain   1: {value:10.5f} elapsed seconds\n" for value in values
    )
    times, _ = read(text, cut=cut)
    assert times == [float(f"{value:.5f}") for value in values]


@pytest.mark.requires("mpi")
def test_a_result_has_them(tmp_path):
    launcher = FakeLauncher(stdout=WRF.read_text())
    result = run.run(plan.plan(plan.workload(["true"], 2))._replace(launcher=launcher))
    assert result.iteration_seconds == [2.71828, 1.61803]
    asked = plan.plan(plan.workload(["true"], 2))._replace(launcher=FakeLauncher(stdout="t=0.5\n"))
    result = run.run(asked, iterations=r"t=([\d.]+)")
    assert result.iteration_seconds == [0.5] and "pattern" not in result.remark
    result = run.run(asked, iterations=r"step ([\d.]+)")
    assert result.iteration_seconds == [] and "no line of the output has the seconds" in result.remark


@pytest.mark.requires("mpi", "c++")
def test_our_programs_tell_theirs_without_being_asked(tmp_path):
    shares = []
    # Other processes also take time between two iterations, but not in every run of some milliseconds.
    while len(shares) < 50 and max(shares, default=0.0) < 0.5:
        result = run.run(plan.plan(plan.workload(["npb:is.S"], 2)), folder=tmp_path / "out")
        assert len(result.iteration_seconds) == 10
        shares.append(sum(result.iteration_seconds) / result.reported_seconds)
    assert 0.5 <= max(shares) <= 1.01
    assert "linkworth-iterations" not in (tmp_path / "out/output.txt").read_text()


def test_a_pattern_that_cuts_a_number_gives_no_times():
    reader = IterationReader(Collector(), iterations.pattern("took ([0-9.]+)"))
    reader.output("stdout", b"step took 0.5\nstep took 9.8e-05\n")
    assert reader.finish() == []
    assert "cuts the number '9.8e-05'" in reader.unmatched()
