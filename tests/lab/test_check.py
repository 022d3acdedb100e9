"""Delivered and requested properties of links."""

import socket
import threading
import time

import msgspec
import pytest

from linkworth.errors import UsageError
from linkworth.lab import check, labs, probe
from linkworth.lab.spec import LabSpec

WIRE = 1538 / 1448
"""Bytes of a full packet on the wire for those of its payload (MTU 1500)."""


@pytest.mark.requires("lab")
def test_a_shaped_link_is_measured_and_is_not_faster_than_asked(monkeypatch):
    monkeypatch.setattr(check, "RATE_SECONDS", 0.4)
    monkeypatch.setattr(check, "TRIES", 1)
    with labs.up(LabSpec(nodes=2, nics=2, rate=20e6)) as lab:
        found = check.check(lab)
    assert [nic.nic for nic in found.nics] == ["d0", "d1"]
    for nic in found.nics:
        assert 1e6 < nic.delivered_bits_per_second < 1.1 * 20e6
        assert nic.payload_bits_per_second * WIRE == pytest.approx(nic.delivered_bits_per_second)
        assert 0 < nic.latency_seconds <= nic.median_latency_seconds


@pytest.mark.requires("lab", "nft")
def test_one_nic_of_several_that_share_packets_is_measured_alone(monkeypatch):
    monkeypatch.setattr(check, "RATE_SECONDS", 0.4)
    monkeypatch.setattr(check, "TRIES", 1)
    with labs.up(LabSpec(nodes=2, nics=2, rate=20e6, aggregate="roundrobin")) as lab:
        found = check.check(lab)
    assert all(0 < nic.delivered_bits_per_second < 1.1 * 20e6 for nic in found.nics)


def test_the_nics_of_a_bond_are_not_checked_alone(described_lab):
    bonded = msgspec.structs.replace(described_lab.spec, nics=2, aggregate="bond")
    described_lab.state = msgspec.structs.replace(described_lab.state, spec=bonded)
    with pytest.raises(UsageError, match="bonded, so that none can be checked alone"):
        check.check(described_lab)


class Played:
    """Answers in place of the two ends of a connection."""

    def __init__(self, *answers):
        self.answers = list(answers)
        """Wire rate in bits per second, and one-way latency in seconds."""

    def __call__(self, _lab, _nic, measure, _seconds):
        rate, latency = self.answers[0]
        if measure == "rate":
            return {"bytes": rate / 8 / WIRE, "seconds": 1.0}
        self.answers.pop(0)
        return {"shortest": 2 * latency, "tenth": 2 * latency, "median": 2 * latency}


def checked(lab, monkeypatch, *answers):
    monkeypatch.setattr(check, "_probe", Played(*answers))
    return check.check(lab)


@pytest.mark.parametrize(
    ("delivered", "latency", "passed"),
    [
        (0.98e9, 110e-6, True),
        (1.029e9, 100e-6, True),
        (0.96e9, 100e-6, False),
        (1.04e9, 100e-6, False),
        (1e9, 124e-6, True),
        (1e9, 126e-6, False),
        (1e9, 70e-6, False),
    ],
)
def test_the_verdict_is_by_rate_and_latency(described_lab, monkeypatch, delivered, latency, passed):
    found = checked(described_lab, monkeypatch, *[(delivered, latency)] * check.TRIES)
    assert found.passed is passed
    assert found.nics[0].tries == (1 if passed else check.TRIES)


@pytest.mark.parametrize(("latency", "passed"), [(100e-6, True), (370e-6, True), (380e-6, False)])
def test_a_moderated_nic_may_hold_a_message_for_its_period(described_lab, monkeypatch, latency, passed):
    state = described_lab.state
    spec = msgspec.structs.replace(state.spec, moderation=250e-6)
    lab = labs.Lab(msgspec.structs.replace(state, spec=spec), described_lab.folder)
    assert checked(lab, monkeypatch, *[(1e9, latency)] * check.TRIES).passed is passed


def test_the_best_of_several_tries_counts(described_lab, monkeypatch):
    found = checked(described_lab, monkeypatch, (0.7e9, 100e-6), (0.99e9, 100e-6))
    assert found.passed
    assert found.nics[0].tries == 2
    assert found.nics[0].delivered_bits_per_second == pytest.approx(0.99e9)


@pytest.mark.requires("lab")
def test_the_rate_of_a_link_of_a_few_packets_a_second_is_within_its_limit(monkeypatch):
    monkeypatch.setattr(check, "LONGEST_RATE_SECONDS", 3.0)
    with labs.up(LabSpec(nodes=2, rate=400e3)) as lab:
        found = check.check(lab)
    # 33 packets in a second, so that one more or less would be out of the limits
    (nic,) = found.nics
    assert nic.delivered_bits_per_second == pytest.approx(400e3, rel=check.RATE_TOLERANCE)


def test_a_slow_link_is_measured_until_enough_packets_passed():
    assert check.rate_seconds(LabSpec(nodes=2, rate=1e9)) == check.RATE_SECONDS
    assert check.rate_seconds(LabSpec(nodes=2, rate=1e5)) == pytest.approx(12)
    assert check.rate_seconds(LabSpec(nodes=2, rate=1e5, mtu=9000)) == check.LONGEST_RATE_SECONDS


def test_a_lab_of_one_node_has_no_link(described_lab):
    described_lab.state = msgspec.structs.replace(described_lab.state, spec=LabSpec(nodes=1))
    with pytest.raises(UsageError, match="has one node"):
        check.check(described_lab)


def test_the_two_ends_count_what_goes_between_them():
    with socket.create_server(("127.0.0.1", 0)) as server:
        one = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    sender = threading.Thread(target=probe.send, args=(one,))
    sender.start()
    began = time.monotonic()
    with other:
        counted = probe.receive(other, 0.2)
    lasted = time.monotonic() - began
    sender.join()
    one.close()
    assert counted["bytes"] > 0
    assert 0.1 < counted["seconds"] <= lasted
