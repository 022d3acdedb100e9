"""Counters and the load of cores in a run's result."""

import pytest
from collector import Collector

from linkworth.measure import counters
from linkworth.measure.counters import CounterWatch, core_use
from linkworth.model.counters import NodeCounters


class Clock:
    """Time that a test moves on."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(counters.time, "monotonic", lambda: self.now)


def node(*cores, name="n0", retransmits=0):
    return NodeCounters(node=name, core_seconds=list(cores), tcp_retransmits=retransmits)


def test_shares_of_each_core_over_the_run_and_over_time():
    samples = [(0.0, [node(5.0, 1.0)]), (2.0, [node(7.0, 1.0)]), (4.0, [node(7.0, 2.0)])]
    (use,) = core_use(samples)
    assert use.node == "n0"
    assert use.mean == [0.5, 0.25]
    assert use.times == [2.0, 4.0]
    assert use.samples == [[1.0, 0.0], [0.0, 0.5]]
    assert core_use([(0.0, [node()]), (1.0, [node()])]) == []
    two = [node(0.0), node(0.0, name="n1")]
    assert [use.node for use in core_use([(0.0, two), (1.0, two[:1]), (2.0, two[:1])])] == ["n0"]


def watched(monkeypatch, *, reading_takes, seconds, width=1, step=0.1):
    clock = Clock(monkeypatch)
    readings = 0

    def read():
        nonlocal readings
        readings += 1
        clock.now += reading_takes
        return [node(*[clock.now] * width)]

    watch = CounterWatch(read, Collector())
    for _ in range(round(seconds / step)):
        clock.now += step
        watch.tick(0.0)
    return watch, lambda: readings


def test_counters_are_read_as_often_as_their_cost_allows(monkeypatch):
    watch, readings = watched(monkeypatch, reading_takes=0.0, seconds=3.0)
    _, (use,) = watch.finish()
    assert readings() == pytest.approx(7, abs=1)
    assert use.mean == [1.0]
    assert all(share == [1.0] for share in use.samples)
    assert use.times[-1] == pytest.approx(3.0, abs=0.01)
    watch, readings = watched(monkeypatch, reading_takes=0.1, seconds=3.0)
    _, (use,) = watch.finish()
    assert readings() == 2
    assert len(use.times) == 1


def test_a_long_run_on_many_cores_keeps_a_bounded_series(monkeypatch):
    monkeypatch.setattr(counters, "MOST_NUMBERS", 80)
    watch, _ = watched(monkeypatch, reading_takes=0.0, seconds=120.0, width=4)
    _, (use,) = watch.finish()
    assert 5 <= len(use.times) <= 21
    steps = [late - early for early, late in zip(use.times, use.times[1:], strict=False)]
    assert max(steps) < 2.5 * min(steps)


def test_counts_are_those_of_the_job(monkeypatch):
    Clock(monkeypatch)
    readings = iter([[node(1.0, retransmits=5)], [node(1.0, retransmits=9)]])
    counted, _ = CounterWatch(lambda: next(readings), Collector()).finish()
    assert counted[0].tcp_retransmits == 4
