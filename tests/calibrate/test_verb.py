"""`linkworth calibrate` as a user calls it: files of other tools in, a fabric out that other verbs take."""

import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "fixtures" / "bench"
OSU = str(FIXTURES / "osu-7.1-latency.txt")


def test_from_osu_output_to_a_fabric_that_fabrics_show_takes(tmp_path, monkeypatch, called, json_of):
    monkeypatch.chdir(tmp_path)
    inside = FIXTURES / "netpipe-3.7.2-np.out"
    written = ["-o", "mine.toml", "--plot", "fit.svg"]
    code, output, errors = called("calibrate", OSU, "--intranode", inside, *written, "--json")
    assert code == 0
    document = json.loads(output)
    assert document["schema"] == "linkworth.calibration/1"
    assert (document["fabric"]["name"], document["written"]) == ("mine", "mine.toml")
    assert document["median_residual"] < 0.02
    assert "wrote fit.svg" in errors
    assert Path("fit.svg").read_text(encoding="utf-8").startswith("<svg")
    # 3.14 us at 8 B were measured.
    half_round_trip = json_of("fabrics", "show", "mine.tomlx2")["figures"]["half_round_trip_seconds"]
    assert abs(half_round_trip / 3.14e-6 - 1) < 0.03


def test_the_table_names_files_and_what_was_not_measured(printed):
    shown = printed("calibrate", str(FIXTURES / "imb-2019-pingpong.txt"))
    assert all(text in shown for text in ("imb-2019-pingpong.txt", "not measured; base: ", "off by"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([str(FIXTURES / "README.md")], "README.md: no benchmark's output that is known here"),
        (["none.txt"], "none.txt: cannot be read"),
        ([OSU, "-o", "mine.txt"], "must end in .toml"),
        ([OSU, "--rails", "two.json"], "--rails two.json"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(arguments, sentence, refused):
    assert sentence in refused("calibrate", *arguments)
