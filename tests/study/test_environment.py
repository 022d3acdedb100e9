"""Whatever an environment states is applied to its predictions, or named as not applied."""

import msgspec
import pytest
from fake_installation import described

from linkworth.calibrate.run import write
from linkworth.catalog import fabrics
from linkworth.cli.study_commands import command_of
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.lab import isolation, kernel
from linkworth.mpi import find
from linkworth.study import resume as taking_up
from linkworth.study.definition.file import load
from linkworth.study.matrix import expand
from linkworth.study.plan import plan_of
from linkworth.study.prediction.library import library_of
from linkworth.study.runner import run_study
from linkworth.study.unapplied import sentences, unapplied

pytestmark = pytest.mark.usefixtures("one_process")

ONE = """\
mode = "predict"
ranks = 4
nodes = 2
[predict]
machine = "xeon-e5-2650v3-x2"
"""


def predicted(tmp_path, environments, workloads='["npb:is.S"]', text=ONE):
    listed = ",\n".join(f"  {{ {each} }}" for each in environments)
    path = tmp_path / "s.toml"
    path.write_text(f"workloads = {workloads}\nenvironments = [\n{listed}]\n{text}")
    store = taking_up.begin(path, folder=tmp_path / "s.study")
    run_study(store)
    return {(record.workload, record.environment): record for record in store.records()}


def test_the_mpi_of_an_environment_decides_the_collectives(tmp_path):
    found = predicted(
        tmp_path,
        [f'name = "{mpi}", fabric = "gbe", mpi = "{mpi}"' for mpi in ("mpich-flat", "openmpi-4.0")],
        '["npb:is.S", "bench:allreduce --sizes 256K", "bench:latency --sizes 8"]',
    )
    for workload in ("npb:is.S", "bench:allreduce --sizes 256K"):
        flat, tuned = found[workload, "mpich-flat"], found[workload, "openmpi-4.0"]
        assert (flat.facts["collectives of"], tuned.facts["collectives of"]) == ("mpich-flat", "openmpi-4.0")
    flat, tuned = (found["bench:allreduce --sizes 256K", name] for name in ("mpich-flat", "openmpi-4.0"))
    assert flat.metrics["latency_seconds"] != pytest.approx(tuned.metrics["latency_seconds"], rel=1e-3)


def test_rate_and_latency_replace_those_of_the_fabric(tmp_path):
    bare, rate, latency = (
        'name = "bare", fabric = "gbe"',
        'name = "rate", fabric = "gbe", rate = "100mbit"',
        'name = "latency", fabric = "gbe", latency = "1ms"',
    )
    found = predicted(
        tmp_path, [bare, rate, latency], '["bench:latency --sizes 8", "bench:bandwidth --sizes 1M"]'
    )
    seconds = {
        name: found["bench:latency --sizes 8", name].metrics["latency_seconds"]
        for name in ("bare", "latency")
    }
    gained = 1e-3 - fabrics.get("gbe").link.latency_seconds
    assert seconds["latency"] - seconds["bare"] == pytest.approx(gained, rel=1e-3)
    rates = {
        name: found["bench:bandwidth --sizes 1M", name].metrics["bandwidth_bytes_per_second"]
        for name in ("bare", "rate")
    }
    assert rates["rate"] == pytest.approx(rates["bare"] / 10, rel=0.02)


def test_virtual_machines_are_predicted_and_not_built_in_a_lab(tmp_path):
    environments = [
        f'name = "{kind}", fabric = "ib-fdr", isolation = "{kind}"' for kind in ("sriov", "passthrough")
    ]
    found = predicted(
        tmp_path, [*environments, 'name = "native", fabric = "ib-fdr"'], '["bench:latency --sizes 8"]'
    )
    seconds = {name: record.metrics["latency_seconds"] for (_, name), record in found.items()}
    assert seconds["sriov"] - seconds["native"] == pytest.approx(0.48e-6, rel=1e-3)
    assert seconds["passthrough"] - seconds["native"] == pytest.approx(0.15e-6, rel=1e-3)
    assert all("isolation" not in record.facts.get("not applied", "") for record in found.values())
    measured = (
        'workloads = ["npb:is.S"]\n[[environments]]\nfabric = "gbe"\nisolation = "sriov"\nwhere = "{}"\n'
    )
    path = tmp_path / "m.toml"
    path.write_text(measured.format("lab:gbe"))
    with pytest.raises(
        UsageError, match=r"m\.toml:4: environments\[0\]\.isolation: a lab has no virtual machines"
    ):
        load(path)
    path.write_text(measured.format("local"))
    (planned,) = expand(load(path), 1)
    assert unapplied(planned) == "isolation sriov (whether these nodes have it is not checked)"


