"""The demo, really run: what it prints, what it writes, and what it does when it is stopped."""

import json
import signal

import pytest
from command import LinkworthCommand
from eventual import eventually

pytestmark = [pytest.mark.requires("mpi"), pytest.mark.slow]  # slow: it runs six MPI programs

FABRICS = ["gbe", "10gbe", "ib-fdr", "ib-hdr"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def answer(folder):
    done = LinkworthCommand(folder)("demo", "--ranks", "4", "--json")
    assert done.returncode == 0, done.stderr
    assert "[2/29] npb:ep.W: recording on 4 ranks" in done.stderr
    return json.loads(done.stdout)


def test_three_programs_are_recorded_verified_and_priced(answer, folder):
    assert answer["schema"] == "linkworth.demo/1"
    assert answer["failures"] == []
    assert [program["workload"] for program in answer["programs"]] == ["npb:ep.W", "npb:ft.A", "npb:cg.W"]
    for program in answer["programs"]:
        assert program["verified"] is True
        assert program["ranks"] == 4
        assert (folder / program["trace"]).stat().st_size > 0
        assert program["predictions"]["nodes"] == 2
        options = program["advice"]["options"]
        assert [option["fabric"] for option in options] == FABRICS
        for option in options:
            by_hand = option["seconds"] * 2 * option["price_usd_per_node_hour"] / 3600
            assert option["cost_usd"] == pytest.approx(by_hand)
        prices = {option["fabric"]: option["price_usd_per_node_hour"] for option in options}
        assert (prices["gbe"], prices["ib-fdr"]) == (0.78, 0.975)


def test_the_groups_are_those_of_the_literature(answer):
    groups = {program["workload"]: program["profile"]["group"] for program in answer["programs"]}
    # CG.W is near the threshold: a core that other programs slow down makes it "low". At fixed rates,
    # tests/profile/test_groups.py decides.
    assert groups.pop("npb:cg.W") in ("dependent", "low")
    assert groups == {"npb:ep.W": "none", "npb:ft.A": "highly dependent"}


def test_ctrl_c_keeps_what_was_recorded(tmp_path):
    process = LinkworthCommand(tmp_path).start("demo", "--ranks", "4")
    first = tmp_path / "linkworth-demo" / "ep.lwt"
    assert eventually(first.exists, during=process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 4, errors
    assert "Traceback" not in errors
    assert first.stat().st_size > 0
