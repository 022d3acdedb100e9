from importlib.resources import files

import pytest
import synthetic
from fake_place import Places
from mpi_programs import compiled, usable_mpis

import linkworth as lw
from linkworth.calibrate.run import write
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings
from linkworth.predict.predict import predict
from linkworth.predict.uncertainty import quantile
from linkworth.replay.layout import Arrangement
from linkworth.report.study.published import compare_with_paper
from linkworth.report.study.results import Results
from linkworth.skeleton.program import check, parse
from linkworth.skeleton.rates import RateRequest, rates_for
from linkworth.skeleton.record import record_skeleton
from linkworth.study import resume as taking_up
from linkworth.study.matrix import expand
from linkworth.study.metrics import is_metric
from linkworth.study.outcome import Outcome
from linkworth.study.prediction.replays import ReplayJob, ReplayTarget, make
from linkworth.study.runner import record_of, run_study
from linkworth.study.status import status_of
from linkworth.study.store import now

STUDY = """\
mode = "predict"
workloads = ["npb:${program}.S", "bench:latency", "bench:beff"]
ranks = 4
nodes = 2
[variables]
program = ["is", "mg"]
mtu = [1500, 9000]
[[environments]]
name = "gbe-${mtu}"
fabric = "gbe"
mtu = "${mtu}"
[[environments]]
name = "two"
fabric = "gbe"
nics = 2
[predict]
machine = "xeon-e5-2650v3-x2"
"""


@pytest.fixture
def begin(tmp_path, one_process):
    def call(text=STUDY, folder="s.study", **options):
        (tmp_path / "s.toml").write_text(text)
        return taking_up.begin(tmp_path / "s.toml", folder=tmp_path / folder, **options)

    return call


def test_predictions_are_made_on_all_cores_and_share_their_traces(tmp_path):
    (tmp_path / "s.toml").write_text(STUDY)
    store = taking_up.begin(tmp_path / "s.toml", folder=tmp_path / "s.study")
    status = run_study(store)
    assert (status.total, status.done, status.failed) == (12, 12, 0)
    found = {(r.workload, r.environment): r for r in store.records()}
    assert len(list((store.folder / "traces").iterdir())) == 2
    one = found["npb:is.S", "gbe-1500"]
    parts = ("compute", "overhead", "latency", "bandwidth", "wait")
    assert one.metrics["seconds"] == pytest.approx(
        sum(one.metrics[f"critical_{part}_seconds"] for part in parts)
    )
    assert one.metrics["seconds"] > found["npb:is.S", "gbe-9000"].metrics["seconds"]
    assert "xeon-e5-2650v3-x2" in one.facts["computation"]
    latency = found["bench:latency", "gbe-1500"]
    assert latency.rows[0]["bytes"] == 1 and latency.metrics["latency_seconds"] > 1e-5
    assert latency.facts["from"] == "a replay of the benchmark's own messages"
    beff = {
        name: found["bench:beff", name].metrics["beff_bytes_per_second"]
        for name in ("gbe-1500", "gbe-9000", "two")
    }
    assert beff["gbe-1500"] < min(beff["gbe-9000"], beff["two"])
    assert {row["label"] for row in found["bench:beff", "two"].rows} == {"rings", "random"}
    assert all(is_metric(name) for record in found.values() for name in record.metrics)
    assert not any(found["npb:is.S", name].series for name in ("gbe-1500", "two"))  # nothing has a spread
    assert run_study(store).done == 12


def test_a_benchmark_without_ranks_is_refused_before_a_folder_is_made(begin):
    text = STUDY.replace("ranks = 4\nnodes = 2\n", "").replace('"npb:${program}.S", ', "")
    with pytest.raises(UsageError, match=r"bench:beff is predicted in .*; give the number of ranks"):
        begin(text.replace('program = ["is", "mg"]\n', ""))