def test_start_and_machine_of_a_study_are_those_of_its_file(tmp_path):
    (tmp_path / "start.json").write_text('{"schema": "linkworth.bench/1"}')
    with pytest.raises(UsageError, match=r"s\.toml:9: predict\.startup: .*start\.json is not the JSON"):
        predicted(tmp_path, ['name = "a", fabric = "gbe"'], text=ONE + 'startup = "start.json"\n')
    (tmp_path / "machine.toml").write_text("machines = []\n")
    with pytest.raises(UsageError, match=r"predict\.machine: .*machine\.toml: a machine file has one"):
        predicted(
            tmp_path, ['name = "a", fabric = "gbe"'], text=ONE.replace("xeon-e5-2650v3-x2", "machine.toml")
        )


def test_transports_take_their_path_within_a_node(tmp_path):
    transports = ("tcp", "shm+tcp", "shm-cma")
    environments = [f'name = "{name}", fabric = "gbe", transport = "{name}"' for name in transports]
    runs = [
        f'{{ run = "bench:latency --sizes {size}", ranks = 2, nodes = 1, name = "{size}" }}'
        for size in ("8", "8K", "1M")
    ]
    found = predicted(tmp_path, environments, f"[{', '.join(runs)}]")
    seconds = {key: record.metrics["latency_seconds"] for key, record in found.items()}
    assert seconds["8", "tcp"] == pytest.approx(15e-6, rel=0.01)
    assert seconds["8", "shm+tcp"] == pytest.approx(seconds["8", "shm-cma"], rel=0.01)
    assert seconds["8", "shm-cma"] < 1e-6
    assert seconds["8K", "shm+tcp"] < seconds["8K", "shm-cma"]
    assert seconds["1M", "shm+tcp"] == pytest.approx(1.8 * seconds["1M", "shm-cma"], rel=0.05)
    assert all("transport" not in record.facts.get("not applied", "") for record in found.values())


def test_ranks_that_poll_memory_keep_their_cores_busy(tmp_path):
    transports = ("tcp", "shm+tcp", "shm-cma")
    environments = [f'name = "{name}", fabric = "gbe", transport = "{name}"' for name in transports]
    run = '[{ run = "stencil:24x24x4 --iterations 4", ranks = 4, nodes = 2, name = "weather" }]'
    found = predicted(tmp_path, environments, run)
    busy = {name: found["weather", name].metrics["core_utilisation"] for name in transports}
    assert busy["tcp"] < 0.9
    assert busy["shm+tcp"] == busy["shm-cma"] == 1.0


def test_what_a_prediction_cannot_apply_is_named_in_its_record(tmp_path):
    measured = msgspec.structs.replace(fabrics.get("gbe"), intranode=fabrics.get("loopback").link)
    write(measured, tmp_path / "own.toml")
    states = 'transport = "shm-cma", isolation = "nspawn", binding = "core", options = ["--exclusive"], cpu_factor = 2'
    own = f'name = "gbe", fabric = "{tmp_path}/own.toml", {states}'
    found = predicted(tmp_path, [own], '["npb:is.S", "bench:latency --sizes 8"]')
    whole = "transport shm-cma, isolation nspawn, binding core, options --exclusive"
    assert found["npb:is.S", "gbe"].facts["not applied"] == whole
    bench = found["bench:latency --sizes 8", "gbe"].facts["not applied"]
    assert bench == f"{whole}, cpu_factor 2 (a micro-benchmark computes nothing)"


def planned_of(tmp_path, text):
    (tmp_path / "s.toml").write_text(text)
    study = load(tmp_path / "s.toml")
    return study, {(planned.environment.name, planned.mode): planned for planned in expand(study, 1)}


def test_what_a_measured_run_cannot_apply_is_named(tmp_path):
    _, runs = planned_of(
        tmp_path,
        'workloads = ["npb:is.S"]\nranks = 4\nenvironments = [\n'
        '{ name = "here", mtu = 9000, rate = "1gbit", placement = "cyclic", cpu_factor = 2 },\n'
        '{ name = "lab", fabric = "gbe", where = "lab", mtu = 9000, rate = "1gbit" }]\n',
    )
    assert unapplied(runs["here", "measure"]) == (
        "mtu 9000 (set in a lab only), rate 1gbit (set in a lab only), placement cyclic (of predictions), "
        "cpu_factor 2 (of predictions)"
    )
    assert unapplied(runs["lab", "measure"]) == ""


def test_a_missing_container_tool_is_named_before_anything_runs(tmp_path, monkeypatch):
    path = tmp_path / "s.toml"
    path.write_text(
        'where = "lab:gbe"\nworkloads = ["npb:is.S"]\nranks = 4\nnodes = 2\nenvironments = [\n'
        '{ name = "native" }, { name = "one", isolation = "nspawn" }, { name = "two", isolation = "nspawn" }]\n'
    )

    def absent(name):
        raise EnvironmentLacksError(f"a lab needs the command {name}; install systemd-container")

    monkeypatch.setattr(kernel, "tool", absent)
    monkeypatch.setattr(isolation, "_is_root", lambda: True)
    with pytest.raises(EnvironmentLacksError, match=r"^one, two: a lab needs .*systemd-nspawn; .* `filter`$"):
        plan_of(path, folder=tmp_path / "s.study", scale="", where="", filters=[], command_of=command_of)
    assert (
        len(
            plan_of(
                path, folder=None, scale="", where="", filters=["environment=native"], command_of=command_of
            ).runs
        )
        == 1
    )


