"""Profiles of ranks whose threads call MPI at once."""

import pytest
from part_files import NAMES, PartFile, call, payload, send_fields, shape, varint

from linkworth.model.trace import TraceMetadata
from linkworth.profile import build_profile
from linkworth.profile.scan import scan
from linkworth.trace.merge import merge
from linkworth.trace.read import Allowance, open_trace

START = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
LATEST = (START[0] + 10**9, 6_000_000_000, 1_700_000_001_000_000_000)
INIT = shape(payload(NAMES, "MPI_Init", 18, varint(3))) + call(0, 500, 500)


def merged(folder, *ranks):
    """Write a trace; each rank has the records of its threads, the first of which calls MPI_Init."""
    for number, threads in enumerate(ranks):
        first, *further = threads
        blocks = [(START[0], 0, INIT + first), *((START[0] + begins, 0, calls) for begins, calls in further)]
        part = PartFile(
            rank=number, size=len(ranks), start=START, latest=LATEST, blocks=blocks,
            threads=list(range(len(blocks))), host=f"node{number}", pid=100 + number,
        )  # fmt: skip
        part.write(folder)
    merge(folder, folder / "t.lwt", TraceMetadata(workload="threads"))
    return open_trace(folder / "t.lwt", Allowance())


def test_a_call_counts_whole_and_for_its_partner_from_its_own_start(tmp_path):
    # While a thread receives from 2 to 9 us, another one of its rank is in a call from 3 to 7. The message is sent at 5.
    receive = shape(payload(NAMES, "MPI_Recv", 3, send_fields(1, 1000))) + call(0, 0, 7000)
    other = shape(payload(NAMES, "MPI_Comm_rank", 0)) + call(1, 2000, 4000)
    send = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 1000))) + call(1, 4000, 3000)
    end = shape(payload(NAMES, "MPI_Finalize", 19))
    found = scan(
        merged(
            tmp_path, [other + end + call(2, 3000, 500), (2000, receive)], [send + end + call(2, 2000, 500)]
        )
    )
    seconds = {each.name: each.seconds for each in found.calls}
    assert seconds["MPI_Recv"] == pytest.approx(7e-6)
    assert seconds["MPI_Comm_rank"] == pytest.approx(4e-6)
    assert found.ranks[0].communication_seconds == pytest.approx(6e-6)
    assert found.ranks[0].compute_seconds == pytest.approx(3e-6)
    assert found.waits.messages == 1
    assert [each.late_receiver.calls for each in found.waits.ranks] == [0, 0]


def test_waiting_is_no_longer_than_the_time_of_the_rank(tmp_path):
    # Two threads wait from 2 us on for messages that are sent at 6 and 8.
    def receive(tag, seconds):
        return shape(payload(NAMES, "MPI_Recv", 3, send_fields(1, 8, tag))) + call(0, 0, seconds)

    send = b"".join(
        shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, tag))) + call(1 + tag, gap, 500)
        for tag, gap in ((0, 5000), (1, 1500))
    )
    end = shape(payload(NAMES, "MPI_Finalize", 19))
    first = end + call(1, 8500, 500)
    trace = merged(
        tmp_path,
        [first, (2000, receive(0, 5000)), (2000, receive(1, 7000))],
        [send + end + call(3, 1000, 500)],
    )
    found = build_profile(trace)
    assert found.waits.rank_waiting_seconds == pytest.approx([5e-6, 0.0])
    assert {each.name: each.seconds for each in found.calls}["MPI_Recv"] == pytest.approx(12e-6)
