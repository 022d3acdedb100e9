"""Certainty of a choice: counts over paired draws, by hand and by replays."""

import msgspec
import pytest
from advice_inputs import predicted, price
from synthetic import fabric, recv, send, way, write_trace

from linkworth.advise import advise
from linkworth.advise.uncertain import Drawn
from linkworth.catalog import fabrics
from linkworth.model.advice import Limits
from linkworth.model.fabric import Spread
from linkworth.model.settings import ReplaySettings
from linkworth.predict.predict import predict_with_draws
from linkworth.replay.layout import Arrangement

MB = 1_000_000
BOTH = predicted({"gbe": 10.0, "ib-hdr": 5.0}, 2, ranks=4)
PRICES = {"gbe": price("a", "gbe", 1.0), "ib-hdr": price("b", "ib-hdr", 1.8)}


def drawn(gbe, hdr, **more):
    return Drawn(seconds={("gbe", 2): gbe, ("ib-hdr", 2): hdr}, draws=len(gbe), **{"assumed": [], **more})


def test_draws_decide_pair_by_pair_and_within_limits():
    # Cost is seconds x price: ib-hdr wins where its time is below 1 / 1.8 of gbe's.
    found = advise(BOTH, PRICES, drawn=drawn([10, 10, 10, 8.9, 20], [5, 5.6, 5, 5, 10]))
    gbe, hdr = (option.draws for option in found.options)
    assert found.choice == "ib-hdr"
    assert (gbe.choice_is_better, gbe.best, hdr.best) == (3, 2, 3)
    assert hdr.choice_is_better == found.draws == 5
    assert found.uncertainty == (
        "ib-hdr is cheaper than gbe, the nearest, in 3 of 5 draws, and the best of all in 3"
    )
    tie = advise(BOTH, PRICES, drawn=drawn([10, 10, 10, 9.003], [5, 5, 5, 5]))
    assert tie.uncertainty.endswith("the nearest, in 3 of 4 draws, and the best of all in 3")
    found = advise(BOTH, PRICES, Limits(deadline=5.2), drawn=drawn([10, 5, 10, 9], [5, 5.3, 5, 5.1]))
    gbe, hdr = (option.draws for option in found.options)
    assert (gbe.within_limits, hdr.within_limits) == (1, 3)
    assert (gbe.best, hdr.best) == (1, 3)
    assert "it is within the limits in 3 of 4 draws" in found.uncertainty
    none = advise(BOTH, PRICES, Limits(deadline=1), drawn=drawn([10, 0.9], [5, 5]))
    assert none.uncertainty == "an option is within the limits in 1 of 2 draws at most"


def test_networks_that_tie_are_not_called_better_than_each_other():
    """A program that hardly communicates takes as long on each, and then the cheaper node is chosen."""
    tie = predicted({"gbe": 10.001, "ib-hdr": 10.0}, 2, ranks=4)
    found = advise(tie, PRICES, Limits(goal="time"), drawn=drawn([9.001, 12.001], [9.0, 12.0]))
    assert found.choice == "gbe"
    assert found.uncertainty == "gbe takes as long as ib-hdr, the nearest, in all 2 draws"
    free = {fabric: price("own", fabric, 1.0) for fabric in PRICES}
    found = advise(tie, free, drawn=drawn([9.001, 12.001], [9.0, 12.0]))
    assert found.uncertainty == "ib-hdr costs as much as gbe, the nearest, in all 2 draws"


def test_a_choice_inside_the_doubt_is_too_close_to_call():
    # gbe costs 2 % less where ib-hdr takes more than 10 / 1.8 / 0.98 = 5.67 s.
    clear = advise(BOTH, PRICES, drawn=drawn([10] * 20, [5] * 18 + [5.6] * 2))
    assert (clear.choice, clear.too_close) == ("ib-hdr", [])
    close = advise(BOTH, PRICES, drawn=drawn([10] * 20, [5] * 17 + [5.8] * 3))
    assert (close.choice, close.too_close) == (None, ["ib-hdr", "gbe"])
    assert close.options[close.choice_option].fabric == "ib-hdr"
    assert close.reason.startswith(
        "too close to call: gbe may cost over 2 % less than the best estimate, by which ib-hdr"
    )


