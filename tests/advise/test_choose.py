"""The choice: hand-worked cases and invariants."""

import advice_inputs
import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from linkworth.advise import advise
from linkworth.advise.choose import TIE_TOLERANCE, cost_usd
from linkworth.errors import UsageError
from linkworth.model.advice import Limits


def predicted(times, nodes=2):
    return advice_inputs.predicted(times, nodes, workload="npb:ft.C", ppn=0, warnings=["a warning"])


def priced(prices):
    return {fabric: advice_inputs.price(f"{fabric}-node", fabric, usd) for fabric, usd in prices.items()}


PRICES = priced({"gbe": 0.78, "ib-fdr": 0.975})
FT = predicted({"gbe": 107.77, "ib-fdr": 14.40})
EP = predicted({"gbe": 4.66, "ib-fdr": 4.66})


def test_the_published_ft_goes_to_infiniband_and_ep_stays_on_ethernet():
    advice = advise(FT, PRICES)
    assert advice.choice == "ib-fdr"
    assert [option.cost_usd for option in advice.options] == pytest.approx(
        [107.77 * 2 * 0.78 / 3600, 14.40 * 2 * 0.975 / 3600]
    )
    assert advice.breakeven_price_ratio == pytest.approx(107.77 / 14.40)
    assert [option.pareto for option in advice.options] == [False, True]
    assert advice.options[1].price_name == "ib-fdr-node, r"
    assert advice.warnings == ["a warning"]
    advice = advise(EP, PRICES)
    assert advice.choice == "gbe"
    assert advice.breakeven_price_ratio == 1.0
    assert [option.pareto for option in advice.options] == [True, False]


def test_ties_limits_and_single_options_are_decided_by_hand():
    assert advise(EP, PRICES, Limits(goal="time")).choice == "gbe"
    nearly = predicted({"gbe": 1.0 + TIE_TOLERANCE / 2, "ib-fdr": 1.0})
    assert advise(nearly, PRICES, Limits(goal="time")).choice == "gbe"
    clearly = predicted({"gbe": 1.0 + TIE_TOLERANCE * 2, "ib-fdr": 1.0})
    assert advise(clearly, PRICES, Limits(goal="time")).choice == "ib-fdr"
    advice = advise(FT, PRICES, Limits(deadline=1.0, budget=1e-6))
    assert advice.choice is None
    assert "no option meets the deadline of 1 s and the budget of 1e-6 US$" in advice.reason
    assert "ib-fdr with 14.4 s" in advice.reason
    advice = advise(predicted({"gbe": 1.0}), PRICES)
    assert advice.choice == "gbe"
    assert advice.breakeven_price_ratio is None
    advice = advise(FT, priced({"gbe": 0.0, "ib-fdr": 1.0}))
    assert advice.choice == "gbe"
    assert advise(FT, priced({"gbe": 0.0, "ib-fdr": 1.0}), Limits(goal="time")).choice == "ib-fdr"


def test_equal_times_go_to_the_cheapest_run_and_equal_costs_to_the_shorter_time_on_any_number_of_nodes():
    prices = priced({"gbe": 1.0})
    alike = [predicted({"gbe": 100.05}, 1), predicted({"gbe": 100.0}, 8)]
    assert (
        advise(alike, prices, Limits(goal="time")).nodes
        == advise(alike[::-1], prices, Limits(goal="time")).nodes
        == 1
    )
    scaling = [predicted({"gbe": 100.0}, 1), predicted({"gbe": 12.504}, 8)]
    for sets in (scaling, scaling[::-1]):
        advice = advise(sets, prices)
        assert advice.nodes == 8 and advice.options[advice.choice_option].pareto


def test_the_order_of_the_options_changes_no_figure():
    sets = [predicted({"gbe": 100.0, "ib-fdr": 100.0}, nodes) for nodes in (1, 2, 4)]
    prices = priced({"gbe": 1.0, "ib-fdr": 1.0})
    there, back = advise(sets, prices, Limits(deadline=1)), advise(sets[::-1], prices, Limits(deadline=1))
    assert there.reason == back.reason and there.breakeven_price_ratio == back.breakeven_price_ratio
    ranks = [{(each.fabric, each.nodes): each.rank for each in found.options} for found in (there, back)]
    assert ranks[0] == ranks[1]


