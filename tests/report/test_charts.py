from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from report import samples

from linkworth import units
from linkworth.model.profile import Matrix
from linkworth.report import ReportItem
from linkworth.report.charts import activities, fabrics, kinds, matrix, parts, sensitivity, shares, sizes
from linkworth.report.svg import svg
from linkworth.report.table import Figure

SCALE = units.CostScale(1000)
CHARTS: dict[str, Callable[[ReportItem], Figure | None]] = {
    "shares": lambda item: shares.figure([item]),
    "fabrics": lambda item: fabrics.figure(item, "p0", SCALE),
    "parts": lambda item: parts.figure(item, "p0"),
    "sizes": lambda item: sizes.figure(item, "p0"),
    "matrix": lambda item: matrix.figure(item, "p0"),
    "recorded": lambda item: activities.recorded(item, "p0"),
    "predicted": lambda item: activities.predicted(item, "p0"),
    "latency": lambda item: sensitivity.latency(item, "p0"),
    "bandwidth": lambda item: sensitivity.bandwidth(item, "p0"),
}


def marks(figure):
    """Return the descriptions of the marks that were drawn."""
    root = ElementTree.fromstring(f"<figure>{svg(figure)}</figure>")
    return [
        e.get("aria-label", "")
        for e in root.iter()
        if e.get("role") == "graphics-symbol" and e.get("aria-roledescription") not in ("axis", "legend")
    ]


@pytest.mark.parametrize(
    ("name", "title", "mark"),
    [
        ("shares", "npb:ft.W communicates 50 % of its ranks' time", "npb:ft.W: 50 % communication"),
        (
            "fabrics",
            "ib-fdr costs least: 53.3 ms, 0.0289 US$ per 1,000 runs",
            "gbe: 220 ms, 0.0953 US$ per 1,000 runs",
        ),
        ("parts", "On gbe, bandwidth is 73 % of the critical path", "gbe: bandwidth 160 ms, 73 %"),
        (
            "sizes",
            "> 99 % of the bytes travel in messages of 65.5–131 kB",
            "65.5–131 kB: 2,400 messages, 71 % of all messages",
        ),
        ("matrix", "36 % of the bytes cross between the 2 nodes", "from 3 to 4: 2.34 MB"),
        ("recorded", "Recorded time: computation 60 %, collectives 20 %, waiting 20 %", "rank 3: 340 ms waiting, 20 %"),
        (
            "predicted",
            "Share of collectives in the ranks' time: 15 % on gbe, 2 % on ib-fdr",
            "rank 3: 33.0 ms collective, 15 %",
        ),
        ("latency", "Twice the latency costs 10gbe 6 % more time", "gbe at 25.0 µs: 220 ms"),
        ("bandwidth", "Half the bandwidth costs gbe 73 % more time", "ib-hdr at 25.0 GB/s: 51.1 ms"),
    ],
)  # fmt: skip
def test_a_chart_says_its_message_and_draws_its_numbers(name, title, mark):
    figure = CHARTS[name](samples.item())
    assert figure is not None
    assert figure.table.title == title
    assert mark in marks(figure)
    assert figure.table.rows
    assert {len(row) for row in figure.table.rows} == {len(figure.table.columns)}


def test_the_message_of_a_choice_within_limits_names_them_and_the_goal():
    """The fastest that is within a budget is often neither the fastest nor the cheapest of all."""
    item = samples.item()
    advice = replace(item.advice, choice="10gbe", goal="time", budget_usd=0.1)
    title = fabrics.figure(replace(item, advice=advice), "p0", SCALE).table.title
    assert title.startswith("10gbe is fastest within the budget: ")
    advice = replace(advice, goal="cost", deadline_seconds=1.0)
    title = fabrics.figure(replace(item, advice=advice), "p0", SCALE).table.title
    assert title.startswith("10gbe costs least within the deadline and the budget: ")
    still = samples.item(latencies=0, volume=0)
    for each, said in (
        (item, "4.30 x as fast on ib-hdr as on gbe"),
        (still, "Equally fast on all of these networks"),
    ):
        unpriced = replace(each, advice=replace(each.advice, choice=None))
        assert fabrics.figure(unpriced, "p0", SCALE).table.title == said


def test_what_is_not_known_has_no_chart():
    item = samples.item()
    profile = replace(item.profile, message_sizes=[], matrix=Matrix(ranks_per_row=1, bytes=[[0] * 16] * 16))
    item = replace(item, profile=profile)
    assert sizes.figure(item, "p0") is None
    assert matrix.figure(item, "p0") is None
    item = replace(samples.item(), grids=[])
    assert sensitivity.latency(item, "p0") is None


@pytest.mark.parametrize(
    ("nodes", "title", "lines"),
    [
        ([rank // 8 for rank in range(16)], "36 % of the bytes cross between the 2 nodes", 1),
        ([rank % 2 for rank in range(16)], "55 % of the bytes cross between the 2 nodes", 0),
        ([rank * 5 // 16 for rank in range(16)], "81 % of the bytes cross between the 5 nodes", 4),
        ([0] * 16, "412 MB go from rank to rank", 0),
    ],
)
def test_the_bytes_between_nodes_follow_the_placement(nodes, title, lines):
    figure = matrix.figure(replace(samples.item(), node_of_rank=nodes), "p0")
    assert figure.table.title == title
    rules = [layer for layer in figure.chart.to_dict()["layer"] if layer["mark"]["type"] == "rule"]
    assert [len(layer["data"]["values"]) for layer in rules] == ([lines, lines] if lines else [])


def test_a_large_matrix_is_condensed_without_losing_a_byte():
    cells = [[i * 100 + j for j in range(100)] for i in range(100)]
    per_row, small = matrix.condense(cells, 2)
    assert (per_row, len(small)) == (8, 25)
    assert sum(map(sum, small)) == sum(map(sum, cells))
    assert small[0][0] == sum(i * 100 + j for i in range(4) for j in range(4))


@pytest.mark.parametrize(("low", "high"), [(0.05, 0.3), (1e-7, 1e-3), (1.0, 1.4), (1e-9, 1e9)])
def test_log_ticks_are_few_and_inside(low, high):
    ticks = kinds.log_ticks(low, high)
    assert 1 <= len(ticks) <= 6
    assert all(low * 0.99 <= tick <= high * 1.01 for tick in ticks)
    assert ticks == sorted(ticks)


def test_of_many_programs_the_chart_of_shares_has_those_that_communicate_most(monkeypatch):
    monkeypatch.setattr(shares, "MOST_DRAWN", 2)
    items = samples.three()
    figure = shares.figure(items)
    least = min(items, key=lambda item: item.profile.run_shares.communication).profile.workload
    drawn = svg(figure)
    assert [item.profile.workload in drawn for item in items] == [
        item.profile.workload != least for item in items
    ]
    assert len(figure.table.rows) == 3
    assert "the 2 programs that communicate most" in figure.table.note


def test_networks_of_one_colour_have_other_shapes():
    one = other = samples.item()
    for name in samples.LINKS:
        other = samples.renamed(other, name, f"{name}-b")
    many = replace(one, grids=[*one.grids, *other.grids], fabrics=[*one.fabrics, *other.fabrics])
    figure = sensitivity.latency(many, "p0")
    assert figure is not None
    marks = figure.chart.to_dict()["layer"][-1]["encoding"]
    looks = set(zip(marks["color"]["scale"]["range"], marks["shape"]["scale"]["range"], strict=True))
    assert len(looks) == 8
