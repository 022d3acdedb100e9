"""Paths of an SVG in few bytes."""

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
