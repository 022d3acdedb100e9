"""Metrics: known ones, and those that a study file names itself."""

import re
from pathlib import Path

import pytest

from linkworth.study.metrics import is_metric, metric


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
def test_the_ending_of_a_new_name_says_its_unit(name, unit, better, kind):
    found = metric(name)
    assert (found.unit, found.better, found.kind) == (unit, better, kind)
    assert found.title and "_" not in found.title


def test_all_values_of_micro_benchmarks_are_metrics():
    sources = (Path(__file__).parents[2] / "native/netbench/benches").glob("*.cpp")
    names = [name for file in sources for name in re.findall(r'bench\.value\("(\w+)"', file.read_text())]
    assert len(names) > 10
    assert [name for name in [*names, "d0_sent_bytes", "events"] if not is_metric(name)] == []
    assert not is_metric("second") and not is_metric("sent_byte")