def test_where_a_fabric_has_a_spread_all_environments_have_the_same_draws(begin, tmp_path):
    catalog = files("linkworth.catalog") / "data/fabrics/gbe.toml"
    text = catalog.read_text(encoding="utf-8").replace('name = "gbe"', 'name = "ours"', 1)
    (tmp_path / "ours.toml").write_text(
        f"{text}\n[spread]\nlatency = 0.2\nbandwidth = 0.1\noverhead = 0.1\ncomputation = 0.02\n"
    )
    text = (
        'mode = "predict"\nworkloads = ["npb:is.S", "bench:latency"]\nranks = 4\nnodes = 2\n'
        f'environments = [{{ name = "ours", fabric = "{tmp_path}/ours.toml" }}, {{ name = "theirs", fabric = "ib-fdr" }}]\n'
        '[predict]\nmachine = "xeon-e5-2650v3-x2"\n'
    )
    store = begin(text)
    assert run_study(store).exit_code == 0
    found = {r.environment: r for r in store.records() if r.workload == "npb:is.S"}
    ours, theirs = (found[name].series["drawn_seconds"] for name in ("ours", "theirs"))
    assert len(ours) == len(theirs) == 400
    assert found["ours"].facts["draws"] == "400 of its spread"
    assert found["theirs"].facts["draws"] == "400 of its spread, assumed where none is given"
    # The interval of `linkworth predict --samples` comes from the same draws.
    trace = store.trace("npb:is.S-4")
    [interval] = [
        each.interval
        for each in predict(
            trace,
            [fabrics.get(f"{tmp_path}/ours.toml")],
            Arrangement(nodes=2),
            settings=ReplaySettings(samples=400),
        ).predictions
    ]
    assert interval.low_seconds == pytest.approx(quantile(sorted(ours), 0.05))
    assert interval.high_seconds == pytest.approx(quantile(sorted(ours), 0.95))
    # A time that is known leaves little of its own network's spread.
    seconds = found["ours"].metrics["seconds"]
    assert interval.high_seconds > 1.2 * seconds
    known = begin(f'{text}measured = {{ "npb:is.S" = "{tmp_path}/ours.toml={seconds}" }}\n', "known")
    assert run_study(known).exit_code == 0
    [series] = [r.series for r in known.records() if (r.workload, r.environment) == ("npb:is.S", "ours")]
    assert max(series["drawn_seconds"]) < 1.05 * seconds


def test_a_known_time_scales_the_computation(begin):
    text = STUDY.replace(
        'machine = "xeon-e5-2650v3-x2"', 'measured = { "npb:is.S" = "gbe=0.5", "npb:mg.S" = "gbe=0.25" }'
    )
    store = begin(text.replace(', "bench:latency", "bench:beff"', "").replace("[1500, 9000]", "[1500]"))
    run_study(store)
    found = {(r.workload, r.environment): r for r in store.records()}
    assert found["npb:is.S", "gbe-1500"].metrics["seconds"] == pytest.approx(0.5, rel=0.01)
    assert found["npb:mg.S", "gbe-1500"].metrics["seconds"] == pytest.approx(0.25, rel=0.01)


PUBLISHED = """\
mode = "predict"
workloads = ["npb:is.S"]
ranks = 4
nodes = 2
environments = ["gbe", "ib-fdr"]
[predict]
machine = "xeon-e5-2650v3-x2"
measured_on = "ib-fdr"
[published]
source = "A paper"
[[published.numbers]]
unit = "ms"
values = { "npb:is.S" = { ib-fdr = 250, gbe = 400 } }
"""


def test_a_published_time_scales_the_computation_and_is_given(begin):
    store = begin(PUBLISHED)
    assert run_study(store).exit_code == 0
    times = {record.environment: record.metrics["seconds"] for record in store.records()}
    assert times["ib-fdr"] == pytest.approx(0.25, rel=1e-3)
    assert times["gbe"] > times["ib-fdr"]
    found = compare_with_paper(Results(store.study, store.records()))
    assert [(number.given, number.paper) for number in found.numbers] == [(True, 250), (False, 400)]
    assert len(found.compared) == 1


def test_a_published_time_scales_by_the_network_and_the_layout_that_it_is_of(begin):
    store = begin("""\
mode = "predict"
workloads = ["npb:is.S"]
ranks = 4
environments = [
    { name = "four", fabric = "gbe", nics = 4, nodes = 2 },
    { name = "one", fabric = "gbe", nodes = 2 },
    { name = "spread", fabric = "gbe", nics = 4, nodes = 4 },
    { name = "eight", fabric = "gbe", nics = 4, nodes = 4, ranks = 8 },
]
[predict]
machine = "xeon-e5-2650v3-x2"
measured_on = "four"
[published]
source = "A paper"
[[published.numbers]]
unit = "ms"
values = { "npb:is.S" = { four = 250, one = 400, spread = 300, eight = 200 } }
""")
    assert run_study(store).failed == 1
    found = {record.environment: record for record in store.records()}
    assert "on 4 ranks in four, which cannot scale a prediction on 8 ranks" in found["eight"].cause
    times = {name: record.metrics["seconds"] for name, record in found.items() if name != "eight"}
    assert times["four"] == pytest.approx(0.25, rel=1e-3)
    assert times["one"] > 0.251 and times["spread"] != pytest.approx(0.25, rel=1e-3)
    beside = compare_with_paper(Results(store.study, store.records()))
    assert [number.given for number in beside.numbers] == [True, False, False, False]


