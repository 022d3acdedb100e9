"""Allocations against brute force, their limits, and what is proved of them."""

import itertools
import math
import random
import signal
import threading
import time
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkworth.advise.allocate.highs import LinearRow, minimise
from linkworth.advise.allocate.options import AllocationOption
from linkworth.advise.allocate.program import Problem
from linkworth.advise.allocate.schedule import cost, makespan, nodes_of, scheduled
from linkworth.advise.allocate.solve import Search, keeps_limits
from linkworth.advise.allocate.solve import best as best_within

# Each of these takes seconds at most, many of them on a busy machine: what is proved must not hang on it.
best = partial(best_within, search=Search(time_limit=600))


def option(program, kind, nodes, seconds, usd):
    return AllocationOption(
        program=program, kind=kind, nodes=nodes, ranks=nodes, seconds=seconds, cost_usd=usd
    )


def by_brute_force(problem):
    """Return all pairs (cost, makespan) of schedules that keep the limits: every choice of options, in every order.

    The active schedules, which contain a best one for any measure that grows with the ends, are those of some order.
    """
    runs = [program for program, number in enumerate(problem.runs) for _ in range(number)]
    choices = [[each for each in problem.options if each.program == program] for program in runs]
    found = set()
    for chosen in itertools.product(*choices):
        if problem.budget is not None and sum(each.cost_usd for each in chosen) > problem.budget * (1 + 1e-9):
            continue
        for order in set(itertools.permutations(chosen)):
            schedule = scheduled(order, problem.counts)
            if keeps_limits(problem, schedule):
                found.add((round(cost(schedule), 9), makespan(schedule)))
    return found


def check_schedule(problem, runs):
    """All runs are there, no node has two at once, and the limits are kept."""
    assert [
        sum(run.option.program == program for run in runs) for program in range(len(problem.runs))
    ] == problem.runs
    assert keeps_limits(problem, runs)
    on = nodes_of(runs, problem.counts)
    assert all(len(set(nodes)) == run.option.nodes for run, nodes in zip(runs, on, strict=True))
    for (run, nodes), (other, others) in itertools.combinations(zip(runs, on, strict=True), 2):
        overlap = run.start < other.end and other.start < run.end
        if overlap and run.option.kind == other.option.kind:
            assert not set(nodes) & set(others)


@st.composite
def problems(draw):
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    programs = draw(st.integers(1, 3))
    runs = [draw(st.integers(1, 2)) for _ in range(programs)]
    options = []
    for program in range(programs):
        ways = [(kind, nodes) for kind, count in enumerate(counts) for nodes in range(1, count + 1)]
        for kind, nodes in draw(st.lists(st.sampled_from(ways), min_size=1, max_size=2, unique=True)):
            options.append(
                option(program, kind, nodes, float(draw(st.integers(1, 6))), draw(st.integers(0, 9)) / 4)
            )
    limit = st.none() | st.integers(1, 15).map(float)
    return Problem(
        options=options,
        runs=runs,
        counts=counts,
        deadlines=[draw(limit) for _ in range(programs)],
        budget=draw(st.none() | st.integers(1, 40).map(lambda quarters: quarters / 4)),
    )


# Each case solves four integer programs and tries up to some thousand orders.
few = settings(max_examples=20)


@few
@given(problems().filter(lambda problem: sum(problem.runs) <= 4))
def test_small_queues_are_solved_as_by_brute_force(problem):
    possible = by_brute_force(problem)
    for goal in ("cost", "makespan"):
        found = best(problem, goal)
        if not possible:
            assert (found.state, found.runs) == ("infeasible", [])
            continue
        check_schedule(problem, found.runs)
        measures = (round(cost(found.runs), 9), makespan(found.runs))
        if goal == "cost":
            least = min(spent for spent, _ in possible)
            assert measures[0] == pytest.approx(least)
            assert measures[1] == min(end for spent, end in possible if spent <= least + 1e-9)
        else:
            soonest = min(end for _, end in possible)
            assert measures[1] == soonest
            assert measures[0] == pytest.approx(min(spent for spent, end in possible if end == soonest))
        assert found.state == "optimal"


