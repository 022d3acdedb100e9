"""Counters of /proc, from captured files and from this machine."""

import socket

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkworth.model.counters import NicCounters, NodeCounters
from linkworth.places import counters
from linkworth.places.local import LocalPlace

DEV = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:   10000     100    0    0    0     0          0         0    10000     100    0    0    0     0       0          0
  eno1: 1048576     700    0    2    0     0          0         5  2097152    1400    0    1    0     0       0          0
 bond0: 1048576     700    0    2    0     0          0         5  2097152    1400    0    1    0     0       0          0
bond0.7: 1048576    700    0    2    0     0          0         5  2097152    1400    0    1    0     0       0          0
"""
SNMP = """\
Ip: Forwarding DefaultTTL InReceives
Ip: 2 64 4031
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens InSegs OutSegs RetransSegs
Tcp: 1 200 120000 -1 12 5000 6000 7
"""
NETSTAT = """\
TcpExt: SyncookiesSent TCPOFOQueue TCPRcvCoalesce
TcpExt: 0 11 4
IpExt: InNoRoutes InOctets
IpExt: 0 99
"""
STAT = """\
cpu  300 0 100 5000 0 0 0 0 0 0
cpu0 100 10 50 2500 7 1 2 3 40 0
cpu1 200 0 50 2500 0 0 0 0 0 0
intr 12
"""


@pytest.fixture
def proc(tmp_path):
    (tmp_path / "net").mkdir()
    for name, text in {"dev": DEV, "snmp": SNMP, "netstat": NETSTAT}.items():
        (tmp_path / "net" / name).write_text(text)
    (tmp_path / "stat").write_text(STAT)
    for lower, upper in (("eno1", "bond0"), ("bond0", "bond0.7")):
        for nic, link in ((lower, f"upper_{upper}"), (upper, f"lower_{lower}")):
            (tmp_path / "nics" / nic / link).mkdir(parents=True)
    return tmp_path


def test_what_each_file_says(proc, monkeypatch):
    monkeypatch.setattr(counters.os, "sysconf", {"SC_CLK_TCK": 100}.__getitem__)
    node = counters.node_counters("n0", proc / "net", proc / "stat", proc / "nics")
    assert node == NodeCounters(
        node="n0",
        nics=[
            NicCounters(nic="lo", sent_bytes=10000, received_bytes=10000, sent_packets=100, received_packets=100),
            NicCounters(nic="eno1", sent_bytes=2097152, received_bytes=1048576, sent_packets=1400, received_packets=700,
                        dropped_packets=3),
        ],
        tcp_segments_sent=6000,
        tcp_retransmits=7,
        tcp_out_of_order=11,
        # user, nice, system, irq, softirq and steal of a core: idle, waiting for disks and guests (in user already) are not.
        core_seconds=[1.66, 2.5],
    )  # fmt: skip


def test_a_difference_is_what_was_counted_between(proc):
    before = counters.node_counters("n0", proc / "net", proc / "stat")
    (proc / "net/dev").write_text(
        DEV.replace(" 2097152    1400", " 3097152    2400") + DEV.splitlines()[2].replace("lo", "d0")
    )
    (proc / "stat").write_text(STAT.replace("cpu1 200", "cpu1 250"))
    gone = NodeCounters(node="gone")
    (change,) = counters.difference(
        [before, gone], [counters.node_counters("n0", proc / "net", proc / "stat")]
    )
    nics = {nic.nic: nic for nic in change.nics}
    assert (nics["eno1"].sent_bytes, nics["eno1"].sent_packets, nics["eno1"].received_bytes) == (
        1_000_000,
        1000,
        0,
    )
    assert nics["d0"].sent_bytes == 10000
    assert change.tcp_retransmits == 0
    assert change.core_seconds[0] == 0
    assert change.core_seconds[1] > 0


def test_files_that_are_not_there_count_nothing(tmp_path):
    assert counters.node_counters("n0", tmp_path, tmp_path / "stat") == NodeCounters(node="n0")


@given(st.text(), st.text())
@example(dev="\u00b9", other="")  # a digit that is not a number
@example(dev="", other="Tcp: --1")
def test_no_text_can_stop_the_reading(dev, other):
    counters.from_texts("n0", dev=dev, snmp=f"Tcp: a\n{other}", netstat=other, stat=f"cpu0 {dev}")


def test_this_machine_counts(monkeypatch):
    with LocalPlace() as opened:
        (first,) = opened.counters()
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname()) as sender,
        ):
            receiver, _ = server.accept()
            sender.sendall(b"x" * 100_000)
            with receiver:
                assert receiver.recv(1)
        (second,) = opened.counters()
    (change,) = counters.difference([first], [second])
    assert change.node == opened.nodes[0]
    loopback = next(nic for nic in change.nics if nic.nic == "lo")
    assert loopback.sent_bytes >= 60_000
    assert len(change.core_seconds) >= 1
    assert opened.facts()["kernel"]
