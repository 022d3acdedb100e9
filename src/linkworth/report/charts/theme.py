"""Colours, sizes and the shared look of all charts.

People with any form of colour blindness can distinguish the data colours. Those of kinds of time are of Okabe and Ito
(Color Universal Design, 2008, https://jfly.uni-koeln.de/color/). Those of networks are of Tol (Colour Schemes,
SRON/EPS/TN/09-002, 2021). The page's style sheet finds ink, muted and grid colours by value to recolour a chart for a
dark screen, so each is used for nothing else.
"""

from typing import Any

BLUE, ORANGE, GREEN, VERMILION, SKY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9"
PURPLE, YELLOW, BROWN = "#cc79a7", "#f0e442", "#a6761d"
QUIET = "#8c959f"
LIGHT_BLUE, DARK_BLUE = "#cfe3f5", "#08306b"
"""Ends of the colour ramp of a heat map: only its lightness orders the values."""
INK, MUTED, GRID = "#1f2328", "#59636e", "#d1d9e0"
ON_DARK, ON_LIGHT = "#ffffff", "#000000"
"""Text inside a mark: on dark colours, and on light ones."""
LIGHT = (ORANGE, SKY)
KINDS = {
    "computation": BLUE,
    "communication": VERMILION,
    "MPI calls": VERMILION,
    "bandwidth": VERMILION,
    "overhead": GREEN,
    "latency": ORANGE,
    "point-to-point": VERMILION,
    "collective": PURPLE,
    "one-sided": YELLOW,
    "other calls": BROWN,
    "waiting": QUIET,
    "initialisation": QUIET,
}
"""Colours of what time is spent on, in all charts. No series has one of them."""
SERIES = ["#aa4499", "#44aa99", "#999933", "#cc6677", "#117733", "#882255", "#88ccee"]
"""Colours of networks and other series: the "muted" scheme of Tol."""

PLOT_WIDTH = 300
"""Width in pixels with which a chart and its labels fit a phone without scaling."""
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"

CONFIG: dict[str, Any] = {
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "labelLimit": 120,
    },
    "axisY": {"domain": False, "ticks": False},
    "legend": {
        "orient": "top",
        "title": None,
        "titleColor": MUTED,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "labelFontSize": 11,
        "columns": 3,
        "labelLimit": 120,
        "symbolType": "square",
        "offset": 8,
    },
    "text": {"color": INK, "fontSize": 11},
    "title": {"color": INK, "fontSize": 13, "anchor": "start", "fontWeight": "bold"},
}
