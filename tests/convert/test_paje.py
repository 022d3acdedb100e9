"""Paje traces: what pj_dump reads in them is what the trace holds."""

import re
import subprocess
from decimal import Decimal
from pathlib import Path

import message_traces
import pytest
from golden import check_golden
from synthetic import ANY, Call, irecv, recv, send, write_trace
from synthetic_calls import partitioned, pready, start

from linkworth import _engine
from linkworth.convert import convert

GOLDEN = Path(__file__).with_name("golden")


def dumped(path):
    """Return the states and the links that pj_dump, which checks nesting and links, finds."""
    done = subprocess.run(
        ["pj_dump", "--user-defined", "--float-precision=9", str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert "rror" not in done.stderr + done.stdout
    rows = [line.split(", ") for line in done.stdout.splitlines()]
    return [row for row in rows if row[0] == "State"], [row for row in rows if row[0] == "Link"]


def ns(seconds):
    return int(Decimal(seconds) * 10**9)


@pytest.mark.requires("pj_dump")
def test_every_call_comes_back_from_pj_dump(trace):
    summary = convert(trace, "paje")
    assert summary.bytes == Path(summary.entry).stat().st_size
    states, _ = dumped(Path(summary.entry))
    ranks = message_traces.calls(trace)
    assert summary.records == len(states) == sum(map(len, ranks))
    for number, expected in enumerate(ranks):
        mine = [row for row in states if row[1] == f"rank {number}"]
        origin = ns(mine[0][3])
        assert [row[7] for row in mine] == [call.name for call in expected]
        assert [row[6] for row in mine] == ["0.000000000"] * len(mine)  # none stands inside another
        for row, call in zip(mine, expected, strict=True):
            assert abs(ns(row[3]) - origin - call.start_ns) <= 1
            assert abs(ns(row[5]) - (call.end_ns - call.start_ns)) <= 1
            own = [name for name in ("comm", "peer", "tag", "bytes") if name in call.fields]
            if call.call_class in ("send", "isend", "recv", "irecv", "sendrecv"):
                assert row[8:12] == [str(call.fields[name]) for name in own]


@pytest.mark.requires("pj_dump")
def test_messages_go_from_their_send_to_the_end_of_their_receive(tmp_path):
    trace, expected = message_traces.every_message(tmp_path / "t.lwt")
    summary = convert(trace, "paje")
    _, links = dumped(Path(summary.entry))
    init_ns = 1_500_000_000
    found = [
        message_traces.Sent(
            int(row[7][5:]), int(row[8][5:]), int(row[10]), ns(row[3]) - init_ns, ns(row[4]) - init_ns
        )
        for row in links
    ]
    assert sorted(found) == sorted(expected)
    assert summary.remarks == [
        "1 end of messages left out, because the trace does not contain the other end",
        "1 message left out, because the creation of the communicator is missing from the trace",
    ]


@pytest.mark.requires("pj_dump")
def test_a_cancelled_receive_from_any_source_is_no_message(tmp_path):
    cancel = Call("MPI_Cancel", "request_cancel", references=[1])
    taken_back = message_traces.wait((1, True, ANY, ANY))
    receiver = [irecv(ANY, 8, tag=ANY), cancel, taken_back, recv(0, 8)]
    summary = convert(write_trace(tmp_path / "t.lwt", [[send(1, 8)], receiver]), "paje")
    _, links = dumped(Path(summary.entry))
    assert [(row[7], row[8]) for row in links] == [("rank 0", "rank 1")]
    assert summary.remarks == []


@pytest.mark.requires("pj_dump")
def test_calls_of_a_nanosecond_and_of_none_keep_their_length(tmp_path):
    states, links = dumped(Path(convert(message_traces.short_calls(tmp_path / "t.lwt"), "paje").entry))
    assert [row[5] for row in states if row[1] == "rank 1"] == [
        "0.500000000", "0.000000001", "0.000000000", "0.000000001", "0.000000000",
    ]  # fmt: skip
    assert links == []


def test_the_file_is_in_the_order_of_time_and_says_what_it_defines(tmp_path):
    trace, _ = message_traces.every_message(tmp_path / "t.lwt")
    text = Path(convert(trace, "paje").entry).read_text(encoding="ascii")
    check_golden(GOLDEN / "every-message.paje", text)
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    times = [Decimal(line.split()[1]) for line in lines if int(line.split()[0]) > 3]
    assert times == sorted(times)


def test_a_name_cannot_break_the_file(tmp_path):
    odd = write_trace(tmp_path / "t.lwt", [[send(0, 1, name='MPI_"\n7 0 x"')]])
    text = Path(convert(odd, "paje").entry).read_text(encoding="ascii")
    assert '"MPI___7 0 x_"' in text
    assert re.search(r"^7 0 x", text, re.MULTILINE) is None


def test_partitioned_messages_only_meet_each_other(tmp_path):
    zero = [partitioned("psend_init", 1, 7, 4, tag=8), start(1), pready(0, 3), message_traces.wait((1, False, 0, 0)),
            send(1, 99, tag=8)]  # fmt: skip
    one = [irecv(0, 99, tag=8), partitioned("precv_init", 0, 14, 2, tag=8), start(1),
           message_traces.wait((2, False, 0, 0)).lasting(1.0), message_traces.wait((1, False, 0, 0)).lasting(1.0)]  # fmt: skip
    messages = _engine.message_columns(_engine.Trace(str(write_trace(tmp_path / "t.lwt", [zero, one]))))
    ends = dict(zip(messages["bytes"].tolist(), messages["received_ns"].tolist(), strict=True))
    assert ends[28] - ends[99] == 10**9
