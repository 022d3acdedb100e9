"""An SVG inside a page: what it may not have is dropped, and its paths take few bytes."""

from xml.etree import ElementTree

import pytest

from linkworth.report import svg


@pytest.mark.parametrize(
    ("path", "shorter"),
    [
        ("M0,10L3.72,10L3.72,10L7.45,10L7.45,2.04L9,2.04L12,5Z", "M0,10H7.5V2H9L12,5Z"),
        ("M0,0L4,0M9,9L9,8L9,7Z", "M0,0H4M9,9V7Z"),
        ("M0,0L4,-3L4,-2.96", "M0,0L4,-3"),
        ("M0,0C1,1,2,2,3,3Z", "M0,0C1,1,2,2,3,3Z"),
    ],
)
def test_a_long_path_of_straight_lines_is_shortened(monkeypatch, path, shorter):
    assert svg._shorter(path) == path, "a short one stays as it is"
    monkeypatch.setattr(svg, "_LONG_PATH", 1)
    assert svg._shorter(path) == shorter


def test_what_a_page_may_not_have_is_dropped_and_ids_are_its_own():
    root = ElementTree.fromstring(
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><script>x()</script>'
        '<g style="a" href="b" id="c" clip-path="url(#c)"><image/><text>&lt;b></text></g></svg>'
    )
    svg._clean(root, "key")
    left = '<svg><g id="key-c" clip-path="url(#key-c)"><text>&lt;b&gt;</text></g></svg>'
    assert ElementTree.tostring(root, encoding="unicode") == left
