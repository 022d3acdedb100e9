"""The board of published figures: its sources are sound, it leaves none out, and its page is that of the kept points."""

import pickle
import sys
from collections import Counter
from pathlib import Path

import pytest

from linkworth.catalog.model_error import model_errors
from linkworth.errors import UsageError

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks" / "published"))
import board  # noqa: E402 (scripts, not modules of the package)
import document  # noqa: E402
import predictions  # noqa: E402
import sources  # noqa: E402

RENEW = "renew it: make published"


def test_every_figure_has_its_points():
    expected: Counter[tuple[str, str]] = Counter()
    for source in sources.sources():
        assert source.title and source.source and source.licence and source.date
        for table in source.tests:
            expected[source.name, table.system] += len(table.values)
        for program, times in (source.layouts.values if source.layouts else {}).items():
            given = {1, 2} if {"4x4", "16x1"} <= times.keys() else {1}
            expected[source.name, program] += sum(len(times) - count for count in given)
        by_network = list(source.times().values()) if source.study else []
        for program in set().union(*by_network):
            networks = sum(program in times for times in by_network)
            expected[source.name, program] += networks + networks * (networks - 1)
    kept = Counter((point.source, point.what.split(" ")[0]) for point in document.read().points)
    assert kept == expected, RENEW


def test_the_page_is_that_of_the_points():
    page = document.PAGE.read_text(encoding="utf-8")
    assert document.with_part(page, document.read()) == page, RENEW
    assert document.PLOT.exists(), RENEW


def test_a_wrong_unit_is_refused(tmp_path):
    good = (sources.FOLDER / "aws-c5n.toml").read_text(encoding="utf-8")
    path = tmp_path / "source.toml"
    path.write_text(good.replace('unit = "us"', 'unit = "MB/s"', 1), encoding="utf-8")
    with pytest.raises(
        UsageError, match="osu_latency of aws-c5n-efa is in 'MB/s'; its unit is one of ms, s, us"
    ):
        sources.read(path)
    path.write_text(good.replace("[0, 16.145]", "[0, -1]"), encoding="utf-8")
    with pytest.raises(UsageError, match="has a figure that is not above 0"):
        sources.read(path)
    path.write_text(good.replace("licence", "license"), encoding="utf-8")
    with pytest.raises(UsageError, match="license"):
        sources.read(path)


def test_another_process_can_take_the_points_of_a_program():
    [source] = [each for each in sources.sources() if each.name == "interconnects"]
    points = predictions.Job(source, "npb:is.A", 1.0).points()
    assert len(points) == 4
    for (point, doubt), (_, taken) in zip(points, pickle.loads(pickle.dumps(points)), strict=True):
        assert doubt is not None and point.predicted is not None
        assert taken.response.at(taken.scale).seconds == doubt.response.at(doubt.scale).seconds
        assert taken.ends(point.predicted, model_errors()) == doubt.ends(point.predicted, model_errors())


def test_a_miss_counts_whether_or_not_it_can_be_predicted():
    near = predictions.Point(
        source="a", kind=predictions.FORWARD, what="x", measured=1.0, predicted=1.1, interval=(0.9, 1.2)
    )
    far = predictions.Point(source="a", kind=predictions.FORWARD, what="y", measured=1.0, predicted=3.0)
    failed = predictions.Point(source="a", kind=predictions.FORWARD, what="z", measured=1.0, failure="no")
    line = next(
        line for line in document.table([near, far, failed]).splitlines() if predictions.FORWARD in line
    )
    assert line.endswith("| 3 (1 failed) | 105 % | 200 % | 33 % | 33 % | 0 % |")


def test_the_errors_of_the_model_are_those_of_the_misses():
    points = [
        predictions.Point(
            source="a", kind=predictions.FORWARD, what="x", measured=1.0, miss=("exchanges", "tcp", value)
        )
        for value in (0.1, -0.2, 0.3)
    ]
    text = board.with_misses(board.ERRORS.read_text(encoding="utf-8"), points)
    assert text.count("pattern =") == 1
    assert 'source = "a", pattern = "exchanges", technology = "tcp", points = 3, spread = 0.2' in text
