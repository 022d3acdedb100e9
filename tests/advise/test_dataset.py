"""Advice on the measured times that HPCAdvisor collects."""

import json

import pytest

from linkworth.advise.request import PriceOptions
from linkworth.advise.run import advise_on_request
from linkworth.advise.source import TimesFile
from linkworth.errors import UsageError
from linkworth.model.advice import Limits

AZURE = PriceOptions(catalog="azure")


def point(sku, nodes, seconds, size="7000", **more):
    return {
        "timestamp": "2024-04-26-15-47", "sku": sku, "nnodes": nodes, "total_cores": 44 * nodes, "ppr_perc": 100,
        "cpu_usage": [39.8, None], "exec_time": seconds, "appinputs": {"APPMATRIXSIZE": size}, "deployment": "d",
        "region": "southcentralus", "appname": "matrixmult", "tags": {"version": "v1"}, **more,
    }  # fmt: skip


POINTS = [
    point("standard_hc44rs", 2, 120),
    point("standard_hc44rs", 2, 132),
    point("standard_hc44rs", 4, 70),
    point("standard_hb120rs_v3", 2, 100, total_cores=240),
    point("standard_unknown", 2, 1),
]


def advice(folder, points, *inputs, prices=AZURE, limits=Limits(), on=()):
    path = folder / "dataset.json"
    path.write_text(json.dumps({"datapoints": points}))
    return advise_on_request(None, TimesFile(path, inputs), on=on, prices=prices, limits=limits)


def test_node_types_are_compared_by_their_mean_times_and_whole_names(tmp_path):
    found = advice(tmp_path, POINTS)
    options = {(each.fabric, each.nodes): each for each in found.options}
    assert {place: each.seconds for place, each in options.items()} == {
        ("standard_hc44rs", 2): 126,
        ("standard_hc44rs", 4): 70,
        ("standard_hb120rs_v3", 2): 100,
    }
    hc = options["standard_hc44rs", 2]
    assert hc.price_name == "Standard_HC44rs, southcentralus"
    assert hc.cost_usd == pytest.approx(126 * 2 * hc.price_usd_per_node_hour / 3600)
    assert hc.ranks == 88
    assert any("standard_unknown has no price" in warning for warning in found.warnings)
    assert found.workload == "matrixmult appmatrixsize=7000"
    fastest = advice(tmp_path, POINTS, limits=Limits(goal="time", budget=1.0))
    assert (fastest.choice, fastest.nodes) == ("standard_hc44rs", 4)


def test_a_node_type_has_one_spelling(tmp_path):
    mixed = [point("standard_hc44rs", 2, 120), point("Standard_HC44rs", 4, 70)]
    found = advice(tmp_path, mixed)
    assert [(each.fabric, each.nodes) for each in found.options] == [
        ("standard_hc44rs", 2),
        ("standard_hc44rs", 4),
    ]
    assert not any("no price" in warning for warning in found.warnings)


def test_runs_that_differ_much_are_named(tmp_path):
    other_version = point("standard_hc44rs", 4, 7000, tags={"version": "v2"})
    found = advice(tmp_path, [*POINTS, other_version])
    (warning,) = [each for each in found.warnings if "took" in each]
    assert warning.startswith("2 runs on 4 nodes of standard_hc44rs took 70.0 s to 7000 s")


def test_one_input_is_chosen(tmp_path):
    several = [*POINTS, point("standard_hc44rs", 2, 51, "4000")]
    assert len(advice(tmp_path, several, "appmatrixsize=4000").options) == 1
    half = [*POINTS, point("standard_hc44rs", 2, 180, ppr_perc=50)]
    assert advice(tmp_path, half, "ppr_perc=50").options[0].ranks == 44
    assert advice(tmp_path, half, "ppr_perc=100").options[0].seconds == 126
    own = PriceOptions(assignments=["standard_unknown=1"])
    assert advice(tmp_path, several, "appmatrixsize=7000", prices=own).choice == "standard_unknown"
    only = advice(tmp_path, POINTS, on=("standard_hb120rs_v3",))
    assert {each.fabric for each in only.options} == {"standard_hb120rs_v3"}


@pytest.mark.parametrize(
    ("points", "inputs", "fault"),
    [
        ([*POINTS, point("standard_hc44rs", 2, 51, "4000")], (), "has runs of several inputs"),
        ([*POINTS, point("standard_hc44rs", 2, 180, ppr_perc=50)], (), "has runs of several inputs"),
        (POINTS, ("appmatrixsize=1",), "has no runs with `input` appmatrixsize=1; it has matrixmult"),
        (POINTS, ("size=1",), "write NAME=VALUE with one of appname, ppr_perc, appmatrixsize"),
        (POINTS[-1:], (), "none of standard_unknown has a price"),
        ([], (), "has no runs"),
        ([point("standard_hc44rs", 0, 120)], (), "is no dataset of HPCAdvisor"),
        ([point("standard_hc44rs", 2, -1)], (), "is no dataset of HPCAdvisor: expected a number > 0"),
        (
            [{"sku": "standard_hc44rs", "nnodes": 2}],
            (),
            "is no dataset of HPCAdvisor: 'exec_time' is missing",
        ),
        ("none", (), "is no dataset of HPCAdvisor"),
    ],
)
def test_a_fault_is_one_sentence(tmp_path, points, inputs, fault):
    with pytest.raises(UsageError, match=fault):
        advice(tmp_path, points, *inputs)


def test_inputs_are_those_of_a_dataset(tmp_path):
    path = tmp_path / "predictions.json"
    path.write_text('{"schema": "linkworth.prediction/1"}')
    with pytest.raises(UsageError, match=r"`input` a=1: .* is no dataset"):
        advise_on_request(None, TimesFile(path, ("a=1",)), prices=AZURE)
