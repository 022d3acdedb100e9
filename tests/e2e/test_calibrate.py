"""`linkworth calibrate` as a shell runs it: files of other tools in, a fabric out that other verbs take."""

import json
from pathlib import Path

from command import LinkworthCommand

FIXTURES = Path(__file__).parents[1] / "fixtures" / "bench"


def test_from_osu_output_to_a_fabric_that_fabrics_show_takes(linkworth: LinkworthCommand) -> None:
    done = linkworth(
        *("calibrate", FIXTURES / "osu-7.1-latency.txt", "--intranode", FIXTURES / "netpipe-3.7.2-np.out"),
        *("-o", "mine.toml", "--plot", "fit.svg", "--json"),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "linkworth.calibration/1"
    assert (document["fabric"]["name"], document["written"]) == ("mine", "mine.toml")
    assert document["median_residual"] < 0.02
    assert "wrote fit.svg" in done.stderr
    assert (linkworth.folder / "fit.svg").read_text(encoding="utf-8").startswith("<svg")

    shown = linkworth("fabrics", "show", "mine.tomlx2", "--json")
    assert shown.returncode == 0, shown.stderr
    # 3.14 us at 8 B were measured.
    half_round_trip = json.loads(shown.stdout)["figures"]["half_round_trip_seconds"]
    assert abs(half_round_trip / 3.14e-6 - 1) < 0.03


def test_the_table_names_files_and_what_was_not_measured(linkworth: LinkworthCommand) -> None:
    done = linkworth("calibrate", FIXTURES / "imb-2019-pingpong.txt")
    assert done.returncode == 0, done.stderr
    assert "imb-2019-pingpong.txt" in done.stdout
    assert "not measured; base: " in done.stdout
    assert "off by" in done.stdout


def test_what_cannot_be_fitted_is_one_sentence(linkworth: LinkworthCommand) -> None:
    for arguments, sentence in (
        (["calibrate", FIXTURES / "README.md"], "README.md: no benchmark's output that is known here"),
        (["calibrate", "none.txt"], "none.txt: cannot be read"),
        (["calibrate", FIXTURES / "osu-7.1-latency.txt", "-o", "mine.txt"], "must end in .toml"),
        (["calibrate", FIXTURES / "osu-7.1-latency.txt", "--rails", "two.json"], "--rails two.json"),
    ):
        done = linkworth(*arguments)
        assert done.returncode == 2, done.stderr
        assert done.stdout == "" and "Traceback" not in done.stderr
        assert sentence in done.stderr
