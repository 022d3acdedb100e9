"""Features that this machine's kernel may lack, under Debian's kernel in a virtual machine: bonding, netem, soft-RoCE."""

import json
import sys
from pathlib import Path

import pytest
import virtual_machine

PROOF = Path(__file__).parent / "proof.py"


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Boot once, and return what the proofs saw, by name."""
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "XDG_RUNTIME_DIR": "/run",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    folder = tmp_path_factory.mktemp("machine")
    console = virtual_machine.run([sys.executable, str(PROOF)], environment, folder, timeout=900)
    assert "MACHINE ENDED 0" in console, console[-5000:]
    lines = [line.removeprefix("PROOF ") for line in console.splitlines() if line.startswith("PROOF ")]
    return {fact["what"]: fact for fact in map(json.loads, lines)}


# Slow: a processor that is emulated in software boots a kernel and runs Python in it, a minute on an idle machine.
pytestmark = [pytest.mark.slow, pytest.mark.requires("virtual-machine")]


def test_round_robin_of_the_bond_sends_half_over_each_link(seen):
    assert seen["kernel"]["bonding"]
    assert "Bonding Mode: load balancing (round-robin)" in seen["balance-rr"]["bond"]
    for way in ("sent", "received"):
        carried = [count for nic, count in seen["balance-rr"][way].items() if nic != "lo"]
        assert len(carried) == 2  # the bond itself would count everything again
        assert sum(carried) > 3_000_000
        assert all(0.45 < count / sum(carried) < 0.55 for count in carried), carried


def test_netem_delays_each_way_and_soft_roce_makes_a_device(seen):
    assert seen["kernel"]["netem"]
    # 50 ms one way; twice delayed it would be 200 ms, and the emulated processor adds some.
    assert 0.100 <= seen["balance-rr"]["round_trip"] < 0.190
    assert seen["rxe"]["said"] == ""
    assert "rxe0/1" in seen["rxe"]["links"]


def test_lacp_finds_its_partner_and_one_flow_stays_on_one_link(seen):
    shown = seen["802.3ad"]["bond"]
    assert "Bonding Mode: IEEE 802.3ad Dynamic link aggregation" in shown
    assert "Partner Mac Address: 00:00:00:00:00:00" not in shown
    assert "Number of ports: 2" in shown
    assert seen["802.3ad"]["out_of_order"] == 0  # despite the jitter
    carried = sorted(seen["802.3ad"]["sent"][nic] for nic in ("d0", "d1"))
    assert carried[1] > 3_000_000 > 20 * carried[0]
