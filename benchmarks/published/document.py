"""The board's table and plot, in docs/explanation/accuracy.md."""

import json
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import msgspec
import vl_convert
from predictions import FORWARD, KINDS, REVERSE, Point

from linkworth import units

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("board.json")
PAGE = ROOT / "docs" / "explanation" / "accuracy.md"
PLOT = ROOT / "docs" / "explanation" / "published.svg"
BEGIN, END = "<!-- make published -->\n", "<!-- end -->\n"
NEAR = 0.15
PRICES = {"ib-fdr": 0.975, "gbe": 0.78}
"""US$ a node and hour of the study `interconnects`."""
CLOSE = 0.98


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """All points, as benchmarks/published/board.json keeps them."""

    schema: str = "linkworth.published/1"
    date: str
    points: list[Point]


def read() -> Board:
    """Return the kept board."""
    return msgspec.json.decode(KEPT.read_bytes(), type=Board)


def rounded(value: Any) -> Any:
    """Return a document's part with four digits, so that two runs of one version are the same text."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items() if part not in (None, "")}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def keep(board: Board) -> None:
    """Write the kept points, the page's part and the plot."""
    document = rounded(msgspec.to_builtins(board))
    lines = ",\n".join(json.dumps(point) for point in document["points"])
    KEPT.write_text(
        f'{{"schema": "{board.schema}", "date": "{board.date}", "points": [\n{lines}\n]}}\n', encoding="utf-8"
    )
    PAGE.write_text(with_part(PAGE.read_text(encoding="utf-8"), read()), encoding="utf-8")
    PLOT.write_text(plot(board.points), encoding="utf-8")


def with_part(page: str, board: Board) -> str:
    """Return the page with the part of a board."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{part(board)}{END}{after}"


def part(board: Board) -> str:
    """Return the tables."""
    return (
        f"{len(board.points)} published figures, predicted on {board.date}. A miss is the predicted time over the measured one, "
        f"less 1.\n\n{table(board.points)}\n"
        "*Without its source*: the interval from the model's errors of all other sources.\n\n"
        f"{choices(board.points)}\n![Predicted over measured times, with their 90 % intervals](published.svg)\n\n"
        f"The largest miss of each kind:\n\n{worst(board.points)}"
    )


def table(points: Sequence[Point]) -> str:
    """Return one line a kind."""
    lines = [
        "| kind | points | median miss | worst | within 15 % | inside its 90 % interval | without its source |",
        "|---|---|---|---|---|---|---|",
    ]
    groups = [(kind, [point for point in points if point.kind == kind]) for kind in KINDS]
    for kind, found in [*groups, ("all", list(points))]:
        misses = [abs(miss(point)) for point in found if point.predicted is not None]
        failed = f" ({len(found) - len(misses)} failed)" if len(misses) < len(found) else ""
        middle, largest = (
            (units.percent(statistics.median(misses)), units.percent(max(misses))) if misses else ("–", "–")
        )
        near, within, apart = (
            _share(found, holds)
            for holds in (
                lambda point: abs(miss(point)) <= NEAR,
                lambda point: inside(point.measured, point.interval),
                lambda point: inside(point.measured, point.left_out),
            )
        )
        lines.append(
            f"| {kind} | {len(found)}{failed} | {middle} | {largest} | {near} | {within} | {apart} |"
        )
    return "\n".join(lines) + "\n"


def miss(point: Point) -> float:
    """Return predicted over measured, less 1; infinite without a prediction."""
    return float("inf") if point.predicted is None else point.predicted / point.measured - 1


def inside(measured: float, ends: tuple[float, float] | None) -> bool:
    """Return whether a figure is inside an interval."""
    return ends is not None and ends[0] <= measured <= ends[1]


def _share(points: Sequence[Point], holds: Any) -> str:
    return units.percent(sum(map(holds, points)) / len(points)) if points else "–"


def choices(points: Sequence[Point]) -> str:
    """Return how often the cheaper network is chosen, from one network's time, at the prices of the study."""
    counts = {"right": 0, "wrong": 0, "too close to call": 0}
    measured = {
        (point.source, point.what): point.measured for point in points if point.kind == "nothing given"
    }
    for point in points:
        if point.kind not in (FORWARD, REVERSE) or point.predicted is None or point.left_out is None:
            continue
        on, other = ("gbe", "ib-fdr") if point.kind == FORWARD else ("ib-fdr", "gbe")
        known = measured[point.source, point.what.replace(f"on {on}", f"on {other}")] * PRICES[other]
        cost, low, high = (seconds * PRICES[on] for seconds in (point.predicted, *point.left_out))
        takes_it = cost < known
        close = high > known / CLOSE if takes_it else low < known * CLOSE
        good = takes_it == (point.measured * PRICES[on] < known)
        counts["too close to call" if close else "right" if good else "wrong"] += 1
    total = sum(counts.values())
    found = ", ".join(f"{count} {name}" for name, count in counts.items())
    return (
        "The cheaper network was chosen from the time on one, at 0.975 and 0.78 US$ for a node and hour. With the "
        f"intervals without their source, of {total} choices: {found}.\n"
    )