def test_a_study_replays_a_recording_that_it_names(begin, tmp_path):
    program = parse(["npb:is.S"])
    rates = rates_for(program, RateRequest(machine="xeon-e5-2650v3-x2"))
    record_skeleton(program, check(program, 4), rates, tmp_path / "is.lwt")
    store = begin("""\
mode = "predict"
ranks = 4
nodes = 2
environments = ["gbe"]
workloads = [
    { run = "no-such-program", name = "as recorded", recording = "${study_folder}/is.lwt" },
    { run = "no-such-program", name = "half as fast", recording = "${study_folder}/is.lwt", cpu_factor = 0.5 },
    { run = "no-such-program", name = "gone", recording = "${study_folder}/no.lwt" },
]
""")
    status = run_study(store)
    assert {record.mode for record in store.records()} == {"predict"}
    assert list(status.problems.values()) == [
        f"gone cannot be predicted: there is no recording {tmp_path / 'no.lwt'}"
    ]
    found = {record.workload: record.metrics.get("critical_compute_seconds") for record in store.records()}
    assert found["half as fast"] == pytest.approx(2 * found["as recorded"], rel=0.01)


def test_a_changed_fabric_file_is_predicted_anew(begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, other = (fabrics.get(name) for name in ("gbe", "10gbe"))
    write(one, tmp_path / "mine.toml")
    text = PUBLISHED.partition("measured_on")[0].replace('"gbe"', '"mine.toml"')
    run_study(begin(text))
    before = {record.environment: record.metrics["seconds"] for record in begin(text).records()}
    write(other, tmp_path / "mine.toml")
    store = begin(text)
    (sentence,) = status_of(store).problems.values()
    assert sentence.startswith("mine.toml: changed since results were made of it")
    assert run_study(store).done == 2
    after = {record.environment: record.metrics["seconds"] for record in store.records()}
    assert after["ib-fdr"] == before["ib-fdr"] and after["mine.toml"] < before["mine.toml"]
    assert len(list((store.folder / "superseded").iterdir())) == 1
    (tmp_path / "mine.toml").unlink()
    assert expand(store.study, 0)[1].inputs == {}  # results outlive their files


def test_ranks_that_a_program_cannot_use_are_refused_before_a_folder_is_made(begin, tmp_path):
    with pytest.raises(UsageError, match=r"on 8 ranks: npb:bt\.S: "):
        begin(STUDY.replace('["is", "mg"]', '["is", "bt"]').replace("ranks = 4", "ranks = 8"))
    assert not (tmp_path / "s.study").exists()


@pytest.mark.requires("mpi", "c++")
@pytest.mark.slow  # the tracer is built, a program run and recorded
def test_a_measured_environment_scales_and_a_program_of_ones_own_is_recorded(begin, tmp_path):
    mpi = usable_mpis()[0]
    program = compiled(mpi, tmp_path)
    store = begin(f"""\
workloads = [{{ run = "{program}", name = "own" }}]
ranks = 2
nodes = 1
environments = [
  {{ name = "here", fabric = "shm", mode = "both", mpi = "{mpi.name}" }},
  {{ fabric = "gbe", mode = "predict", nodes = 2 }},
]
[predict]
measured_on = "here"
""")
    status = run_study(store)
    assert status.exit_code == 0, status.problems
    found = {(r.workload, r.environment, r.mode): r for r in store.records()}
    measured = found["own", "here", "measure"].metrics["seconds"]
    assert found["own", "here", "predict"].metrics["seconds"] == pytest.approx(measured, rel=0.02)
    # 100 reductions, each of which crosses from node to node and back.
    assert (
        found["own", "gbe", "predict"].metrics["seconds"] > found["own", "here", "predict"].metrics["seconds"]
    )
    assert found["own", "here", "trace"].metrics["events"] >= 200


LISTED = """\
mode = "predict"
workloads = ["npb:is.S", "bench:alltoall --sizes 64K"]
ranks = 4
nodes = 2
environments = [
    { name = "list", fabric = "gbe", placement = [0, 1, 0, 1], usd_per_node_hour = 1 },
    { name = "text", fabric = "gbe", placement = "0, 1, 0, 1" },
    { name = "cyclic", fabric = "gbe", placement = "cyclic" },
    { name = "block", fabric = "gbe" },
    { name = "three", fabric = "gbe", placement = [0, 1, 2, 2] },
]
[predict]
machine = "xeon-e5-2650v3-x2"
"""


def test_a_placement_may_list_the_node_of_each_rank(begin):
    store = begin(LISTED)
    assert run_study(store).exit_code == 0
    found = {(r.workload, r.environment): r.metrics for r in store.records()}
    for workload, metric in (("npb:is.S", "seconds"), ("bench:alltoall --sizes 64K", "latency_seconds")):
        values = {
            name: found[workload, name][metric] for name in ("list", "text", "cyclic", "block", "three")
        }
        assert values["list"] == values["text"] == values["cyclic"]
        assert len({values["list"], values["block"], values["three"]}) == 3
    layouts = {p.environment.name: (p.ranks, p.nodes, p.ranks_per_node) for p in store.planned}
    assert layouts["list"] == (4, 2, None) and layouts["three"] == (4, 3, None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("placement = [0, 1, 0]", "lists the nodes of 3 ranks, but it has 4"),
        ("placement = [0, 1, 2, 3], nodes = 2", "lists 4 different nodes, but nodes is 2"),
        ('placement = "spread"', "'spread' is no placement; write block, cyclic, the node of each rank"),
    ],
)
def test_a_placement_that_cannot_be_is_refused_at_once(begin, change, why):
    with pytest.raises(UsageError, match=why):
        begin(LISTED.replace("placement = [0, 1, 2, 2]", change))