def test_times_of_a_part_and_of_the_whole_run_are_not_to_be_compared():
    part = msgspec.structs.replace(predicted({"gbe": 1.0}), region="marked", ranks=4, warnings=[])
    whole = msgspec.structs.replace(predicted({"gbe": 1.0}, nodes=4), ranks=8, warnings=[])
    assert (advise([part], PRICES).region, advise([whole], PRICES).region) == ("marked", "whole")
    assert advise([part], PRICES).warnings == advise([whole], PRICES).warnings == []
    assert advise([part, whole], PRICES).warnings == [
        "the times on 4 ranks are of the part that the program marks, and those on 8 ranks of the whole run: do not compare "
        "them; give traces that all contain the marks, or none"
    ]


def test_the_choice_is_compared_on_as_many_nodes():
    few = msgspec.structs.replace(predicted({"gbe": 10.0, "ib-fdr": 6.0}, nodes=2), ranks=8)
    many = msgspec.structs.replace(predicted({"gbe": 8.0, "ib-fdr": 5.0}, nodes=4), ranks=16)
    found = advise([few, many], PRICES).reason
    assert found.startswith("ib-fdr on 2 nodes costs least")
    assert "against gbe on 2 nodes, the cheapest node, it is 1.67 times as fast" in found


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(UsageError, match="the predicted time on gbe is"):
        advise(predicted({"gbe": seconds}), PRICES)


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
def test_limits_must_be_positive_numbers(limit):
    with pytest.raises(UsageError, match=r"the deadline is .*; give a number from 1e-9 to 1e9"):
        advise(FT, PRICES, Limits(deadline=limit))
    with pytest.raises(UsageError, match=r"the budget is .*; give a number from 1e-9 to 1e12"):
        advise(FT, PRICES, Limits(budget=limit))


def test_no_prediction_and_a_fabric_twice_are_refused():
    with pytest.raises(UsageError, match="no prediction to choose from"):
        advise(predicted({}), PRICES)
    twice = predicted({"gbe": 1.0})
    twice.predictions.extend(twice.predictions)
    with pytest.raises(UsageError, match="gbe is predicted more than once"):
        advise(twice, PRICES)


FABRICS = ["gbe", "10gbe", "ib-fdr", "ib-hdr", "efa"]
positive = st.floats(1e-3, 1e6)
cases = st.lists(st.tuples(positive, positive), min_size=1, max_size=len(FABRICS)).map(
    lambda rows: (
        {fabric: row[0] for fabric, row in zip(FABRICS, rows, strict=False)},
        {fabric: row[1] for fabric, row in zip(FABRICS, rows, strict=False)},
    )
)


@given(
    cases, st.integers(1, 1000), st.sampled_from(["cost", "time"]), st.none() | positive, st.none() | positive
)
def test_the_choice_has_the_least_cost_or_time_of_those_within_the_limits(
    case, nodes, goal, deadline, budget
):
    times, prices = case
    advice = advise(
        predicted(times, nodes), priced(prices), Limits(goal=goal, deadline=deadline, budget=budget)
    )
    feasible = [option for option in advice.options if option.feasible]
    for option in advice.options:
        assert option.cost_usd == cost_usd(option.seconds, nodes, option.price_usd_per_node_hour)
        within = (deadline is None or option.seconds <= deadline) and (
            budget is None or option.cost_usd <= budget
        )
        assert option.feasible == within
    if not feasible:
        assert advice.choice is None
        return
    measure = (lambda option: option.cost_usd) if goal == "cost" else (lambda option: option.seconds)
    chosen = next(option for option in feasible if option.fabric == advice.choice)
    assert measure(chosen) <= min(map(measure, feasible)) * (1 + TIE_TOLERANCE)


@given(positive, positive, positive)
def test_at_the_break_even_ratio_both_cost_the_same(slow, fast, usd):
    assume(fast < slow)
    times = {"gbe": slow, "ib-fdr": fast}
    ratio = advise(predicted(times), priced({"gbe": usd, "ib-fdr": usd * 2})).breakeven_price_ratio
    assert ratio == slow / fast
    even = advise(predicted(times), priced({"gbe": usd, "ib-fdr": usd * ratio}))
    costs = [option.cost_usd for option in even.options]
    assert costs[0] == pytest.approx(costs[1], rel=1e-12)
    assert even.choice == "gbe"


@given(cases)
def test_the_pareto_front_is_what_nothing_dominates(case):
    times, prices = case
    advice = advise(predicted(times), priced(prices))
    tie = 1 + TIE_TOLERANCE
    assert any(option.pareto for option in advice.options)
    for option in advice.options:
        beaten = any(
            other.seconds <= option.seconds * tie
            and other.cost_usd <= option.cost_usd * tie
            and max(option.seconds / other.seconds, option.cost_usd / other.cost_usd) > tie
            for other in advice.options
        )
        assert beaten != option.pareto
