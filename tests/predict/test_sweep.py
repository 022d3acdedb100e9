"""Sweeps: every combination, in order, bit for bit the same with any number of workers."""

import csv
import io
import json
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
from run_program import output_of
from synthetic import pcontrol, recv, send, write_trace

from linkworth.catalog import fabrics
from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings
from linkworth.mpi import find
from linkworth.predict import predict, workers
from linkworth.predict.axes import parse
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.sweep import arrangements, sweep
from linkworth.predict.threads import ReplayThreads
from linkworth.predict.workers import ReplayWorkers, Task, replay_all
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.progress import SilentProgress
from linkworth.trace.read import open_trace

MB = 1_000_000


@pytest.fixture
def trace(tmp_path):
    ring = [
        [send((rank + 1) % 4, MB).after(0.01), recv((rank - 1) % 4, MB)]
        if rank % 2 == 0
        else [recv((rank - 1) % 4, MB).after(0.01), send((rank + 1) % 4, MB)]
        for rank in range(4)
    ]
    return write_trace(tmp_path / "ring.lwt", [calls * 3 for calls in ring])


AXES = ["latency=1us..100us:3", "bandwidth=1Gbit,10Gbit"]


def swept(trace, **more):
    return sweep(
        trace,
        [fabrics.get("gbe"), fabrics.get("ib-fdr")],
        [parse(text) for text in AXES],
        arrangements([2, 4], placements=["block", "cyclic"]),
        **more,
    )


def test_every_combination_is_there_once_in_order(trace):
    found = swept(trace)
    places = [
        (point.fabric, point.nodes, point.placement, *point.parameters.values()) for point in found.points
    ]
    assert places == [
        (fabric, nodes, placement, pytest.approx(latency), bandwidth)
        for fabric in ("gbe", "ib-fdr")
        for nodes in (2, 4)
        for placement in ("block", "cyclic")
        for latency in (1e-6, 1e-5, 1e-4)
        for bandwidth in (1.25e8, 1.25e9)
    ]


def test_a_sweep_names_the_part_and_the_computation_of_its_times(tmp_path, trace, printed):
    marked = [[pcontrol(1), *calls, pcontrol(0)] for calls in ([send(1, MB).after(0.1)], [recv(0, MB)])]
    path = write_trace(tmp_path / "marked.lwt", marked)
    assert sweep(path, [fabrics.get("gbe")], []).region == "marked"
    shown = printed("sweep", path, "--on", "gbe", "--measured", "gbe=0.5")
    assert "computation scaled to 0.5 s on gbe" in shown and "the part that the program marks" in shown
    assert "Time: MPI_Init to MPI_Finalize" in printed("sweep", trace, "--on", "gbe")


def test_points_are_those_of_predict_scaled_by_a_measured_time(trace):
    found = sweep(
        trace, [fabrics.get("gbe")], [parse("latency=x1"), parse("cpu-factor=2")], arrangements([4])
    )
    (point,) = found.points
    (known,) = predict(trace, [fabrics.get("gbe")], Arrangement(nodes=4), cpu_factor=2).predictions
    parts = (
        "seconds", "compute_seconds", "overhead_seconds", "latency_seconds", "bandwidth_seconds", "wait_seconds",
    )  # fmt: skip
    for part in (*parts, "internode_bytes", "timed_internode_bytes"):
        assert getattr(point, part) == getattr(known, part)
    measured = MeasuredTime(fabrics.get("gbe"), 0.5)
    found = sweep(trace, [fabrics.get("gbe")], [], arrangements([2, 4]), measured=measured)
    assert found.points[0].seconds == pytest.approx(0.5, rel=1e-5)
    assert found.calibration.measured_fabric == "gbe"
    assert any("counts as one on 2 nodes, placed block" in warning for warning in found.warnings)
    assert any("on a node, and with" in warning for warning in found.warnings)
    alone = sweep(trace, [fabrics.get("gbe")], [], arrangements([2]), measured=measured)
    assert not any(
        "counts as one" in warning or "on a node, and with" in warning for warning in alone.warnings
    )
    # The time was measured on idle links, whether the load is varied or given.
    (varied,) = sweep(trace, [fabrics.get("gbe")], [parse("background-load=0.9")], measured=measured).points
    busy = ReplaySettings(background_load=0.9)
    (given,) = predict(trace, [fabrics.get("gbe")], measured=measured, settings=busy).predictions
    assert given.seconds == pytest.approx(varied.seconds) and given.seconds > 0.501


def test_the_points_are_the_same_whatever_the_workers(trace):
    one, three, many = (swept(trace, workers=ReplayWorkers(threads=count)) for count in (1, 3, 10**30))
    assert one.points == three.points == many.points
    assert (one.workers, three.workers) == ("1 thread", "3 threads")
    assert many.workers == f"{len(many.points)} threads"