def test_options_that_are_too_close_are_in_the_order_of_their_ranks():
    times = {"gbe": 10.0, "10gbe": 6.0, "ib-hdr": 5.0}
    prices = PRICES | {"10gbe": price("c", "10gbe", 1.6)}
    draws = {(fabric, 2): [seconds * factor for factor in (0.5, 1, 2)] for fabric, seconds in times.items()}
    draws["ib-hdr", 2].reverse()
    found = advise(predicted(times, 2, ranks=4), prices, drawn=Drawn(seconds=draws, draws=3, assumed=[]))
    assert found.too_close == ["ib-hdr", "10gbe", "gbe"]


def test_nothing_costs_less_than_a_free_network():
    draws = drawn([10] * 20, [5] * 17 + [15] * 3)
    one = advise(BOTH, {**PRICES, "gbe": price("own", "gbe", 0)}, drawn=draws)
    assert (one.choice, one.too_close) == ("gbe", [])
    both = {fabric: price("own", fabric, 0) for fabric in PRICES}
    assert advise(BOTH, both, drawn=draws).too_close == ["ib-hdr", "gbe"]
    assert advise(BOTH, both).reason.startswith("ib-hdr is fastest")


def test_the_nearest_is_one_that_draws_can_prefer_and_not_the_same_node_at_another_price():
    elsewhere = {**PRICES, "ib-hdr": [price("b", "ib-hdr", 1.0), price("b, far", "ib-hdr", 1.1)]}
    found = advise(BOTH, elsewhere, drawn=drawn([10, 10], [5, 5.6]))
    assert "ib-hdr (b, r) is cheaper than gbe, the nearest, in 2 of 2 draws" in found.uncertainty


def test_intervals_are_the_quantiles_of_the_draws():
    times = [float(number) for number in range(101)]
    found = advise(BOTH, PRICES, drawn=drawn([time + 1000 for time in times], [time + 100 for time in times]))
    hdr = found.options[1].draws
    # The predicted 5 s lie below all draws, and an interval holds its figure.
    assert (hdr.seconds.low, hdr.seconds.high) == (5.0, pytest.approx(195))
    assert hdr.cost_usd.low == pytest.approx(5 * 2 * 1.8 / 3600)
    assert hdr.cost_usd.high == pytest.approx(195 * 2 * 1.8 / 3600)
    # Break-even: the price of its node at which a run costs what gbe's does in the same draw.
    assert hdr.breakeven_usd_per_node_hour.high == pytest.approx(1005 / 105, rel=0.02)
    # The figure itself, 10 s at 1 US$ over 5 s, is below that of all draws.
    assert hdr.breakeven_usd_per_node_hour.low == found.options[1].breakeven_usd_per_node_hour == 2


@pytest.fixture
def trace(tmp_path):
    return write_trace(tmp_path / "two.lwt", [[send(1, MB).after(0.01)] * 5, [recv(0, MB)] * 5])


def named(name, bandwidth, spread):
    return msgspec.structs.replace(fabric(way(bandwidth=bandwidth), spread=spread), name=name)


def options_of(trace, seed=0, noise=0.0, spread=None):
    settings = ReplaySettings(seed=seed, noise=noise, samples=40)
    fast, slow = (
        named(name, bandwidth, spread or Spread(bandwidth=0.1, computation=1e-9))
        for name, bandwidth in (("fast", 2e9), ("slow", 1e9))
    )
    return predict_with_draws(trace, [slow, fast], Arrangement(nodes=2), settings=settings)[1]


def test_a_fabric_that_leaves_a_spread_open_is_named(trace):
    half, whole = Spread(latency=0.1), Spread(latency=0.1, bandwidth=0.1, overhead=0.1, computation=0.1)
    both = [named("half", 1e9, half), named("whole", 1e9, whole)]
    drawn = predict_with_draws(trace, both, Arrangement(nodes=2), settings=ReplaySettings(samples=4))[1]
    assert drawn.assumed == ["half"]


