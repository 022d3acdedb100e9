"""Programs without a trace on the command line: trace --skeleton, predict, advise, report."""

import json
from pathlib import Path

import pytest
from golden import check_golden

from linkworth.catalog import rates as reference_rates
from linkworth.trace.read import open_trace

GOLDEN = Path(__file__).with_name("golden")
REFERENCE = reference_rates.ReferenceRates(
    processor="a processor",
    software="a compiler",
    date="2026-01-01",
    programs={
        "cg": reference_rates.ProgramRates(
            workload="npb:cg.A",
            seconds=1.0,
            seconds_per_operation={
                "matrix-vector products": 1e-9,
                "row sums": 2e-9,
                "transposition": 1e-9,
                "scalar sums": 1e-9,
                "vector updates": 1.5e-9,
            },
        )
    },
)


@pytest.fixture(autouse=True)
def known_rates(monkeypatch):
    """The shipped rates are measured anew now and then; what is printed must not depend on them."""
    monkeypatch.setattr("linkworth.catalog.rates.reference", lambda: REFERENCE)


def test_a_skeleton_is_recorded_with_options_behind_the_program(called, tmp_path):
    trace = tmp_path / "cg.lwt"
    machine = ("--machine", "xeon-e5-2650v3-x2")
    code, out, err = called("trace", "--skeleton", "-n", 4, "npb:cg.S", *machine, "-o", trace)
    assert code == 0
    assert out.startswith(f"{trace}: npb:cg.S on 4 ranks, 20,324 events")
    assert "linkworth: computation as fast as a core of xeon-e5-2650v3-x2" in err
    assert open_trace(trace).metadata.rates.machine == "xeon-e5-2650v3-x2"


def test_a_profile_of_a_skeleton_gives_each_rank_a_core_of_the_machine(called, tmp_path):
    for machine in ("laptop", "xeon-e5-2650v3-x2"):
        trace = tmp_path / f"{machine}.lwt"
        assert called("trace", "--skeleton", "-n", 64, "--machine", machine, "-o", trace, "npb:cg.A")[0] == 0
        gain = json.loads(called("profile", trace, "--json")[1])["gain"]
        alone = json.loads(called("predict", trace, "--nodes", 64, "--on", "ideal", "--json")[1])
        assert gain["ideal_seconds"] == pytest.approx(alone["predictions"][0]["seconds"], rel=1e-3)


def test_the_prediction_is_as_before(called):
    code, out, err = called("predict", "npb:cg.A", "-n", 16, "--nodes", 4, "--on", "gbe", "--on", "ib-fdr",
                         "--measured", "gbe=2", "--json")  # fmt: skip
    assert code == 0
    assert err.startswith("linkworth: computation of the phases in the proportions of npb:cg.A")
    document = json.loads(out)
    assert document["predictions"][0]["seconds"] == pytest.approx(2.0, rel=1e-5)
    own = {
        field: document[field] for field in ("schema", "workload", "ranks", "nodes", "region", "calibration")
    }
    own["calibration"]["cpu_factor"] = 0  # what the replay says is its own tests' matter
    check_golden(GOLDEN / "predict.json", json.dumps(own, indent=2))


def test_a_prediction_is_that_of_its_skeleton(called, refused, tmp_path):
    """The same from the program's name as from a skeleton kept on disk, up to names."""
    trace = tmp_path / "cg.lwt"
    called("trace", "--skeleton", "-n", 8, "--machine", "laptop", "-o", trace, "npb:cg.W")
    options = ("--nodes", 2, "--on", "gbe", "--json")
    kept = json.loads(called("predict", trace, *options)[1])
    direct = json.loads(called("predict", "npb:cg.W", "-n", 8, "--machine", "laptop", *options)[1])
    assert direct == kept
    assert direct["calibration"]["rates"]["method"] == "machine"
    machines = ("--recorded-on", "laptop", "--machine", "raspberry-pi-4")
    assert "was counted, not recorded" in refused("predict", trace, "--on", "gbe", *machines)


def test_advice_without_a_run(called):
    code, out, err = called("advise", "npb:cg.B", "-n", 16, "--machine", "laptop",
                         "--price", "gbe=1", "--price", "ib-fdr=1.2", "--json")  # fmt: skip
    assert code == 0
    assert "computation as fast as a core of laptop" in err
    document = json.loads(out)
    assert document["choice"] == "ib-fdr"
    assert document["rates"]["machine"] == "laptop"


def test_reports_and_profiles_say_that_a_skeleton_did_not_run(called, tmp_path):
    page = tmp_path / "report.html"
    code, out, _ = called(
        "report", "npb:cg.W", "-n", 4, "--machine", "laptop", "--on", "gbe", "-o", page, "--json"
    )
    assert code == 0
    (program,) = json.loads(out)["programs"]
    assert (program["trace"], program["ranks"]) == ("npb:cg.W", 4)
    assert "as fast as a core of laptop" in page.read_text()
    assert "not run: skeleton of its communication" in page.read_text()
    trace = tmp_path / "cg.lwt"
    called("trace", "--skeleton", "-n", 8, "--machine", "laptop", "-o", trace, "npb:cg.W")
    code, out, _ = called("profile", trace, "--json")
    profile = json.loads(out)
    assert code == 0
    assert 0 < profile["shares"]["communication"] < 1
    assert profile["elapsed_seconds"] > 0
    assert profile["rates"]["machine"] == "laptop"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["predict", "npb:cg.C", "--on", "gbe"], "npb:cg.C: give -n, the number of its ranks"),
        (["predict", "npb:cg.C", "-n", "6", "--on", "gbe"], "cg class C runs on powers of two"),
        (["predict", "npb:cg.C", "-n", "4", "--machine", "laptp", "--on", "gbe"], "laptop"),
        (["predict", "t.lwt", "-n", "4", "--on", "gbe"], "t.lwt is a trace and has its rank count already"),
        (["predict", "t.lwt", "--machine", "laptop", "--on", "gbe"], "--machine: t.lwt is a trace"),
        (["advise", "t.lwt", "--calibrate-with", "W", "--prices", "demo"], "--calibrate-with: t.lwt is a trace"),
        (["report", "t.lwt", "-n", "4"], "t.lwt is a trace and has its rank count already"),
        (["trace", "-n", "4", "--machine", "laptop", "npb:cg.S"], "add --skeleton"),
        (["trace", "--skeleton", "--timeout", "3", "-n", "4", "npb:cg.S"], "--skeleton runs nothing"),
        (["trace", "--skeleton", "-n", "4", "./program"], "./program is not a bundled program"),
        (["trace", "--skeleton", "-n", "4"], "give the program"),
        (["trace", "--skeleton", "-n", "5", "npb:ft.S"], "ft class S runs on powers of two"),
        (["trace", "--skeleton", "-n", "4", "npb:ft.S", "--machine", "laptop"], "there are no reference times of ft"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(refused, arguments, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert sentence in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_options_behind_another_program_stay_its_own(refused):
    """Only a bundled program's name may be followed by the verb's options."""
    assert "there is no program ./none" in refused("trace", "-n", 2, "./none", "-o", "x", "--skeleton")
