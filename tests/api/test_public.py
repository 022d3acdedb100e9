"""The public API: its names, what importing it loads, and its answers on a small program."""

import inspect
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow
import pytest
import synthetic
from synthetic import Call, write_trace
from synthetic_calls import FENCE, get, put, sync, win_new

import linkworth as lw
from linkworth.catalog import machines

ROOT = Path(__file__).parents[2]
PUBLIC = {
    "Advice", "DamagedInputError", "EnvironmentLacksError", "Fabric", "IncompleteError", "LinkworthError", "Prediction",
    "Predictions", "Profile", "Sweep", "Table", "Trace", "UsageError", "__version__", "advise", "fabrics", "open", "record",
    "scale", "skeleton",
}  # fmt: skip
NOTEBOOK = ROOT / "docs/tutorial/decision.ipynb"


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    output = tmp_path_factory.mktemp("api") / "is.lwt"
    return lw.skeleton("npb:is.S", 4, output=output, machine=machines.names()[0])


def test_public_names_change_only_with_a_decision():
    assert set(lw.__all__) == PUBLIC
    for name in PUBLIC:
        assert getattr(lw, name) is not None
        assert name.startswith("__") or inspect.getdoc(getattr(lw, name))


def test_each_public_name_and_method_is_in_the_reference():
    page = (ROOT / "docs/reference/python.md").read_text()
    for name in PUBLIC - {"__version__"}:
        assert re.search(rf"\b{name}\b", page), name
        kind = getattr(lw, name)
        for method in vars(kind) if inspect.isclass(kind) and not issubclass(kind, Exception) else ():
            assert method.startswith("_") or re.search(rf"\b{method}\b", page), f"{name}.{method}"


