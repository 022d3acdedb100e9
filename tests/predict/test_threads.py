"""Replays in threads, and what an interrupt leaves of them."""

import threading
import time
from concurrent.futures import Future

import pytest
from synthetic import collective, write_trace

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.prediction import Layout, Prediction
from linkworth.predict.threads import ReplayThreads
from linkworth.replay.run import replay

RANKS = 1500


def test_an_interrupt_ends_replays_that_have_begun(tmp_path):
    # 45 million messages: half a minute if nothing ends it.
    trace = _engine.Trace(
        str(write_trace(tmp_path / "t.lwt", [[collective("MPI_Alltoall", 1000)] * 20] * RANKS))
    )
    begun = threading.Event()

    def replayed() -> Prediction:
        begun.set()
        return replay(trace, fabrics.get("gbe"), Layout(nodes=1, node_of_rank=[0] * RANKS))

    def interrupted() -> None:
        with ReplayThreads(1) as pool:
            running.append(pool.submit(replayed))
            begun.wait()
            time.sleep(0.5)
            raise KeyboardInterrupt

    running: list[Future[Prediction]] = []
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(UsageError, match="was interrupted"):
        running[0].result()
