"""No flipped bit of a run's record passes unseen."""

import pytest

from linkworth.model.study import RunRecord
from linkworth.study.record_file import DamagedRecordError, decode, encode

RECORD = RunRecord(
    run="ft@gbe#0", workload="ft", environment="gbe", mode="measure", repetition=0, state="done",
    metrics={"seconds": 1.5}, series={"iteration_seconds": [0.5, 1.0]}, facts={"mpi": "Open MPI \N{MICRO SIGN}"},
)  # fmt: skip


def test_records_come_back_also_without_a_checksum():
    assert decode(encode(RECORD)) == RECORD
    content = encode(RECORD)
    old = content[: content.rindex(b",\n")] + b"\n}"
    assert b"checksum" not in old
    assert decode(old) == RECORD


def test_every_flipped_bit_and_every_cut_is_seen():
    whole = encode(RECORD)
    for place in range(len(whole)):
        with pytest.raises(DamagedRecordError):
            decode(whole[:place])
        for bit in range(8):
            content = bytearray(whole)
            content[place] ^= 1 << bit
            try:
                read = decode(bytes(content))
            except DamagedRecordError:
                continue
            # Only the name of the checksum itself can change: then there is none, and the rest is as it was.
            assert read == RECORD
            assert b'"checksum"' not in content
