"""Metrics: known ones, and those that a study file names itself."""

import pytest

from linkworth.study.metrics import METRICS, metric


def test_known_metrics_are_complete() -> None:
    for name, known in METRICS.items():
        assert known.name == name and known.title and known.unit
    assert metric("seconds").better == "lower"
    assert metric("bandwidth_bytes_per_second").better == "higher"


@pytest.mark.parametrize(
    ("name", "unit", "better", "kind"),
    [
        ("solver_seconds", "s", "lower", "time"),
        ("copy_bytes_per_second", "B/s", "higher", "rate"),
        ("loop_steps_per_second", "1/s", "higher", "number"),
        ("restart_bytes", "B", None, "size"),
        ("residual", "", None, "number"),
    ],
)
def test_the_ending_of_a_new_name_says_its_unit(name: str, unit: str, better: str | None, kind: str) -> None:
    found = metric(name)
    assert (found.unit, found.better, found.kind) == (unit, better, kind)
    assert found.title and "_" not in found.title
