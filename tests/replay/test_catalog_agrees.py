"""The tables of fabrics and the replay hold the same formula, once in Python and once in C++: they must give the same times."""

from pathlib import Path

import pytest
from synthetic import recv, send, write_trace

from linkworth import _engine
from linkworth.catalog import derived, fabrics
from linkworth.model.prediction import Layout
from linkworth.replay.run import replay


@pytest.mark.parametrize("name", fabrics.names())
def test_an_eager_message_takes_what_the_table_says(tmp_path: Path, name: str) -> None:
    on = fabrics.get(name)
    for size in (0, 8, 1000):
        assert size <= min(on.link.eager_limit_bytes, on.intranode.eager_limit_bytes)
        trace = _engine.Trace(str(write_trace(tmp_path / f"{size}.lwt", [[send(1, size)], [recv(0, size)]])))
        for path, nodes in ((on.link, [0, 1]), (on.intranode, [0, 0])):
            got = replay(trace, on, Layout(nodes=max(nodes) + 1, node_of_rank=nodes))
            expected = derived.half_round_trip_seconds(path, size)
            assert got.seconds == pytest.approx(expected, rel=1e-9, abs=1e-15), size