def test_importing_loads_nothing_heavy_and_no_subpackage_hides_a_function():
    code = (
        "import sys, linkworth; "
        "sys.exit(' '.join({'typing', 'numpy', 'msgspec', 'rich', 'linkworth._engine'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    import linkworth.advise.choose
    import linkworth.scale.search  # noqa: F401

    assert inspect.isfunction(lw.advise)
    assert inspect.isfunction(lw.scale)


def test_recordings_are_scaled_and_refused_as_on_the_command_line(tmp_path):
    small = [
        lw.skeleton("npb:is.S", n, output=tmp_path / f"{n}.lwt", machine=machines.names()[0])
        for n in (2, 4, 8)
    ]
    large = lw.scale([*small[:2], small[2].path], 16, output=tmp_path / "16.lwt")
    assert (large.ranks, large.metadata.source) == (16, "scaled")
    assert large.metadata.scaling.ranks == [2, 4, 8]
    assert large.predict("gbe", nodes=4)["gbe"].seconds > 0
    with pytest.raises(lw.UsageError, match="one recording does not show how the program scales"):
        lw.scale(small[:1], 16, output=tmp_path / "one.lwt")
    with pytest.raises(lw.UsageError, match=r"`traces` .*: give a list"):
        lw.scale(small[0], 16, output=tmp_path / "one.lwt")
    with pytest.raises(lw.UsageError, match=r"`output` .*16.lwt exists"):
        lw.scale(small, 16, output=tmp_path / "16.lwt")
    with pytest.raises(lw.UsageError, match=r"`output` .*8.lwt exists"):
        lw.skeleton("npb:is.S", 8, output=tmp_path / "8.lwt", machine=machines.names()[0])
    with pytest.raises(lw.UsageError, match=r"`output` .*8.lwt exists"):
        lw.record("./none", 8, output=tmp_path / "8.lwt")
    with pytest.raises(lw.UsageError, match=r"`output` .* is a folder; give the name of a file"):
        lw.record("./none", 8, output=tmp_path, replace=True)


def test_the_table_of_calls_has_what_a_profile_sums(tmp_path):
    programs = [
        [win_new(), get(1 - rank, 300 + rank).after(4.0, cpu=1.0), put(1 - rank, 20).after(2.0), sync(FENCE)]
        for rank in range(2)
    ]
    trace = lw.open(write_trace(tmp_path / "t.lwt", programs))
    rows, profile = list(trace.calls()), trace.profile()
    for rank, seconds in enumerate(profile.rank_compute_seconds):
        after_init = [row for row in rows if row["rank"] == rank and row["call"] != "MPI_Init"]
        computed = sum(row["gap_ns"] if row["cpu_ns"] is None else row["cpu_ns"] for row in after_init)
        assert computed * 1e-9 == pytest.approx(seconds) == pytest.approx(3.0)
    for call in profile.calls:
        if call.name in ("MPI_get", "MPI_put"):
            moved = (row["bytes"] + row["recv_bytes"] for row in rows if row["call"] == call.name)
            assert sum(moved) == call.bytes == {"MPI_get": 601, "MPI_put": 40}[call.name]


def test_tables_are_read_through_the_arrow_stream(trace):
    calls = pyarrow.table(trace.calls())
    assert calls.num_rows == trace.events == len(trace.calls())
    assert set(calls["rank"].to_pylist()) == {0, 1, 2, 3}
    assert calls["call"][0].as_py() == "MPI_Init" and calls["bytes"][0].as_py() is None
    messages = trace.messages()
    assert pyarrow.table(messages).column_names == [
        "source",
        "destination",
        "bytes",
        "sent_ns",
        "received_ns",
    ]
    assert messages["destination"].tolist() == [rank + 1 for rank in messages["source"]], (
        "IS passes its ends on"
    )
    assert messages["received_ns"].count() == len(messages) > 0
    assert next(messages.rows()).keys() == set(messages.columns)
    asked = pyarrow.schema([("source", "int32")])
    assert pyarrow.RecordBatchReader.from_stream(messages, asked).read_all().num_rows == len(messages)
    profile = trace.profile()
    assert pyarrow.table(profile) == pyarrow.table(profile.to_table())
    assert pyarrow.table(trace.predict("gbe"))["fabric"].to_pylist() == ["gbe"]
    assert pyarrow.table(profile.to_table())["name"].to_pylist() == [call.name for call in profile.calls]


def test_predictions_and_advice_agree_with_the_command_line(trace, linkworth):
    steps = []
    own = lw.Fabric.load("gbe").with_(latency_seconds=2e-6, name="near")
    found = trace.predict(["gbe", own, "ib-hdr"], nodes=2, on_progress=lambda *step: steps.append(step))
    assert list(found) == ["gbe", "near", "ib-hdr"]
    assert sorted(text for text, _ in steps) == [
        "gbe",
        "ib-hdr",
        "near",
        "no network",
        "spread of the parameters",
    ]
    assert found["near"].seconds < found["gbe"].seconds
    assert sum(found["gbe"].critical_path.values()) == pytest.approx(found["gbe"].seconds)
    layouts = trace.predict("gbe", nodes=4, measured={"gbe:4x1": 5.0, "gbe:1x4": 8.0})
    assert layouts["gbe"].seconds == pytest.approx(5.0, rel=1e-3)
    answer = linkworth("predict", trace.path, "--on", "gbe", "--nodes", "2", "--json")
    assert json.loads(answer.stdout)["predictions"][0]["seconds"] == found["gbe"].seconds
    assert found.plot().to_dict()["mark"]["type"] == "bar"
    advice = lw.advise(trace, {"gbe": 0.78, "ib-fdr": 0.975}, nodes=[2, 4], draws=0)
    assert {(option.fabric, option.nodes) for option in advice.options} == {
        (fabric, nodes) for fabric in ("gbe", "ib-fdr") for nodes in (2, 4)
    }
    assert lw.advise(found, {"gbe": 1, "near": 1, "ib-hdr": 100}).choice == "near"


def test_every_replay_reports_its_progress(trace):
    steps = []
    lw.advise(trace, {"gbe": 1, "ib-hdr": 2}, draws=20, on_progress=lambda *step: steps.append(step))
    swept = []
    trace.sweep(["gbe", "ib-hdr"], {"rails": [1, 2]}, on_progress=lambda *step: swept.append(step))
    for reported in (steps, swept):
        assert {"gbe", "ib-hdr"} <= {text for text, _ in reported}
        assert all(0 <= share < 1 for _, share in reported)


def test_the_number_of_nodes_is_chosen_from_traces_on_several_numbers_of_ranks(trace, tmp_path, linkworth):
    larger = lw.skeleton("npb:is.S", 8, output=tmp_path / "is-8.lwt", machine=machines.names()[0])
    advice = lw.advise([trace, str(larger.path)], {"gbe": 1, "ib-hdr": 3}, ppn=2, cpu_factor=0.5)
    given = ["--ppn", "2", "--cpu-factor", "0.5", "--price", "gbe=1", "--price", "ib-hdr=3", "--json"]
    answer = json.loads(linkworth("advise", trace.path, larger.path, *given).stdout)
    options = {(each["fabric"], each["nodes"]): each["cost_usd"] for each in answer["options"]}
    assert {(each.fabric, each.nodes): each.cost_usd for each in advice.options} == options
    assert {nodes for _, nodes in options} == {2, 4}
    assert (advice.choice, advice.reason) == (answer["choice"], answer["reason"])
    with pytest.raises(lw.UsageError, match="no option 'ranks'"):
        lw.advise(trace, {"gbe": 1}, ranks=4)


def test_known_times_are_read_from_a_file(trace, tmp_path, linkworth):
    predicted = tmp_path / "predicted.json"
    predicted.write_text(linkworth("predict", trace.path, "--on", "gbe", "--on", "ib-hdr", "--json").stdout)
    assert lw.advise(predicted, {"gbe": 1, "ib-hdr": 100}).choice == "gbe"
    catalog = tmp_path / "prices.toml"
    entry = 'provider = "p"\nregion = "r"\ndate = "2026-11"\nsource = "s"\nusd_per_node_hour = 1\nmarket = "spot"\n'
    kinds = (("near", "gbe"), ("far", "ib-hdr"))
    catalog.write_text(
        'title = "t"\n'
        + "".join(f'[[prices]]\nname = "{name}"\nfabric = "{fabric}"\n{entry}' for name, fabric in kinds)
    )
    with pytest.raises(lw.UsageError, match="it has spot prices only; choose them with `market`"):
        lw.advise(trace, catalog)
    (option,) = lw.advise(trace, catalog, market="spot", instances=["near"], draws=0).options
    assert (option.fabric, option.price_name, option.market) == ("gbe", "near, r", "spot")
    point = {
        "sku": "standard_hc44rs",
        "nnodes": 2,
        "total_cores": 88,
        "region": "southcentralus",
        "appname": "x",
    }
    runs = [point | {"exec_time": seconds, "appinputs": {"n": n}} for n, seconds in (("7", 120), ("8", 500))]
    (tmp_path / "dataset.json").write_text(json.dumps({"datapoints": runs}))
    (option,) = lw.advise(str(tmp_path / "dataset.json"), "azure", inputs={"n": "7"}).options
    assert (option.fabric, option.nodes, option.seconds) == ("standard_hc44rs", 2, 120)


def test_computation_is_scaled_from_machine_to_machine(tmp_path, linkworth):
    trace = lw.open(write_trace(tmp_path / "t.lwt", [[Call("MPI_Wtime", "local").after(1.0)]] * 4))
    first, second = "xeon-e5-2650v3-x2", str(tmp_path / "other.toml")
    known = (ROOT / "src/linkworth/catalog/data/machines.toml").read_text().split("[[machines]]")[1]
    changed = known.replace(first, "other").replace("core_speed = 0.42", "core_speed = 0.84")
    Path(second).write_text("[[machines]]" + changed)
    found = trace.predict("gbe", nodes=2, recorded_on=first, machine=Path(second))
    given = ["--on", "gbe", "--nodes", "2", "--recorded-on", first, "--machine", second, "--json"]
    answer = json.loads(linkworth("predict", trace.path, *given).stdout)
    assert found["gbe"].seconds == answer["predictions"][0]["seconds"]
    assert found.document.calibration.between_machines == answer["calibration"]["between_machines"] != ""
    with pytest.raises(lw.UsageError, match="contains its computation already"):
        trace.predict("gbe", machine=second)
    with pytest.raises(lw.UsageError, match="name the machine to predict for"):
        trace.predict("gbe", recorded_on=first)


def test_parameters_without_effect_are_refused(trace):
    with pytest.raises(lw.UsageError, match="`thread_gain` needs `cores_per_node` as well"):
        trace.predict("gbe", thread_gain=1.2)
    with pytest.raises(lw.UsageError, match="`memory_demand_bytes_per_second` needs `memory_bandwidth"):
        trace.sweep("gbe", memory_demand_bytes_per_second=1e9)
    with pytest.raises(lw.UsageError, match="`goal` 'speed': give one of cost, time"):
        lw.advise(trace, {"gbe": 1.0}, goal="speed")
    overruled = {"measured": {"gbe": 1.0}, "cpu_factor": 2.0}
    for choose in (trace.predict, trace.sweep, lambda on, **given: lw.advise(trace, {on: 1.0}, **given)):
        with pytest.raises(lw.UsageError, match="`cpu_factor`: `measured` sets the CPU factor"):
            choose("gbe", **overruled)
    with pytest.raises(lw.UsageError, match="`recorded_on`: `measured` sets the CPU factor"):
        trace.predict("gbe", measured={"gbe": 1.0}, recorded_on="laptop", machine="laptop")
    with pytest.raises(lw.UsageError, match="`cpu_factor`: `vary` cpu_factor sets it"):
        trace.sweep("gbe", {"cpu-factor": [1, 2]}, cpu_factor=4.0)
    with pytest.raises(lw.UsageError, match="`spread`: a sweep draws nothing with it"):
        trace.sweep("gbe", spread={"latency": 0.1})
    for draws in (-1, 2**40):
        with pytest.raises(lw.UsageError, match=f"`draws` {draws}: give 0, or a number from 1 to"):
            lw.advise(trace, {"gbe": 1.0}, draws=draws)


def test_a_sweep_takes_one_number_of_nodes_and_one_placement(trace):
    (point,) = trace.sweep("gbe", nodes=4, placements="cyclic").points
    assert (point.nodes, point.placement) == (4, "cyclic")


def test_a_sweep_and_a_prediction_agree_on_a_measured_time(trace):
    given = {"nodes": 4, "measured": {"gbe": 1.5}}
    (point,) = trace.sweep("ib-hdr", **given).points
    assert point.seconds == trace.predict("ib-hdr", **given)["ib-hdr"].seconds
    assert point.seconds != trace.predict("ib-hdr", nodes=4)["ib-hdr"].seconds
    with pytest.raises(lw.UsageError, match="a sweep has layouts of its own"):
        trace.sweep("gbe", measured={"gbe:2x2": 1.5})


def test_a_sweep_has_the_command_line_s_times_in_a_dimension_each(trace, linkworth):
    found = trace.sweep(["gbe", "ib-hdr"], {"latency": [1e-6, 1e-5], "bandwidth": "x0.5,x2"}, nodes=[2, 4])
    given = [
        "--on", "gbe", "--on", "ib-hdr", "--nodes", "2,4", "--vary", "latency=1us,10us", "--vary", "bandwidth=x0.5,x2",
        "--json",
    ]  # fmt: skip
    answer = json.loads(linkworth("sweep", trace.path, *given).stdout)
    expected = [pytest.approx(point["seconds"], rel=1e-12) for point in answer["points"]]
    assert [point.seconds for point in found.points] == expected
    data = found.to_xarray()
    lowest = min(point["seconds"] for point in answer["points"])
    assert dict(data.sizes) == {"fabric": 2, "nodes": 2, "placement": 1, "latency": 2, "bandwidth_factor": 2}
    assert data.latency.attrs == {"units": "s"}
    assert data.seconds.to_numpy().ravel().tolist() == expected
    fast = data.seconds.sel(fabric="gbe", nodes=4, placement="block", latency=1e-6, bandwidth_factor=2.0)
    assert fast == min(point.seconds for point in found.points[4:8])
    frame = found.to_frame()
    assert len(frame) == len(answer["points"]) and frame["seconds"].min() == pytest.approx(lowest)
    assert found._repr_html_().startswith("<table>")


def test_traces_and_results_go_to_other_processes(trace, tmp_path, monkeypatch):
    found = trace.predict("gbe")
    sent = pickle.dumps((lw.Trace(os.path.relpath(trace.path)), found))
    monkeypatch.chdir(tmp_path)
    there, again = pickle.loads(sent)
    assert there.path.samefile(trace.path) and there.predict("gbe") == again == found


def test_a_cpu_factor_is_varied_by_its_name_in_python(trace):
    found = trace.sweep("gbe", {"cpu_factor": [1, 2]})
    assert found.to_table()["cpu_factor"].tolist() == [1, 2]
    assert found.to_xarray().sizes["cpu_factor"] == 2


def test_a_placement_with_its_own_nodes_leaves_the_others_empty(trace):
    own = ",".join(map(str, range(trace.ranks)))
    data = trace.sweep("gbe", {"latency": "x1,x2"}, placements=["block", own]).to_xarray()
    assert data.seconds.shape == (1, 2, 2, 2)
    assert np.isnan(data.seconds.sel(nodes=2, placement=own)).all()
    assert not np.isnan(data.seconds.sel(nodes=trace.ranks, placement=own)).any()


def test_a_tilde_is_the_home_folder(trace, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    link = tmp_path / "is.lwt"
    link.symlink_to(trace.path)
    (tmp_path / "near.toml").write_text((ROOT / "src/linkworth/catalog/data/fabrics/gbe.toml").read_text())
    assert lw.open("~/is.lwt").path == lw.Trace("~/is.lwt").path == link
    assert lw.Fabric.load("~/near.toml").rails == 1
    made = lw.skeleton("npb:is.S", 2, output="~/two.lwt", machine=machines.names()[0])
    assert made.path == tmp_path / "two.lwt"
    assert lw.scale(["~/two.lwt", trace], 8, output="~/8.lwt").path == tmp_path / "8.lwt"
    assert lw.advise("~/is.lwt", {"gbe": 1}, draws=0).choice == "gbe"
    near = {"~/near.toml": 1.0}
    assert lw.advise(trace, near, measured=near, draws=0).choice == lw.Fabric.load("~/near.toml").name
    with pytest.raises(lw.UsageError, match=re.escape(str(tmp_path / "none.toml"))):
        lw.advise(trace, "~/none.toml")


def test_numbers_and_arrays_of_numpy_are_numbers_and_lists(trace):
    two = np.int64(2)
    prices = {"gbe": np.float64(0.5), "ib-hdr": np.int64(2)}
    assert lw.advise(trace, prices, nodes=np.array([1, 2]), draws=0) == lw.advise(
        trace, {"gbe": 0.5, "ib-hdr": 2}, nodes=[1, 2], draws=0
    )
    swept = trace.sweep("gbe", {"latency": np.array([1e-6, 2e-6])}, nodes=np.array([1, 2]))
    assert len(swept.points) == 4
    series = SimpleNamespace(to_list=lambda: ["gbe", "10gbe"])  # as polars names it
    assert lw.Fabric.load("gbe").with_(rails=two).rails == 2
    assert list(trace.predict(series)) == ["gbe", "10gbe"]
    assert trace.predict(iter(["gbe"]), nodes=two).document == trace.predict(["gbe"], nodes=2).document


def test_a_result_shows_itself_in_one_line_and_names_what_it_has(trace):
    found = trace.predict(["gbe", "ib-hdr"])
    advice = lw.advise(found, {"gbe": 1, "ib-hdr": 2})
    own = lw.Fabric.load("gbe")
    for each in (lw.Trace(trace.path), found, found["gbe"], advice, trace.profile(), trace.messages(), own):
        assert re.fullmatch(r"<linkworth\.\w+ .{1,200}>", repr(each))
        assert each._repr_html_().startswith("<table>")
    with pytest.raises(KeyError, match="no prediction on 'ib-fdr'; there are gbe, ib-hdr"):
        found["ib-fdr"]
    with pytest.raises(KeyError, match="no column 'size'; there are source, destination, bytes"):
        trace.messages()["size"]
    assert list(found.to_table()) == list(found.to_table().rows())
    assert {name for name in dir(lw) if not name.startswith("__")} == PUBLIC - {"__version__"}


def test_no_name_in_a_trace_controls_the_terminal_that_shows_a_result(tmp_path):
    ring = [[synthetic.sendrecv(1 - rank, 100, 1 - rank)] for rank in range(2)]
    named = lw.open(synthetic.write_trace(tmp_path / "t.lwt", ring, workload="odd\x1b[31m"))
    found = named.predict("gbe")
    for each in (named, found, named.profile(), lw.advise(found, {"gbe": 1}), named.sweep("gbe")):
        assert "odd\\x1b[31m" in repr(each) and "\x1b" not in repr(each)


MISTAKES = {
    "unknown parameter": lambda t: t.sweep("gbe", {"latencey": [1e-6]}),
    "overhead by value": lambda t: t.sweep("gbe", {"overhead": [1e-6]}),
    "no values": lambda t: t.sweep("gbe", {"cpu_factor": []}),
    "unknown network": lambda t: t.predict("nope"),
    "no network": lambda t: t.predict([]),
    "one name twice": lambda t: t.predict(["gbe", lw.Fabric.load("gbe").with_(rails=2)]),
    "unknown setting": lambda t: t.predict("gbe", nose=0.1),
    "setting out of range": lambda t: t.predict("gbe", noise=99.0),
    "setting of another type": lambda t: t.predict("gbe", samples="many"),
    "more nodes than ranks": lambda t: t.predict("gbe", nodes=5),
    "two measured times": lambda t: t.predict("gbe", measured={"gbe": 1.0, "10gbe": 1.0}),
    "unknown field": lambda t: lw.Fabric.load("gbe").with_(latencey_seconds=1),
    "field out of range": lambda t: lw.Fabric.load("gbe").with_(rails=65),
    "no such file": lambda t: lw.open("nope.lwt"),
    "another format": lambda t: lw.open("nope.otf2"),
    "no prices": lambda t: lw.advise(t, {}),
    "negative price": lambda t: lw.advise(t, {"gbe": -1}),
    "no price of a network": lambda t: lw.advise(t.predict(["gbe", "10gbe"]), {"gbe": 1}),
    "draws of predictions": lambda t: lw.advise(t.predict("gbe"), {"gbe": 1}, draws=5),
    "nodes of known times": lambda t: lw.advise("times.json", {"gbe": 1}, nodes=2),
    "draws of known times": lambda t: lw.advise("times.json", {"gbe": 1}, draws=5),
    "no file of times": lambda t: lw.advise("times.json", {"gbe": 1}),
    "inputs of a trace": lambda t: lw.advise(t, {"gbe": 1}, inputs={"n": "7"}),
    "no command": lambda t: lw.record([]),
    "no such class": lambda t: lw.record("npb:ft.Z9"),
    "not a bundled program": lambda t: lw.skeleton("./app", 2),
    "no path": lambda t: lw.open(5),
    "no trace": lambda t: lw.Trace(None),
    "an open quote": lambda t: lw.record("./app 'one", 2),
    "no time": lambda t: lw.record("./app", 2, timeout=-1),
    "number as text": lambda t: t.predict("gbe", nodes="2"),
    "truth as number": lambda t: t.predict("gbe", nodes=True),
    "time without its network": lambda t: t.predict("gbe", measured=124.5),
    "text as times": lambda t: t.sweep("gbe", {"latency": ["a"]}),
    "number as text in options": lambda t: lw.advise(t, {"gbe": 1}, ppn="2"),
    "prices without networks": lambda t: lw.advise(t, [0.78]),
    "price of no network": lambda t: lw.advise(t.predict("gbe"), {"gbe": 1, "10gbe": 1}),
    "catalog without a network": lambda t: lw.advise(
        t.predict(lw.Fabric.load("gbe").with_(name="mine")), "aws"
    ),
    "a program that is not recorded": lambda t: lw.advise("npb:is.S", {"gbe": 1}),
    "setting that is a parameter": lambda t: t.predict("gbe", node=2),
    "settings of numbers": lambda t: t.predict("gbe", mpi_settings={"UCX_RNDV_THRESH": 3}),
    "a frame as networks": lambda t: t.predict(t.messages().to_pandas()),
    "field as text": lambda t: lw.Fabric.load("gbe").with_(latency_seconds="2us"),
    "one prediction": lambda t: lw.advise(t.predict("gbe")["gbe"], {"gbe": 1}),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors_are_one_sentence_without_words_of_the_command_line(trace, mistake):
    with pytest.raises(lw.UsageError) as raised:
        MISTAKES[mistake](trace)
    assert "price`" not in str(raised.value), "the parameter is `prices`"
    text = re.sub(r"`linkworth convert [^`]*`", "", str(raised.value))  # there is no other way to convert
    assert "\n" not in text
    assert not re.search(r"(?<!\w)--?[a-z]|linkworth (?!is)\w+|USD_PER", text), text


@pytest.mark.requires("mpi")
def test_the_notebook_goes_from_a_recording_to_a_decision(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # the test is that every cell runs
            assert cell["outputs"] or "import" in cell["source"][0], "the notebook is kept with its outputs"
    assert names["advice"].choice in ("gbe", "ib-fdr")
