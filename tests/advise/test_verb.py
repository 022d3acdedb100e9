"""`linkworth advise` as a user calls it."""

import json
from pathlib import Path

import msgspec
import pytest
from synthetic import write_trace

from linkworth.advise import source
from linkworth.catalog import fabrics
from linkworth.model.prediction import PredictionSet
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.drawn import DrawnTimes
from linkworth.replay.layout import Arrangement


@pytest.fixture
def predictions(tmp_path):
    rows = {"gbe": 107.77, "10gbe": 30.0, "ib-fdr": 14.4, "ib-hdr": 9.0}
    parts = ("compute", "overhead", "latency", "bandwidth", "wait")
    document = {
        "schema": "linkworth.prediction/1",
        "workload": "npb:ft.C",
        "ranks": 64,
        "nodes": 2,
        "predictions": [
            {"fabric": fabric, "seconds": seconds, "internode_bytes": 1}
            | {f"{part}_seconds": seconds / len(parts) for part in parts}
            for fabric, seconds in rows.items()
        ],
        "warnings": ["the trace is cut"],
    }
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(document))
    return str(path)


@pytest.fixture
def run(called):
    return lambda *arguments: called("advise", *arguments)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([], 0, "Choice: ib-fdr costs least: 14.4 s and 7.80 US$ per 1,000 runs"),
        (["--goal", "time"], 0, "Choice: ib-hdr is fastest: 9.00 s and"),
        (["--budget", "0.01"], 0, "the budget of 0.01 US$"),
        (["--deadline", "1"], 1, "Choice: none; no option meets the deadline of 1 s: the fastest is ib-hdr with 9.00 s"),
        (["--on", "gbe"], 0, "Choice: gbe costs least: 108 s and"),
    ],
)  # fmt: skip
def test_the_choice_is_a_sentence(run, predictions, arguments, code, sentence):
    got, out, err = run("--predictions", predictions, "--prices", "demo", *arguments)
    assert got == code
    assert err == "linkworth: warning: the trace is cut\n"
    assert sentence in out


def test_json_has_the_fields_of_the_contract(run, predictions):
    code, out, _ = run(
        "--predictions",
        predictions,
        "--on",
        "gbe",
        "--on",
        "ib-fdr",
        "--price",
        "gbe=0.78",
        "--price",
        "ib-fdr=0.975",
        "--json",
    )
    document = json.loads(out)
    assert code == 0
    assert document["schema"] == "linkworth.advice/1"
    assert document["choice"] == "ib-fdr"
    assert document["breakeven_price_ratio"] == pytest.approx(107.77 / 14.4)
    assert [option["fabric"] for option in document["options"]] == ["gbe", "ib-fdr"]
    assert document["options"][1]["cost_usd"] == pytest.approx(14.4 * 2 * 0.975 / 3600)
    assert document["options"][1]["price_usd_per_node_hour"] == 0.975


def test_only_a_budget_asks_for_the_fastest_that_can_be_paid(run, predictions):
    run_json = ["--predictions", predictions, "--prices", "demo", "--json"]
    assert json.loads(run(*run_json, "--budget", "1")[1])["goal"] == "time"
    assert json.loads(run(*run_json, "--budget", "1", "--deadline", "99")[1])["goal"] == "cost"
    assert json.loads(run(*run_json)[1])["goal"] == "cost"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prices", "demo"], "give either a trace or --predictions FILE"),
        (["--predictions", "P"], "no price was given"),
        (["--predictions", "P", "--price", "gbe=0.78"], "no price for fabric 10gbe, ib-fdr, ib-hdr"),
        (["--predictions", "P", "--price", "gbe"], "has no '='"),
        (["--predictions", "P", "--price", "gbe=-1"], "-1 is out of range"),
        (["--predictions", "P", "--prices", "demo", "--on", "efa"], "has no prediction for efa"),
        (["--predictions", "P", "--prices", "demo", "--deadline", "-1"], "'--deadline': -1 is out of range"),
        (["--predictions", "P", "--prices", "demo", "--goal", "speed"], "speed"),
        (["--predictions", "none.json", "--prices", "demo"], "none.json cannot be read"),
        (["npb:ft.C", "-n", "63", "--on", "gbe", "--prices", "demo"], "ft class C runs on powers of two"),
        (["t.lwt", "-n", "4", "--prices", "demo"], "is a trace and has its rank count already"),
        (["t.lwt", "--on", "efa", "--prices", "demo"], "no price for fabric efa"),
        (["t.lwt", "--prices", "demo", "--measured", "gbe"], "--measured 'gbe' has no '='"),
        (["t.lwt", "--prices", "demo", "--measured", "gbe=0"], "0 is out of range"),
        (["t.lwt", "--on", "gbx", "--price", "gbx=1"], "no fabric is called 'gbx'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, predictions, arguments, message):
    given = [predictions if argument == "P" else argument for argument in arguments]
    code, out, err = run(*given)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_a_field_that_a_document_lacks_is_not_named_as_an_option(run, tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"schema": "linkworth.prediction/1", "workload": "w", "ranks": 2, "predictions": []}')
    code, _, err = run("--predictions", str(path), "--price", "gbe=1")
    assert code == 2 and "required field 'nodes'" in err


def test_a_trace_is_replayed_on_the_priced_fabrics(run, predictions, monkeypatch, tmp_path):
    calls = []
    write_trace(tmp_path / "t.lwt", [[]])
    monkeypatch.chdir(tmp_path)

    def predict(trace, wanted, place, *, cpu_factor=1.0, measured=None, **_):
        names = [fabric.name for fabric in wanted]
        calls.append((trace.path, names, place.nodes, place.ppn, cpu_factor, measured))
        made = msgspec.json.decode(Path(predictions).read_bytes(), type=PredictionSet)
        names = calls[-1][1]
        kept = [one for one in made.predictions if one.fabric in names]
        drawn = DrawnTimes(seconds=[[one.seconds] for one in kept], assumed=[])
        return msgspec.structs.replace(made, predictions=kept), drawn

    monkeypatch.setattr(source, "predict_with_draws", predict)
    code, out, _ = run("t.lwt", "--prices", "demo", "--draws", "0", "--json")
    assert code == 0
    assert {option["fabric"] for option in json.loads(out)["options"]} == {"gbe", "10gbe", "ib-fdr", "ib-hdr"}
    run("t.lwt", "--on", "gbe", "--price", "gbe=1", "--nodes", "4", "--ppn", "16",
        "--measured", "ib-fdr=14.4",
    )  # fmt: skip
    assert calls[0][0] == Path("t.lwt")
    assert set(calls[0][1]) == {"gbe", "10gbe", "ib-fdr", "ib-hdr"}
    assert calls[0][2:] == (None, None, 1.0, None)
    measured = MeasuredTime(fabrics.get("ib-fdr"), 14.4, Arrangement(nodes=4, ppn=16))
    assert calls[1][1:] == (["gbe"], 4, 16, 1.0, measured)