@few
@given(problems(), st.floats(0.3, 1.7))
def test_times_that_fit_no_slots_are_bounded_from_below(problem, scale):
    """Durations that are no multiples of anything: the schedule is real, and the bounds are."""
    crooked = Problem(
        options=[
            option(each.program, each.kind, each.nodes, each.seconds * scale * math.pi, each.cost_usd)
            for each in problem.options
        ],
        runs=problem.runs,
        counts=problem.counts,
        deadlines=problem.deadlines,
        budget=problem.budget,
    )
    found = best(crooked, "makespan", search=Search(40, 600))
    if not found.runs:
        assert found.state in ("infeasible", "undecided")
        if found.state == "infeasible" and sum(problem.runs) <= 4:
            assert not by_brute_force(crooked)
        return
    check_schedule(crooked, found.runs)
    assert found.makespan_bound <= makespan(found.runs)
    assert found.cost_bound <= cost(found.runs) + 1e-9
    if sum(problem.runs) <= 4:
        possible = by_brute_force(crooked)
        assert found.makespan_bound <= min(end for _, end in possible) * (1 + 1e-6)
        assert found.cost_bound <= min(spent for spent, _ in possible) + 1e-6


def test_the_makespan_is_bought_within_the_budget():
    options = [option(0, 0, 1, 10.0, 1.0), option(0, 1, 1, 4.0, 3.0)]
    ends = {}
    for budget in (4.0, 6.0, 8.0, 12.0):
        found = best(
            Problem(options=options, runs=[4], counts=[2, 2], deadlines=[None], budget=budget), "makespan"
        )
        assert cost(found.runs) <= budget
        ends[budget] = makespan(found.runs)
    assert ends == {4.0: 20.0, 6.0: 20.0, 8.0: 10.0, 12.0: 8.0}


def test_a_queue_of_many_runs_is_solved_in_slots():
    problem = Problem(
        options=[
            option(0, 0, 2, 14.4, 0.3),
            option(0, 1, 2, 107.8, 4.0),
            option(1, 0, 1, 3.3, 0.1),
            option(1, 1, 1, 3.1, 0.2),
        ],
        runs=[30, 100],
        counts=[4, 8],
        deadlines=[None, 300.0],
    )
    found = best(problem, "makespan")
    check_schedule(problem, found.runs)
    # Area bound: all on the first kind takes (30 x 2 x 14.4 + ...) / 4; the second kind takes the small ones.
    assert found.makespan_bound <= makespan(found.runs) <= 1.15 * found.makespan_bound


@given(problems(), st.randoms())
@few
def test_scheduling_in_the_order_of_starts_delays_nothing(problem, random):
    order = [
        random.choice([each for each in problem.options if each.program == program])
        for program, number in enumerate(problem.runs)
        for _ in range(number)
    ]
    random.shuffle(order)
    first = scheduled(order, problem.counts)
    again = scheduled([run.option for run in first], problem.counts)
    assert makespan(again) <= makespan(first)
    assert [run.start for run in again] <= [run.start for run in first]


def test_an_interrupt_ends_the_solver():
    # Market split (Cornuejols and Dawande 1998): hours for a solver that branches.
    numbers = random.Random(1)
    weights = [[numbers.randrange(100) for _ in range(40)] for _ in range(5)]
    rows = [LinearRow([*enumerate(map(float, row))], sum(row) // 2, sum(row) // 2) for row in weights]
    timer = threading.Timer(0.5, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        timer.start()  # not before, since this thread may have no core until the signal comes
        minimise([0.0] * 40, [1] * 40, rows, time_limit=50.0)
    timer.join()
    assert time.monotonic() - began < 30
