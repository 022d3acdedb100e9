"""The verb, as a shell runs it."""

import json
import signal
import subprocess

import pytest
from eventual import eventually

from linkworth.lab import labs, state
from linkworth.lab.spec import LabSpec

pytestmark = pytest.mark.requires("lab")


@pytest.fixture
def mine():
    """A lab of one node that stays."""
    with labs.up(LabSpec(nodes=2, rate=2e7), "mine") as lab:
        lab.keep()
    yield "mine"
    if labs.find("mine"):
        labs.down("mine")


def test_a_lab_from_up_to_down(linkworth):
    about = linkworth.json("lab", "up", "mine", "--like", "100mbitx2", "--nodes", "2", "--mtu", "9000")
    assert about["schema"] == "linkworth.lab/1"
    assert about["spec"]["nics"] == 2
    assert about["facts"]["rate"] == "100 Mbit/s each NIC"
    ran = linkworth("lab", "exec", "mine", "--node", "node2", "--", "hostname")
    assert (ran.returncode, ran.stdout) == (0, "node2\n")
    listed = json.loads(linkworth("lab", "status", "--json").stdout)
    assert [lab["name"] for lab in listed["labs"]] == ["mine"]
    assert [node["processes"] for node in listed["labs"][0]["nodes"]] == [0, 0]
    ended = linkworth("lab", "down", "mine")
    assert (ended.returncode, ended.stdout) == (0, "lab mine is down\n")
    assert json.loads(linkworth("lab", "status", "--json").stdout)["labs"] == []


def test_a_command_keeps_its_folder_its_exit_code_and_its_output(linkworth, mine):
    (linkworth.folder / "here").write_text("content")
    done = linkworth("lab", "exec", "--json", mine, "--", "sh", "-c", "cat here; exit 7")
    assert done.returncode == 7
    assert done.stderr == "content"
    document = json.loads(done.stdout)
    assert (document["exit_code"], document["nodes"]) == (7, ["node1"])
    assert {nic["nic"] for nic in document["counters"][0]["nics"]} == {"lo", "d0"}


def test_a_preset_is_made_for_one_command(linkworth):
    done = linkworth("lab", "exec", "gbe", "--nodes", "1", "--", "ip", "-brief", "address")
    assert done.returncode == 0, done.stderr
    assert "10.0.0.1/16" in done.stdout
    assert state.running() == []


def test_a_terminated_command_takes_its_lab_along(linkworth, own_labs):
    command = f"echo there; sleep 100 # {linkworth.folder}"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        process = linkworth.start("lab", "exec", "gbe", "--nodes", "1", "--", "sh", "-c", command)
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(number)
        process.communicate(timeout=300)
        assert eventually(lambda: not state.lab_folders(own_labs)), state.lab_folders(own_labs)
        assert subprocess.run(["pgrep", "-f", command], capture_output=True, check=False).stdout == b""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("up", "x", "--rate", "fast"), 2, "--rate fast: a rate is a number and kbit, mbit or gbit"),
        (("up", "x", "--like", "gb"), 2, "--like gb: no such preset"),
        (("up", "x", "--nodes", "0"), 2, "--nodes 0 is out of range; give 1 to 250"),
        (("up", "x", "--jitter", "1us"), 2, "--jitter varies the latency"),
        (("up", "../x"), 2, "cannot be a lab's name"),
        (("up", "gbe", "--nodes", "2"), 2, "gbe is a preset"),
        (("down", "nobody"), 2, "no lab nobody is up; there is nothing to end"),
        (("exec", "nobody", "--", "true"), 2, "there is no lab nobody; no lab is up; presets: "),
        (("exec", "gbe", "--node", "node9", "--", "true"), 2, "has no node node9; it has node1"),
        (("exec", "gbe", "-n", "2", "--", "no-such-program"), 2, "there is no program no-such-program"),
        (("exec", "gbe", "--", "no-such-program"), 2, "there is no program no-such-program"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(linkworth, arguments, code, words):
    done = linkworth("lab", *arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_lab_that_is_up_is_not_made_again(linkworth, mine):
    done = linkworth("lab", "up", mine)
    assert done.returncode == 2
    assert "there is a lab mine already" in done.stderr


def test_a_link_that_is_not_as_asked_gives_exit_code_1(linkworth):
    with labs.up(LabSpec(nodes=2, rate=9e11), "too-fast") as lab:
        lab.keep()
    done = linkworth("lab", "check", "too-fast", "--json")
    labs.down("too-fast")
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "linkworth.lab-check/1"
    assert document["passed"] is False
    assert document["nics"][0]["asked_bits_per_second"] == 9e11
