"""Conversion of a chart's description to PNG, and to SVG that is safe inside a page."""

import copy
import importlib.util
import json
import re
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from linkworth.errors import EnvironmentLacksError
from linkworth.report.charts import theme
from linkworth.report.table import Figure
from linkworth.writing.documents import with_texts
from linkworth.writing.text import printable

_ELEMENTS = {
    "svg",
    "g",
    "path",
    "rect",
    "line",
    "text",
    "tspan",
    "title",
    "defs",
    "clipPath",
    "linearGradient",
    "stop",
    "circle",
}
NO_CONVERTER = (
    "charts need vl-convert, which takes 84 MB and is not installed: pip install 'linkworth[plots]'"
)
_LONG_PATH = 200
_WIDTH_OF_A_PHONE = 324
"""Pixels for a chart on a screen of 390: the rest is margins."""
_LEAST_PLOT_WIDTH = 180
_STRAIGHT = re.compile(r"(?:[ML]-?\d[\d.]*,-?\d[\d.]*|Z)+")
_POINT = re.compile(r"([MLZ])(?:([-\d.]+),([-\d.]+))?")
_DROPPED = {"style", "href", "class", "version"}


def can_draw() -> bool:
    """Return whether the converter of charts is installed."""
    return importlib.util.find_spec("vl_convert") is not None


def converter() -> Any:  # noqa: ANN401 (a module without types)
    """Return the converter of charts. Raises EnvironmentLacksError if it is not installed."""
    if not can_draw():
        raise EnvironmentLacksError(NO_CONVERTER)
    import vl_convert

    return vl_convert


def svg(figure: Figure) -> Markup:
    """Return the chart as inline SVG. A wide one is there twice, and the page shows the drawing that fits the screen."""
    specification = _specification(figure)
    drawn = _inline(specification, figure, figure.key)
    excess = round(float(drawn.get("width", "0"))) - _WIDTH_OF_A_PHONE
    if not figure.wide or excess <= 0:
        return _markup(drawn, "chart")
    narrow = _inline(_narrower(specification, excess), figure, f"{figure.key}-narrow")
    return _markup(drawn, "chart broad") + _markup(narrow, "chart narrow")


def _inline(specification: dict[str, Any], figure: Figure, key: str) -> ElementTree.Element:
    """Return a drawing with known elements only, no style or link attributes, and ids that are unique in the page.

    A page's content security policy forbids inline styles, and two charts may not share the ids of their clip paths.
    """
    root = ElementTree.fromstring(converter().vegalite_to_svg(_document(specification)))
    _clean(root, key)
    root.set("role", "img")
    root.set("aria-label", figure.table.title)
    return root


def _markup(root: ElementTree.Element, kind: str) -> Markup:
    root.set("class", kind)
    return Markup(ElementTree.tostring(root, encoding="unicode", short_empty_elements=True))


def _narrower(part: Any, excess: int, key: str = "") -> Any:  # noqa: ANN401 (a part of a specification)
    """Return a specification with plots `excess` pixels narrower and legends of two columns. Letters keep their size."""
    if key == "width" and isinstance(part, int):
        return min(part, max(_LEAST_PLOT_WIDTH, part - excess))
    if key == "columns" and isinstance(part, int):
        return min(part, 2)
    if isinstance(part, list):
        return [_narrower(item, excess) for item in part]
    if isinstance(part, dict) and key not in ("data", "datasets"):
        return {name: _narrower(item, excess, name) for name, item in part.items()}
    return part


def standalone(figure: Figure) -> str:
    """Return the chart as an SVG file with its title on white, for documents."""
    specification = _specification(figure)
    specification["title"] = figure.table.title
    specification["background"] = "white"
    drawn: str = converter().vegalite_to_svg(_document(specification))
    return drawn


def png(standing_alone: str) -> bytes:
    """Return an SVG file as PNG."""
    data: bytes = converter().svg_to_png(standing_alone, scale=2.0)
    return data


def _document(specification: dict[str, Any]) -> str:
    # XML allows no control characters, and the converter ends the process at one.
    return json.dumps(_with_plain_titles(with_texts(specification, printable)))


def _with_plain_titles(value: Any) -> Any:  # noqa: ANN401 (a part of a specification)
    """Return a specification whose titles have neither backslashes nor line breaks.

    Vega-Lite inserts the title of an axis unchanged, between quotes, into the expression of a mark's label. There
    `\\x02` would become the control character again, and a line break would end the quoted text.
    """
    if isinstance(value, list):
        return [_with_plain_titles(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: " ".join(item.replace("\\", "\u29f5").split())
        if key == "title" and isinstance(item, str)
        else _with_plain_titles(item)
        for key, item in value.items()
    }


def _specification(figure: Figure) -> dict[str, Any]:
    specification: dict[str, Any] = figure.chart.to_dict(validate=False)
    specification["config"] = copy.deepcopy(theme.CONFIG)
    specification["padding"] = 2
    return specification


def _clean(element: ElementTree.Element, key: str) -> None:
    for child in list(element):
        if _local(child.tag) in _ELEMENTS:
            _clean(child, key)
        else:
            element.remove(child)
    element.tag = _local(element.tag)
    for name in list(element.attrib):
        value = element.attrib[name]
        if name.startswith(("on", "{")) or name in _DROPPED:
            del element.attrib[name]
        elif name == "id":
            element.set("id", f"{key}-{value}")
        elif name == "d":
            element.set(name, _shorter(value))
        elif "url(#" in value:
            element.set(name, value.replace("url(#", f"url(#{key}-"))


def _shorter(path: str) -> str:
    """Return a long path of straight lines in tenths of a pixel, without points inside horizontal and vertical lines.

    The steps of many ranks over time are such lines, and would be most of a page's bytes.
    """
    if len(path) < _LONG_PATH or _STRAIGHT.fullmatch(path) is None:
        return path
    found: list[str] = []
    x = y = ""
    for command, *ends in _POINT.findall(path):
        to_x, to_y = (f"{float(end):.1f}".removesuffix(".0") if end else "" for end in ends)
        if command != "L":
            found.append(f"M{to_x},{to_y}" if command == "M" else command)
        elif x != to_x and y != to_y:
            found.append(f"L{to_x},{to_y}")
        elif x != to_x or y != to_y:
            line = f"H{to_x}" if y == to_y else f"V{to_y}"
            found[-1:] = [line] if found[-1][0] == line[0] else [found[-1], line]
        x, y = to_x, to_y
    return "".join(found)


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]
