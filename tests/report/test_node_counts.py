"""Time and cost over the number of nodes."""

import msgspec
import pytest
from report import samples

from linkworth import units
from linkworth.model.scaling import LeftOut, Scaling
from linkworth.report import ReportItem
from linkworth.report.charts import node_counts
from linkworth.report.svg import svg

SCALE = units.CostScale(1000)


def on(nodes: int, compute: float, scaling: Scaling | None = None) -> ReportItem:
    item = samples.item(compute=compute)
    assert item.metadata is not None
    return msgspec.structs.replace(
        item,
        predictions=msgspec.structs.replace(item.predictions, nodes=nodes),
        metadata=msgspec.structs.replace(item.metadata, scaling=scaling),
    )


def test_the_least_is_named_and_a_scaled_point_has_a_band() -> None:
    left_out = LeftOut(ranks=8, calls=0, messages=0, bytes=0, compute=0, seconds={"gbe": -0.25})
    scaled = Scaling(ranks=[4, 8], grid=[16], roles="all", role_count=1, left_out=left_out, uneven=1.5)
    time, cost = node_counts.figures([on(2, 0.1), on(4, 0.05), on(8, 0.025, scaled)], SCALE)
    assert time.table.title == "npb:ft.W is fastest on 8 nodes with ib-hdr: 26.1 ms"
    assert cost.table.title.startswith("npb:ft.W costs least on 8 nodes with ")
    rows = [[each.text for each in row] for row in time.table.rows]
    assert [row[3] for row in rows] == ["recorded"] * 8 + ["scaled"] * 4
    ends = [each.value for each in time.table.rows[-1]][4:7]
    assert ends == pytest.approx([0.02612, 0.02612 / 1.25, 0.02612 * 1.25 * 1.5])
    assert "ib-hdr on 8 nodes, 16 ranks: 26.1 ms, scaled" in svg(time)


def test_one_number_of_nodes_is_no_chart() -> None:
    assert node_counts.figures([on(2, 0.1), on(2, 0.05)], SCALE) == []
    assert node_counts.figures([on(2, 0.1)], SCALE) == []