def test_environments_differ_by_a_setting_of_the_library(begin):
    store = begin("""\
mode = "predict"
workloads = ["bench:bibandwidth --sizes 1M"]
ranks = 2
nodes = 2
[[environments]]
name = "installed"
fabric = "gbe"
mpi = "openmpi-4.1"
[[environments]]
name = "send"
fabric = "gbe"
mpi = "openmpi-4.1"
mpi_settings = { btl_tcp_flags = "send" }
[[environments]]
name = "infiniband"
fabric = "ib-fdr"
mpi = "openmpi-4.1"
mpi_settings = { btl_tcp_flags = "send" }
""")
    run_study(store)
    found = {record.environment: record for record in store.records()}
    rates = {name: found[name].metrics["bandwidth_bytes_per_second"] for name in ("installed", "send")}
    assert rates["send"] == pytest.approx(2 * rates["installed"], rel=0.05)
    assert found["infiniband"].state == "failed" and "btl_tcp_flags is for TCP" in found["infiniband"].cause


def scaled(begin, change=None, seconds=0.5, **options):
    """Return the predictions of a study whose measured run is put there by hand."""
    text = """\
workloads = ["npb:is.S"]
ranks = 4
environments = [
    { name = "here", fabric = "gbe", nodes = 1 },
    { name = "alike", fabric = "gbe", nodes = 1, mode = "predict" },
    { name = "two", fabric = "gbe", nodes = 2, mode = "predict" },
    { name = "twice", fabric = "gbe", nodes = 1, mode = "predict", cpu_factor = 2 },
]
[predict]
measured_on = "here"
machine = "xeon-e5-2650v3-x2"
"""
    store = begin(text if change is None else text.replace(*change), **options)
    [measured] = [planned for planned in store.planned if planned.mode == "measure"]
    outcome = Outcome(state="done", metrics={"seconds": seconds})
    store.fresh_folder(measured.run)
    store.write(record_of(measured, outcome, now(), []))
    run_study(store)
    return {r.environment: r for r in store.records() if r.mode == "predict"}


def test_a_measured_time_scales_by_the_layout_it_was_measured_in(begin):
    found = scaled(begin)
    seconds = {name: record.metrics["seconds"] for name, record in found.items()}
    assert seconds["alike"] == pytest.approx(0.5, rel=1e-3)
    assert seconds["two"] > 0.501  # the same computation, and messages between nodes beside it
    assert seconds["twice"] == pytest.approx(0.25, rel=0.05)
    assert found["twice"].facts["cpu factor"] == "2" and found["twice"].facts["scaled"] == "to 0.5 s on here"


def test_predictions_follow_the_runs_that_scale_them(begin):
    assert scaled(begin)["two"].metrics["seconds"] == pytest.approx(0.5, rel=0.1)
    change = ('name = "here",', 'name = "here", transport = "tcp",')
    again = scaled(begin, change, seconds=1.0, accept_changes=True)
    assert again["two"].metrics["seconds"] == pytest.approx(1.0, rel=0.1)