def test_an_interrupt_while_tasks_are_handed_out_leaves_the_rest(trace, monkeypatch):
    task = Task(fabrics.get("gbe"), Arrangement(nodes=2).layout(4), 1.0, ReplaySettings())
    ending, begun = threading.Event(), []

    class Count(SilentProgress):
        def step(self, text):
            begun.append(text)
            ending.wait()

    class Pool(ReplayThreads):
        """Lets its tasks go on when it has been told to end, and not before."""

        def shutdown(self, wait=True, **more):
            super().shutdown(wait=False, **more)
            ending.set()
            super().shutdown(wait=wait)

    class Interrupted(list):
        def __iter__(self):
            yield from super().__iter__()
            raise KeyboardInterrupt

    monkeypatch.setattr(workers, "ReplayThreads", Pool)
    with pytest.raises(KeyboardInterrupt):
        replay_all(open_trace(trace), Interrupted([task] * 20), ReplayWorkers(threads=1, progress=Count()))
    assert len(begun) <= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": [parse("latency=1us"), parse("latency=2us")]}, "`vary` latency: it is given twice"),
        ({"fabrics": []}, "no fabric to sweep"),
        ({"nodes": [2, 2]}, "give each number of nodes once"),
        ({"placements": ["block", "block"]}, "give each placement once"),
        ({"nodes": [9]}, "the trace has only 4 ranks"),
        ({"cpu_factor": 0.0}, "give a number from 1e-6 to 1e6"),
        ({"cpu_factor": float("inf")}, "give a number from 1e-6 to 1e6"),
        ({"settings": ReplaySettings(samples=20)}, "a sweep gives one time a point"),
        (
            {"axes": [parse("cpu-factor=2")], "measured": MeasuredTime(fabrics.get("gbe"), 1.0)},
            "`measured` sets the CPU factor already",
        ),
        ({"axes": [parse(f"{name}=1..9:1000") for name in ("latency", "bandwidth")]}, "1000000 replays, .* most 999 "),
    ],
)  # fmt: skip
def test_what_cannot_be_combined(trace, change, message, monkeypatch):
    monkeypatch.setattr("linkworth.predict.sweep.MOST_POINTS", 999)
    arguments = {"fabrics": [fabrics.get("gbe")], "axes": [], **change}
    with pytest.raises(UsageError, match=message):
        places = arrangements(arguments.pop("nodes", ()), placements=arguments.pop("placements", ("block",)))
        sweep(trace, arguments.pop("fabrics"), arguments.pop("axes"), places, **arguments)


def command(trace, *more):
    varied = [word for text in AXES for word in ("--vary", text)]
    return ["sweep", str(trace), "--on", "gbe", "--on", "ib-fdr", *varied, "--nodes", "2,4", *more]


def test_the_verb_prints_a_table_json_and_csv(capsys, trace, tmp_path, printed):
    shown = printed(*command(trace))
    assert "24 replays on" in shown and "latency" in shown and "ib-fdr" in shown
    target = tmp_path / "sweep.csv"
    assert main(command(trace, "--json", "-o", str(target))) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["schema"] == "linkworth.sweep/1"
    assert "24 points in" in err
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert len(rows) == len(document["points"]) == 24
    for row, point in zip(rows, document["points"], strict=True):
        assert float(row["seconds"]) == point["seconds"]
        assert float(row["latency"]) == point["parameters"]["latency"]
        assert (row["fabric"], int(row["nodes"])) == (point["fabric"], point["nodes"])


def test_bad_input_is_one_sentence(refused, trace):
    assert "there is no 'width' to vary" in refused(*command(trace, "--vary", "width=3"))
    refused(*command(trace.with_name("none.lwt")))


@pytest.fixture
def mpi_job(tmp_path):
    """Return how to start Python on N processes of MPICH, and the environment in which mpi4py finds it."""
    if find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed")
    mpi = next(each for each in find.find_all() if each.kind == "mpich")
    # The wheel of mpi4py requires the usual name of the library, which Debian's MPICH does not have.
    folder = Path(mpi.library).parent
    if not (folder / "libmpi.so.12").exists():
        folder = tmp_path / "mpi"
        folder.mkdir()
        (folder / "libmpi.so.12").symlink_to(mpi.library)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "MPI4PY_MPIABI": "mpich"}
    return [str(mpi.mpiexec), "-n", "3", sys.executable, "-m", "mpi4py.futures"], environment


@pytest.mark.requires("mpich")
@pytest.mark.parametrize("workload", ["trace", "program"])
def test_an_mpi_job_gives_the_same_points(mpi_job, trace, tmp_path, workload):
    """With a trace that every process reads, and with a program's skeleton, which only the first process has."""
    start, environment = mpi_job
    if workload == "trace":
        arguments = command(trace)
    else:
        machine = ["--machine", "xeon-e5-2650v3-x2"]
        arguments = ["sweep", "npb:ep.S", "-n", "4", *machine, "--on", "gbe", "--vary", "latency=1us,2us"]
    together, alone = tmp_path / "together.csv", tmp_path / "alone.csv"
    of_job = [*start, "-m", "linkworth", *arguments, "-o", together, "--json"]
    document = json.loads(output_of(of_job, timeout=300, env=environment))
    assert document["workers"] == "2 MPI processes"
    assert main([*arguments, "-o", str(alone)]) == 0
    assert together.read_bytes() == alone.read_bytes()


@pytest.mark.requires("mpich")
def test_faults_of_an_mpi_job_are_one_sentence(mpi_job, trace):
    start, environment = mpi_job
    for more, message in (
        (["--workers", "2"], "an MPI job has its processes"),
        (["--on", "gbx"], "no fabric is called"),
    ):
        done = subprocess.run(
            [*start, "-m", "linkworth", *command(trace, *more)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=environment,
        )
        assert done.returncode == 2
        assert message in done.stderr and "Traceback" not in done.stderr
