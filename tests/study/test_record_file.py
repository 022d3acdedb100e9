"""No flipped bit of a run's record passes unseen."""

import pytest

from linkworth.model.study import RunRecord
from linkworth.study.record_file import DamagedRecordError, decode, encode

RECORD = RunRecord(
    run="ft@gbe#0", workload="ft", environment="gbe", mode="measure", repetition=0, state="done",
    metrics={"seconds": 1.5}, series={"iteration_seconds": [0.5, 1.0]}, facts={"mpi": "Open MPI \N{MICRO SIGN}"},
)  # fmt: skip


def test_every_flipped_bit_and_every_cut_is_seen():
    whole = encode(RECORD)
    assert decode(whole) == RECORD
    for place in range(len(whole)):
        with pytest.raises(DamagedRecordError):
            decode(whole[:place])
        for bit in range(8):
            content = bytearray(whole)
            content[place] ^= 1 << bit
            with pytest.raises(DamagedRecordError):
                decode(bytes(content))