def worst(points: Sequence[Point]) -> str:
    """Return the largest miss of each kind."""
    lines = ["| kind | figure | measured | predicted | miss |", "|---|---|---|---|---|"]
    for kind in KINDS:
        found = [point for point in points if point.kind == kind and point.predicted is not None]
        if found:
            point = max(found, key=lambda each: abs(miss(each)))
            assert point.predicted is not None
            lines.append(
                f"| {kind} | {point.what} | {units.duration(point.measured)} | {units.duration(point.predicted)} | "
                f"{miss(point):+.0%} |"
            )
    return "\n".join(lines) + "\n"


def plot(points: Sequence[Point]) -> str:
    """Return predicted over measured against the measured time, as SVG with one path a kind."""
    dots: list[dict[str, Any]] = []
    bars: list[dict[str, Any]] = []
    for number, point in enumerate(points):
        if point.predicted is None:
            continue
        ends = point.interval or (point.predicted, point.predicted)
        for rows, low, high in ((dots, point.predicted, point.predicted), (bars, *ends)):
            # The row without a ratio ends the line, so that a path draws all of a kind.
            for place, seconds in enumerate((low, high, None)):
                ratio = None if seconds is None else min(max(seconds / point.measured, 0.02), 50.0)
                rows.append(
                    {
                        "order": 3 * number + place,
                        "kind": point.kind,
                        "seconds": point.measured,
                        "ratio": ratio,
                    }
                )
    color = alt.Color(
        "kind:N",
        sort=list(KINDS),
        title=None,
        legend=alt.Legend(orient="bottom", columns=2, labelLimit=400, symbolOpacity=1),
    )

    def lines(rows: list[dict[str, Any]], **style: Any) -> alt.Chart:
        chart: alt.Chart = (
            alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]
            .mark_line(**style)
            .encode(
                x=alt.X(
                    "seconds:Q",
                    scale=alt.Scale(type="log"),
                    axis=alt.Axis(title="measured time (s)", grid=False, format="~e"),
                ),
                y=alt.Y(
                    "ratio:Q",
                    scale=alt.Scale(type="log", domain=[0.02, 50]),
                    axis=alt.Axis(
                        title="predicted / measured",
                        grid=False,
                        values=[0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50],
                    ),
                ),
                color=color,
                order="order:Q",
            )
        )
        return chart

    layers = alt.layer(
        alt.Chart(alt.Data(values=[{"one": 1}]))  # type: ignore[no-untyped-call]
        .mark_rule(color="#888")
        .encode(y="one:Q"),
        lines(bars, strokeWidth=1, opacity=0.25),
        lines(dots, strokeWidth=3, strokeCap="round"),
    ).properties(width=640, height=360)
    drawn: str = vl_convert.vegalite_to_svg(layers.to_json())
    return re.sub(r' d="([^"]*)"', lambda path: f' d="{_short(path[1])}"', drawn)


def _short(path: str) -> str:
    """Return a path to a tenth of a pixel, with a vertical line as such."""
    rounded_path = re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.1f}", path)
    return re.sub(r"M([\d.]+),([\d.]+)L\1,", r"M\1,\2V", rounded_path)