def test_all_options_see_the_same_draws(trace):
    slow, fast = options_of(trace).seconds
    bytes_fast = [seconds - 0.05 for seconds in fast]
    assert [seconds - 0.05 for seconds in slow] == pytest.approx(
        [2 * seconds for seconds in bytes_fast], rel=1e-6
    )
    assert options_of(trace) == options_of(trace)
    assert options_of(trace) != options_of(trace, seed=7)


def test_networks_that_no_message_crosses_differ_in_no_draw(trace):
    options = [*map(fabrics.get, ("gbe", "ib-hdr")), named("own", 1e9, Spread(latency=0.5))]
    options = [msgspec.structs.replace(option, intranode=options[0].intranode) for option in options]
    for nodes, same in ((1, True), (2, False)):
        drawn = predict_with_draws(
            trace, options, Arrangement(nodes=nodes), settings=ReplaySettings(samples=40)
        )[1]
        assert all(drawn.seconds[0] == pytest.approx(times, rel=1e-9) for times in drawn.seconds) == same


def test_noise_has_seeds_of_its_own(trace):
    quiet, noisy = (
        options_of(trace, noise=noise, spread=Spread(latency=1e-9)).seconds[0] for noise in (0.0, 0.2)
    )
    ratios = {round(loud / silent, 6) for loud, silent in zip(noisy, quiet, strict=True)}
    assert len(ratios) >= 10


def test_the_verb_compares_nodes_and_says_how_sure_it_is(printed, tmp_path, json_of):
    exchange = [send(1, MB).after(0.01), recv(1, MB)]
    path = write_trace(
        tmp_path / "four.lwt",
        [exchange, [recv(0, MB).after(0.01), send(0, MB)], [send(3, 8).after(0.02)], [recv(2, 8)]],
    )
    arguments = ["advise", str(path), "--nodes", "1,2,4", "--price", "gbe=0.78", "--price", "ib-fdr=0.975"]
    document = json_of(*arguments, "--draws", "20")
    assert document["draws"] == 20
    assert {(option["fabric"], option["nodes"]) for option in document["options"]} == {
        (name, nodes) for name in ("gbe", "ib-fdr") for nodes in (1, 2, 4)
    }
    chosen = document["options"][document["choice_option"]]
    assert (chosen["fabric"], chosen["nodes"]) == (document["choice"], document["nodes"])
    assert sum(option["draws"]["best"] for option in document["options"]) == 20
    assert "the spread of gbe, ib-fdr is assumed" in document["uncertainty"]
    for option in document["options"]:
        interval = option["draws"]["seconds"]
        assert interval["low"] <= option["seconds"] * 1.1 and interval["high"] >= option["seconds"] * 0.9
    shown = printed(*arguments, "--draws", "20")
    assert "choice is cheaper in" in shown and "of 20" in shown and "Certainty: " in shown
    plain, faster = (
        json_of(*arguments, "--draws", "0", "--cpu-factor", factor)["options"][0] for factor in "12"
    )
    assert plain["draws"] is None and faster["seconds"] < 0.7 * plain["seconds"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nodes", "1,x"], "give numbers of nodes of at least 1"),
        (["--nodes", "0"], "give numbers of nodes of at least 1"),
        (["--nodes", "2,2"], "--nodes 2,2: give each number of nodes once"),
    ],
)
def test_bad_input_is_one_sentence(refused, trace, arguments, message):
    assert message in refused("advise", trace, "--price", "gbe=1", *arguments)


def test_a_time_without_a_layout_counts_for_the_first_number_of_nodes(trace, json_of):
    arguments = ["advise", str(trace), "--price", "gbe=1", "--draws", "0"]
    for nodes, measured, on, named in (
        ("1,2", "gbe=9", 1, 1),
        ("2", "gbe=9", 2, 0),
        ("1,2", "gbe:2x1=9", 2, 0),
    ):
        document = json_of(*arguments, "--nodes", nodes, "--measured", measured)
        seconds = {option["nodes"]: option["seconds"] for option in document["options"]}
        assert seconds[on] == pytest.approx(9, rel=1e-3)
        assert " ".join(document["warnings"]).count("counts as one on the first number of nodes") == named
