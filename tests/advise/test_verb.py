"""`linkworth advise` as a user calls it."""

import json
import os
from pathlib import Path

import msgspec
import pytest
from advice_inputs import predicted


@pytest.fixture
def predictions(tmp_path):
    rows = {"gbe": 107.77, "10gbe": 30.0, "ib-fdr": 14.4, "ib-hdr": 9.0}
    path = tmp_path / "predictions.json"
    made = predicted(rows, 2, workload="npb:ft.C", warnings=["the trace is cut"])
    path.write_bytes(msgspec.json.encode(made))
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


def test_predictions_come_through_a_pipe(run, predictions):
    out, into = os.pipe()
    os.write(into, Path(predictions).read_bytes())
    os.close(into)
    assert run("--predictions", f"/dev/fd/{out}", "--prices", "demo") == run(
        "--predictions", predictions, "--prices", "demo"
    )
    os.close(out)


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
        (["--predictions", "P", "--prices", "demo", "--on", "efa"], "has no prediction for efa"),
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
def test_bad_input_is_one_sentence_and_exit_code_2(refused, predictions, arguments, message):
    given = [predictions if argument == "P" else argument for argument in arguments]
    assert message in refused("advise", *given)
