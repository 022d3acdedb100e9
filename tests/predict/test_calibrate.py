"""The scale of the computation behind a measured time, and the replays that finding it takes."""

from typing import NamedTuple

import pytest
from synthetic import fabric, recv, send, way, write_trace

from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings
from linkworth.predict.calibrate import MeasuredTime, calibrated, scale_for
from linkworth.predict.response import Response
from linkworth.replay.layout import Arrangement
from linkworth.trace.read import open_trace

MB = 1_000_000


class Piece(NamedTuple):
    """Time along one path of a program: seconds of communication, and of computation at scale 1."""

    communication: float
    computation: float


class Paths:
    """Stand-in for a response whose time is that of the longest of some paths, and jumps at one scale."""

    fabric = fabric(way(bandwidth=1e9))
    shorter = None

    def __init__(self, *pieces, jump_at=float("inf"), jump=0.0):
        self.pieces, self.jump_at, self.jump = pieces, jump_at, jump
        self.known = []

    def at(self, scale):
        if scale not in self.known:
            self.known.append(scale)
        longest = max(self.pieces, key=lambda each: each.communication + scale * each.computation)
        jump = self.jump if scale > self.jump_at else 0.0
        return Prediction(
            longest.communication + scale * longest.computation + jump, scale * longest.computation
        )


class Prediction(NamedTuple):
    """The part of a prediction that the search reads."""

    seconds: float
    seconds_per_inverse_cpu_speed: float


@pytest.mark.parametrize("seconds", [4.0, 5.5, 11.0, 80.0, 9e6])
def test_a_time_that_a_program_can_take_is_met_in_few_replays(seconds):
    response = Paths(Piece(3.0, 1.0), Piece(1.0, 2.0), Piece(0.0, 2.5))
    scale = scale_for(response, seconds)
    assert response.at(scale).seconds == pytest.approx(seconds, rel=1e-4)
    assert len(response.known) <= 4


def test_at_a_large_jump_the_nearest_time_counts():
    response = Paths(Piece(1.0, 1.0), jump_at=2.0, jump=1.0)
    assert response.at(scale_for(response, 3.2)).seconds == pytest.approx(3.0, rel=1e-3)
    assert response.at(scale_for(response, 3.8)).seconds == pytest.approx(4.0, rel=1e-3)


def test_computation_off_the_longest_path_is_found_and_missing_computation_reported():
    hidden = Paths(Piece(3.0, 0.0), Piece(0.0, 1e-3))
    assert scale_for(hidden, 5.0) == pytest.approx(5e3, rel=1e-4)
    with pytest.raises(UsageError, match="no computation"):
        scale_for(Paths(Piece(3.0, 0.0)), 5.0)
    with pytest.raises(UsageError, match="communication alone takes 3 s"):
        scale_for(Paths(Piece(3.0, 1.0)), 2.0)


def test_replays_of_the_measured_network_serve_its_own_prediction(tmp_path):
    trace = open_trace(
        write_trace(tmp_path / "two.lwt", [[send(1, MB).after(1e-3)] * 10, [recv(0, MB)] * 10])
    )
    layout = Arrangement(nodes=2).layout(2)
    slow, fast = (fabric(way(bandwidth=rate)) for rate in (1e9, 1e10))

    def served(settings):
        responses = [Response(trace, on, layout, settings) for on in (slow, fast)]
        known = calibrated(
            trace,
            layout,
            cpu_factor=1.0,
            measured=MeasuredTime(slow, 0.05),
            settings=settings,
            responses=responses,
        )[1]
        return known.response in responses

    assert served(ReplaySettings())
    # A measured time is one of a run on idle links.
    assert not served(ReplaySettings(background_load=0.5))
