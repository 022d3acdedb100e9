"""References to requests."""

from typing import Any

import numpy as np
import pytest

from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.recording import Call
from linkworth.scale.requests import Requests

MADE = Call("MPI_Send_init@a.c:1", "send_init", {"comm": 0, "peer": 1, "tag": 0, "bytes": 8})


def started(back: int) -> Any:
    started = Call("MPI_Start@a.c:2", "start", {"references": [back]})
    return Requests([MADE, started]).started(np.array([0, 0, 1]))


@pytest.mark.parametrize("back", [0, 3])
def test_a_reference_to_no_request_is_named(back: int) -> None:
    with pytest.raises(UnfitError, match=r"MPI_Start@a.c:2: it would refer to a request that is not there"):
        started(back)


def test_a_reference_is_to_the_call_that_made_the_request() -> None:
    assert [started(back).made.tolist() for back in (1, 2)] == [[1], [0]]
