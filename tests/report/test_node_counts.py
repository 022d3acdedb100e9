"""Time and cost over the number of nodes."""

import pytest
from msgspec.structs import replace
from report import samples

from linkworth import units
from linkworth.model.prediction import Interval
from linkworth.model.scaling import Scaling
from linkworth.report.charts import node_counts
from linkworth.report.svg import svg

SCALE = units.CostScale(1000)


def on(nodes, compute, scaling=None):
    item = samples.item(compute=compute)
    assert item.metadata is not None
    return replace(
        item,
        predictions=replace(item.predictions, nodes=nodes),
        metadata=replace(item.metadata, scaling=scaling),
    )


def within(item, share):
    """Return an item whose times are known to a share."""
    predictions = [
        replace(
            each,
            interval=Interval(
                low_seconds=each.seconds * (1 - share),
                high_seconds=each.seconds * (1 + share),
                confidence=0.9,
                samples=100,
            ),
        )
        for each in item.predictions.predictions
    ]
    return replace(item, predictions=replace(item.predictions, predictions=predictions))


def limited(item, deadline):
    """Return an item whose advice has a deadline."""
    options = [replace(each, feasible=each.seconds <= deadline) for each in item.advice.options]
    return replace(item, advice=replace(item.advice, options=options))


SCALED = Scaling(ranks=[4, 8], processors=["B 2"], grid=[16], roles="all", role_count=1)


def test_the_least_is_named_and_the_interval_is_a_band():
    items = [on(2, 0.1), on(4, 0.05), within(on(8, 0.025, SCALED), 0.2)]
    time, cost = node_counts.figures(items, SCALE)
    assert time.table.title == "npb:ft.W is fastest on 8 nodes with ib-hdr: 26.1 ms"
    assert cost.table.title.startswith("npb:ft.W costs least on 8 nodes with ")
    rows = [[each.text for each in row] for row in time.table.rows]
    assert [row[3] for row in rows] == ["recorded"] * 8 + ["scaled"] * 4
    ends = [each.value for each in time.table.rows[-1]][4:7]
    assert ends == pytest.approx([0.02612, 0.02612 * 0.8, 0.02612 * 1.2])
    assert "ib-hdr on 8 nodes, 16 ranks: 26.1 ms, scaled" in svg(time)


def test_the_least_is_one_within_the_deadline():
    items = [on(2, 0.1), on(4, 0.05), on(8, 0.025)]
    free = node_counts.figures(items, SCALE)[1].table.title
    _, cost = node_counts.figures([limited(each, 0.0265) for each in items], SCALE)
    assert cost.table.title != free
    assert cost.table.title.startswith("npb:ft.W costs least within the limits on 8 nodes with ")
    time, _ = node_counts.figures([limited(each, 0.001) for each in items], SCALE)
    assert time.table.title == "npb:ft.W: no number of nodes is within the limits"
    assert "least: " not in svg(time)


def test_free_nodes_have_no_chart_of_cost_and_no_time_has_no_chart():
    """A logarithmic axis has no 0."""
    items = [on(2, 0.1), on(4, 0.05)]
    free = [replace(each, cost_usd=0.0) for each in items[0].advice.options]
    advice = replace(items[0].advice, options=free)
    mixed = [replace(items[0], advice=advice), items[1]]
    (time,) = node_counts.figures(mixed, SCALE)
    assert [row[-1].value for row in time.table.rows[:4]] == [0.0] * 4
    timeless = [
        place._replace(seconds=0.0, low=0.0, high=0.0)
        for place in (node_counts.NodeCount("gbe", nodes, 4, 1.0, None, False, 1.0, 1.0) for nodes in (1, 2))
    ]
    assert node_counts.time_and_cost("key", "app", timeless, SCALE) == []


def test_one_number_of_nodes_is_no_chart():
    assert node_counts.figures([on(2, 0.1), on(2, 0.05)], SCALE) == []
    assert node_counts.figures([on(2, 0.1)], SCALE) == []


def test_a_part_of_one_run_is_not_drawn_with_the_whole_of_another():
    part, other = on(2, 0.1), on(4, 0.05)
    whole = replace(other, predictions=replace(other.predictions, region="whole"))
    assert part.predictions.region == other.predictions.region == "marked"
    assert len(node_counts.figures([part, other], SCALE)) == 2
    assert node_counts.figures([part, whole], SCALE) == []


def test_other_processors_are_a_doubt_of_the_caption():
    scaled = on(4, 0.05, SCALED)
    assert "processors" not in node_counts.figures([on(2, 0.1, SCALED), scaled], SCALE)[0].table.note
    other = on(2, 0.1, replace(SCALED, processors=["A 1"]))
    for figure in node_counts.figures([other, scaled], SCALE):
        assert "The recordings are of different processors" in figure.table.note
