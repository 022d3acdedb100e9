"""`linkworth lab export`: from options, and from a lab that is up."""

import json

import pytest


def test_options_become_files(linkworth):
    done = linkworth("lab", "export", "--as", "netplan", "--nodes", "2", "--nics", "2", "--mtu", "9000", "--aggregate",
                     "bond", "--interface", "eno1", "--interface", "eno2", "-o", "made")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "made/node2/etc/netplan/60-linkworth.yaml" in done.stdout.splitlines()
    text = (linkworth.folder / "made/node2/etc/netplan/60-linkworth.yaml").read_text()
    assert "interfaces: [eno1, eno2]" in text and "mtu: 9000" in text and "10.10.0.2/24" in text
    assert "9000" in done.stderr
    again = linkworth("lab", "export", "--as", "netplan", "-o", "made")
    assert again.returncode == 2
    assert again.stderr.strip() == "linkworth: made is not empty; give another folder with -o"


def test_a_preset_as_json(linkworth):
    done = linkworth("lab", "export", "--as", "systemd-networkd", "--like", "gbex2", "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == "linkworth.lab-export/1"
    assert document["folder"] == "lab-export" and len(document["files"]) == 4 * 4
    assert any("rate" in remark for remark in document["remarks"])


@pytest.mark.requires("lab")
def test_a_lab_that_is_up(linkworth):
    assert linkworth("lab", "up", "here", "--nodes", "1", "--nics", "3", "--mtu", "4000").returncode == 0
    try:
        done = linkworth("lab", "export", "here", "--as", "ifupdown")
        assert done.returncode == 0, done.stderr
        text = (linkworth.folder / "lab-export/node1/etc/network/interfaces.d/linkworth").read_text()
        assert text.count("mtu 4000") == 3
        both = linkworth("lab", "export", "here", "--as", "ifupdown", "--nics", "1", "-o", "both")
        assert both.returncode == 2 and "keeps its settings" in both.stderr
    finally:
        linkworth("lab", "down", "here")
    gone = linkworth("lab", "export", "here", "--as", "ifupdown", "-o", "other")
    assert gone.returncode == 2 and "no lab here is up" in gone.stderr