def test_the_figures_of_an_output_are_not_predicted(tmp_path):
    _, runs = planned_of(
        tmp_path,
        'workloads = [{ run = "npb:is.S", figures = { rate = "x([0-9]+)" } }]\nranks = 4\n'
        'environments = ["gbe"]\nmode = "predict"\n',
    )
    assert unapplied(runs["gbe", "predict"]) == "figures rate (a prediction has no output)"


def test_equal_lists_share_a_sentence():
    runs = [
        ("a", "predict", "binding core"),
        ("b", "predict", "binding core"),
        ("a", "measure", "mtu 9000"),
        ("c", "predict", ""),
    ]
    assert sentences([*runs, *runs]) == [
        "Not applied where a, b is predicted: binding core.",
        "Not applied where a is measured: mtu 9000.",
    ]


@pytest.fixture
def installed(monkeypatch):
    here = [described("openmpi", "4.1.4"), described("mpich", "4.0.2")]
    monkeypatch.setattr(find, "find_all", lambda: here)
    return here


BOTH = """\
workloads = ["npb:is.S"]
ranks = 4
environments = [{ name = "here", nodes = 1 }, { fabric = "gbe", mode = "predict", nodes = 2 }]
"""


def library(study, name, *, recorded=False):
    [environment] = [one for one in study.environments if one.name == name]
    return library_of(environment, study, recorded=recorded)


def test_predictions_follow_the_library_that_the_study_measures_with(tmp_path, installed):
    study, _ = planned_of(tmp_path, BOTH)
    assert library(study, "gbe") == "openmpi-4.1"
    assert library(study, "gbe", recorded=True) is None  # the trace knows
    study, _ = planned_of(tmp_path, BOTH.replace("nodes = 1", 'nodes = 1, mpi = "mpich"'))
    assert library(study, "gbe") == "mpich"
    study, _ = planned_of(tmp_path, BOTH.replace("nodes = 2", 'nodes = 2, mpi = "openmpi-4.1.4"'))
    assert library(study, "gbe", recorded=True) == "openmpi-4.1"
    installed.clear()
    study, _ = planned_of(tmp_path, BOTH)
    assert library(study, "gbe") is None


@pytest.mark.parametrize(
    ("mpi", "rules"),
    [("openmpi-5.0.3", "openmpi-5.0"), ("intel-2021.9", "mpich"), ("mpich-flat", "mpich-flat")],
)
def test_a_library_need_not_be_installed_to_be_predicted(tmp_path, installed, mpi, rules):
    study, _ = planned_of(tmp_path, BOTH.replace("nodes = 2", f'nodes = 2, mpi = "{mpi}"'))
    assert library(study, "gbe") == rules


def test_a_library_that_nobody_knows_is_refused(tmp_path, installed):
    study, _ = planned_of(tmp_path, BOTH.replace("nodes = 2", 'nodes = 2, mpi = "ympi"'))
    with pytest.raises(UsageError, match=r"gbe: mpi 'ympi' is not installed here .*openmpi-4.1"):
        library(study, "gbe")


def test_the_shown_command_makes_the_same_prediction(tmp_path, installed):
    study, runs = planned_of(tmp_path, BOTH.replace("nodes = 2", 'placement = [0, 1, 1, 0], mpi = "openmpi"'))
    command = command_of(runs["gbe", "predict"], study)
    assert command[command.index("--mpi-library") + 1] == "openmpi-4.1"
    assert command[command.index("--placement") + 1] == "0,1,1,0" and "--nodes" not in command
    study, runs = planned_of(tmp_path, BOTH.replace("nodes = 2", 'nodes = 2, rate = "100mbit"'))
    assert command_of(runs["gbe", "predict"], study)[:3] == ["linkworth", "study", "run"]
    settings = 'nodes = 2, mpi = "openmpi", mpi_settings = { btl_tcp_flags = "send" }'
    study, runs = planned_of(tmp_path, BOTH.replace("nodes = 2", settings))
    assert command_of(runs["gbe", "predict"], study)[-2:] == ["--mpi-setting", "btl_tcp_flags=send"]
    beside = (
        BOTH.replace("nodes = 2", "nodes = 2, cpu_factor = 2")
        + '[predict]\nmeasured = { "npb:is.S" = "gbe=1" }\n'
    )
    study, runs = planned_of(tmp_path, beside)
    assert command_of(runs["gbe", "predict"], study)[:3] == ["linkworth", "study", "run"]
