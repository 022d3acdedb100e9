"""Heat map of the bytes that each rank sends to each other rank."""

import math
from itertools import pairwise

import altair as alt

from linkworth import units
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import Field, Figure, table, value, words

MAX_ROWS = 32
"""Most rows: more can neither be distinguished on a phone nor make a small SVG."""


def figure(item: ReportItem, key: str) -> Figure | None:
    """Return the heat map, with ranks grouped equally above `MAX_ROWS`; None if nothing was sent."""
    ranks_per_row, cells = condense(item.profile.matrix.bytes, item.profile.matrix.ranks_per_row)
    largest = max((value for row in cells for value in row), default=0)
    if not largest:
        return None
    ranks = item.profile.ranks
    names = [_name(n, ranks_per_row, ranks) for n in range(len(cells))]
    rows = [
        {
            "sender": names[i],
            "receiver": names[j],
            "bytes": value,
            "label": f"from {names[i]} to {names[j]}: {units.data(value)}",
        }
        for i, row in enumerate(cells)
        for j, value in enumerate(row)
        if value
    ]
    smallest = min(row["bytes"] for row in rows if isinstance(row["bytes"], int))
    logarithmic = largest / smallest > 50
    least = smallest if logarithmic else 0
    side = theme.PLOT_WIDTH - 44
    every = max(1, math.ceil(len(cells) / 16))
    axis = alt.Axis(labelAngle=0, labelOverlap=True, values=names[::every], labelFontSize=10, grid=False)
    x = alt.X("receiver:N", sort=names, scale=alt.Scale(domain=names), title="receiving rank", axis=axis)
    y = alt.Y("sender:N", sort=names, scale=alt.Scale(domain=names), title="sending rank", axis=axis)
    heat = (
        alt.Chart(kinds.values(rows))
        .mark_rect()
        .encode(
            x=x,
            y=y,
            description=alt.Description("label:N"),
            color=alt.Color(
                "bytes:Q",
                title="bytes",
                scale=alt.Scale(
                    range=[theme.LIGHT_BLUE, theme.DARK_BLUE],
                    type="log" if logarithmic else "linear",
                    domain=[least, largest],
                ),
                legend=alt.Legend(
                    orient="bottom",
                    direction="horizontal",
                    gradientLength=side,
                    gradientThickness=10,
                    title="bytes sent, log scale" if logarithmic else "bytes sent",
                    labelExpr=units.axis_label("B", digits=2),
                    values=[least, math.sqrt(least * largest) if logarithmic else largest / 2, largest],
                ),
            ),
        )
    )
    layers = [heat]
    node_of_row = _node_of_row(item, ranks_per_row)
    if edges := _node_edges(node_of_row, names):
        edge_data = kinds.values([{"edge": edge} for edge in edges])
        rule = alt.Chart(edge_data).mark_rule(color=theme.INK, strokeWidth=1.5)
        layers += [
            rule.encode(x=alt.X("edge:N", bandPosition=0)),
            rule.encode(y=alt.Y("edge:N", bandPosition=0)),
        ]
    note = f"A cell is {ranks_per_row} x {ranks_per_row} ranks. " if ranks_per_row > 1 else ""
    note += "Lines: where a node ends and the next begins." if len(layers) > 1 else ""

    def numbers(sent: tuple[str, list[int]]) -> list[Field]:
        sender, row = sent
        return [
            words("sender", sender, "sending rank"),
            value("sent [B]", "sent", sum(row), "size"),
            value("largest [B]", "largest to one partner", max(row), "size"),
        ]

    return Figure(
        chart=alt.layer(*layers).properties(width=side, height=side),
        table=table(
            f"{key}-matrix", _message(node_of_row, cells), zip(names, cells, strict=True), numbers, note=note
        ),
    )


def condense(cells: list[list[int]], ranks_per_row: int) -> tuple[int, list[list[int]]]:
    """Return ranks per row, and the matrix with neighbouring rows and columns summed until it fits `MAX_ROWS`."""
    step = math.ceil(len(cells) / MAX_ROWS) if cells else 1
    if step == 1:
        return ranks_per_row, cells
    size = math.ceil(len(cells) / step)
    small = [[0] * size for _ in range(size)]
    for i, row in enumerate(cells):
        for j, sent in enumerate(row):
            small[i // step][j // step] += sent
    return ranks_per_row * step, small


def _name(row: int, ranks_per_row: int, ranks: int) -> str:
    first = row * ranks_per_row
    last = min(first + ranks_per_row, ranks) - 1
    return kinds.ranks_text(first, last)


def _node_of_row(item: ReportItem, ranks_per_row: int) -> list[int]:
    """Return the node of each row's ranks; empty if a row has ranks of two nodes."""
    nodes = item.node_of_rank
    rows = [set(nodes[first : first + ranks_per_row]) for first in range(0, len(nodes), ranks_per_row)]
    return [row.pop() for row in rows] if all(len(row) == 1 for row in rows) else []


def _node_edges(node_of_row: list[int], names: list[str]) -> list[str]:
    """Return the first row of each node but the first; none if the nodes take turns, or lines would hide the cells."""
    changes = [
        name for name, (one, other) in zip(names[1:], pairwise(node_of_row), strict=False) if one != other
    ]
    contiguous = len(changes) == len(set(node_of_row)) - 1
    return changes if contiguous and len(changes) < MAX_ROWS // 2 else []


def _message(node_of_row: list[int], cells: list[list[int]]) -> str:
    total = sum(map(sum, cells))
    if len(set(node_of_row)) < 2:
        return f"{units.data(total)} go from rank to rank"
    crossing = sum(
        size
        for node, row in zip(node_of_row, cells, strict=True)
        for other, size in zip(node_of_row, row, strict=True)
        if node != other
    )
    return f"{units.percent(crossing / total)} of the bytes cross between the {len(set(node_of_row))} nodes"
