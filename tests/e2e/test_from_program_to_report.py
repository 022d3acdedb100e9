"""A user's own program: recorded with each MPI, profiled, predicted, priced, reported, all through the command line."""

import json
from pathlib import Path

import pytest
from command import LinkworthCommand

pytestmark = pytest.mark.requires("mpi")


def test_profile_shares_sum_to_one(linkworth: LinkworthCommand, recording: Path) -> None:
    done = linkworth("profile", recording, "--json")
    assert done.returncode == 0, done.stderr
    profile = json.loads(done.stdout)
    assert profile["schema"].startswith("linkworth.profile/")
    assert sum(profile["shares"].values()) == pytest.approx(1.0, abs=0.02)
    assert profile["group"] in {"highly dependent", "dependent", "low", "none"}
    assert 0 < profile["pop"]["parallel_efficiency"] <= 1


def test_prediction_parts_sum_and_a_faster_network_is_not_slower(
    linkworth: LinkworthCommand, recording: Path
) -> None:
    fabrics = ["gbe", "10gbe", "ib-fdr", "ib-hdr", "ideal"]
    options = [word for fabric in fabrics for word in ("--on", fabric)]
    done = linkworth("predict", recording, "--nodes", "2", *options, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"].startswith("linkworth.prediction")
    assert [prediction["fabric"] for prediction in answer["predictions"]] == fabrics
    parts = ["compute", "overhead", "latency", "bandwidth", "wait"]
    for prediction in answer["predictions"]:
        total = sum(prediction[f"{part}_seconds"] for part in parts)
        assert total == pytest.approx(prediction["seconds"], rel=1e-6)
    seconds = {prediction["fabric"]: prediction["seconds"] for prediction in answer["predictions"]}
    assert seconds["gbe"] > seconds["ib-hdr"] > seconds["ideal"] > 0
    # Two of the four ring messages of a step cross between the nodes, and the sums' messages do as well.
    assert all(prediction["internode_bytes"] >= 20 * 2 * 8 for prediction in answer["predictions"])


def test_report_is_one_file_that_loads_nothing(linkworth: LinkworthCommand, recording: Path) -> None:
    done = linkworth("report", recording, "-o", "report.html")
    assert done.returncode == 0, done.stderr
    page = (linkworth.folder / "report.html").read_text(encoding="utf-8")
    assert "halo" in page
    for reference in ('src="http', 'href="http', "src='http", "@import", "url(http"):
        assert reference not in page
