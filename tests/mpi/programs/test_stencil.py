"""The weather-like code: what it conserves, the same fields on every rank count, its periods, options and refusals."""

import json
from itertools import pairwise

import numpy as np
import pytest

from linkworth.measure.parsers import npb as block
from linkworth.mpi import build

FIELDS = 5
OPTIONS = ["--iterations", "13", "--radiation-every", "4", "--output-every", "6"]
WRF_OPTIONS = ["--dynamics-steps", "3", "--physics-steps", "4", "--radiation-bands", "64"]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory, open_mpi, launch):
    """Document and written fields (outputs, fields, y, x, layers) of a run."""
    folder = tmp_path_factory.mktemp("outputs")

    def run(ranks, points, *options):
        path = folder / f"{ranks}-{points}"
        command = [build.npb(open_mpi), "stencil", points, *options, "--json", "--output", path]
        done = launch(open_mpi, ranks, command)
        assert done.returncode == 0, done.stdout + done.stderr
        nx, ny, nz = map(int, points.split("x"))
        return json.loads(done.stdout), np.fromfile(path).reshape(-1, FIELDS, ny, nx, nz)

    return run


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    ("points", "counts", "more"),
    [
        ("70x31x9", (2, 9), ()),
        ("26x37x16", (6,), WRF_OPTIONS),
    ],  # more than one tile of columns; whole vectors
)
def test_the_fields_do_not_depend_on_the_rank_count(outputs, points, counts, more):
    alone, fields = outputs(1, points, *OPTIONS, *more)
    assert fields.shape[0] == 2
    for ranks in counts:
        document, same = outputs(ranks, points, *OPTIONS, *more)
        assert document["verified"] is True
        assert np.array_equal(same, fields)
        for name, value in alone["figures"].items():
            assert document["figures"][name] == pytest.approx(value, rel=1e-12)


@pytest.mark.requires("openmpi")
def test_it_is_weather(outputs):
    """Something happens, and stays within what the start and the physics allow."""
    document, fields = outputs(2, "24x24x12", "--iterations", "300", "--output-every", "100")
    thickness, u, v, temperature, water = fields[-1]
    assert thickness.min() > 900 and thickness.max() < 1100  # 12 km in 12 layers
    assert np.abs(u).max() < 40 and np.abs(v).max() < 40
    assert temperature.min() > 200 and temperature.max() < 320
    assert water.min() >= 0 and 0 < water.max() < 0.04
    assert document["figures"]["rain"] > 0
    assert document["figures"]["radiation"] != 0
    changes = [np.abs(after - before).max() for before, after in pairwise(fields[:, 3])]
    assert min(changes) > 0.01


@pytest.mark.requires("openmpi")
def test_radiation_and_output_come_when_they_are_asked_for(npb):
    """Without radiation, only rain changes the heat. No other check depends on radiation."""
    common = ["stencil", "12x12x5", "--iterations", "9", "--json", "--timers"]
    done = json.loads(npb(1, *common, "--radiation-every", "0", "--output-every", "0").stdout)
    phases = {phase["name"]: phase["mean_seconds"] for phase in done["phases"]}
    assert done["figures"]["radiation"] == 0
    assert phases["radiation"] == phases["output gathering"] == phases["output copies"] == 0
    assert phases["dynamics"] > 0
    done = json.loads(npb(1, *common, "--radiation-every", "9", "--output-every", "9").stdout)
    phases = {phase["name"]: phase["mean_seconds"] for phase in done["phases"]}
    assert done["figures"]["radiation"] != 0
    assert min(phases["radiation"], phases["output gathering"], phases["output copies"]) > 0
    late = json.loads(npb(1, *common, "--radiation-every", "10", "--output-every", "10").stdout)
    assert late["figures"]["radiation"] == 0


@pytest.mark.requires("openmpi")
def test_prints_the_block(npb):
    done = npb(4, "stencil", "20x16x7", "--iterations", "25")
    assert done.returncode == 0, done.stdout + done.stderr
    report = block.parse(done.stdout)
    assert report.verified is True and report.seconds > 0
    lines = done.stdout.splitlines()
    assert " Size            =             20x  16x   7" in lines
    assert " Iterations      =                       25" in lines
    assert " Radiation every =                       12" in lines
    assert not any(line.startswith(" Class") for line in lines)


@pytest.mark.requires("openmpi")
def test_json_has_the_time_of_each_iteration(npb):
    document = json.loads(npb(2, "stencil", "12x12x5", "--iterations", "30", "--json").stdout)
    assert (document["program"], document["class"]) == ("stencil", None)
    assert document["size"] == [12, 12, 5]
    assert document["parameters"] == {
        "radiation_every": 12,
        "output_every": 145,
        "dynamics_steps": 1,
        "physics_steps": 0,
    }
    assert len(document["iteration_seconds"]) == document["iterations"] == 30
    assert 0 < sum(document["iteration_seconds"]) <= document["seconds"] * 1.001
    assert [check["name"] for check in document["checks"]] == ["mass", "momentum", "heat", "water"]
    assert all(check["relative_error"] <= document["tolerance"] == 1e-10 for check in document["checks"])


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    ("ranks", "arguments", "sentence"),
    [
        (1, ["100x126"], "stencil: give points as in 100x126x37, default or wrf, whole numbers below 2^31, not '100x126'"),
        (
            1,
            ["100000x100000x1"],
            "stencil: give points as in 100x126x37, default or wrf, below 2^31 points in all, not '100000x100000x1'",
        ),
        (1, ["default", "--iterations", "0"], "--iterations: give a whole number from 1 to 1e15, not '0'"),
        (
            2,
            ["8x8x2", "--output", "missing/fields"],
            "--output: cannot write missing/fields: No such file or directory",
        ),
        (
            2,
            ["8x8x2", "--iterations", "9", "--output-every", "10", "--output", "fields"],
            "--output: nothing would be written, with outputs every 10 of 9 iterations; give --output-every from 1 to 9",
        ),
    ],
)  # fmt: skip
def test_refuses_with_one_sentence(npb, ranks, arguments, sentence):
    done = npb(ranks, "stencil", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line for line in done.stderr.splitlines() if "lw-npb:" in line] == [f"lw-npb: {sentence}"]


@pytest.mark.requires("openmpi")
def test_a_full_disk_is_said(npb):
    done = npb(1, "stencil", "8x8x2", "--iterations", "2", "--output-every", "1", "--output", "/dev/full")
    assert done.returncode == 3
    assert "lw-npb: cannot write the output: No space left on device" in done.stderr