@pytest.mark.requires("mpi")
def test_predictions_follow_a_run_that_is_made_once_more(begin, tmp_path):
    trace = lw.skeleton("npb:is.S", 2, output=tmp_path / "is.lwt", machine="xeon-e5-2650v3-x2")
    store = begin(f"""\
workloads = [{{ run = "true", name = "own", recording = "{trace.path}", figures = {{ seconds = '([0-9.]+) s' }} }}]
ranks = 2
repetitions = 2
environments = [{{ name = "a", fabric = "gbe", nodes = 2 }}, {{ fabric = "ib-hdr", nodes = 2, mode = "predict" }}]
[predict]
measured_on = "a"
""")
    said = iter(["2 s", "nothing", "6 s"])
    places = Places(lambda job: {"stdout": next(said)})
    run_study(store, opener=places)
    assert store.records()[-1].linkworth == lw.__version__
    of_one_run = store.records()[-1].metrics["seconds"]
    assert of_one_run == pytest.approx(2, rel=0.01)
    run_study(store, opener=places, filters=["environment=a"], redo_failed=True)
    assert [record.mode for record in store.records()] == ["measure", "measure"], (
        "the prediction is not of both"
    )
    run_study(store, opener=places)
    assert store.records()[-1].metrics["seconds"] == pytest.approx(4, rel=0.01)


def test_a_time_on_other_ranks_cannot_scale(begin):
    found = scaled(begin, ('"two", fabric = "gbe"', '"two", ranks = 8, fabric = "gbe"'))
    assert found["two"].state == "failed"
    assert "is measured on 4 ranks in here, which cannot scale a prediction on 8 ranks" in found["two"].cause
    known = PUBLISHED.partition("measured_on")[0] + 'measured = { "npb:is.S" = "gbe=0.5" }\n'
    with pytest.raises(
        UsageError, match=r"time of npb:is\.S is that of one number of ranks, .* on 4, 8; leave"
    ):
        begin(known.replace('"ib-fdr"', '{ fabric = "ib-fdr", ranks = 8 }'), "other.study")


@pytest.mark.parametrize(
    ("state", "ranks", "cause"),
    [
        ("complete", 8, "was recorded on 2 ranks and cannot be predicted on 8"),
        ("cut", 2, "x.lwt is incomplete: readable are all recorded events of ranks 0 to 1"),
        ("aborted", 2, "x.lwt is incomplete: readable are all recorded events of ranks 0 to 1"),
    ],
)
def test_nothing_is_predicted_from_a_recording_on_other_ranks_or_an_incomplete_one(
    tmp_path, state, ranks, cause
):
    recorded = [{"rank": 0, "host": "a", "state": state}, {"rank": 1, "host": "a", "state": "complete"}]
    path = synthetic.write_trace(tmp_path / "x.lwt", [[], []], ranks=recorded)
    target = ReplayTarget(
        run="x", fabric=fabrics.get("gbe"), arrangement=Arrangement(nodes=2), cpu_factor=1.0, library=None
    )
    job = ReplayJob(
        workload="x", command=["x"], ranks=ranks, trace=path, rates=None, machine=None, measured=None, draws=10,
        targets=[target],
    )  # fmt: skip
    [made] = make(job)
    assert (made.outcome.state, made.outcome.metrics) == ("failed", {})
    assert cause in made.outcome.cause
    assert "allow_damaged" not in made.outcome.cause  # a study has no such option


def test_the_stencil_has_predicted_iterations_and_cores_over_time(tmp_path):
    text = (
        'mode = "predict"\nranks = 4\nnodes = 2\nmeasure = ["time", "counters"]\nenvironments = ["gbe"]\n'
        'workloads = [{ run = "stencil:24x24x4 --iterations 24 --physics-steps 2", name = "weather" }]\n'
        '[predict]\nmachine = "xeon-e5-2650v3-x2"\n'
    )
    (tmp_path / "s.toml").write_text(text)
    store = taking_up.begin(tmp_path / "s.toml", folder=tmp_path / "s.study")
    run_study(store)
    [record] = store.records()
    iterations = record.series["iteration_seconds"]
    assert len(iterations) == 24
    assert sum(iterations) == pytest.approx(record.metrics["seconds"], rel=0.01)
    assert min(iterations[11], iterations[23]) > max(iterations[:11])  # radiation
    assert [use.node for use in record.core_use] == ["node 0", "node 1"]
    assert 0.2 < record.metrics["core_utilisation"] < 1
    # 1448 bytes of data in 1514 of a packet.
    assert record.metrics["sent_bytes"] == pytest.approx(record.metrics["internode_bytes"] * 1514 / 1448)
