"""Fixture of the tests of skeletons: rates without a run."""

import pytest

from linkworth import _engine
from linkworth.model.rates import RateSource


@pytest.fixture
def flat_rates():
    """A nanosecond for each operation of a program."""

    def rates(name):
        return RateSource(
            method="reference",
            description="a nanosecond an operation",
            seconds_per_operation=dict.fromkeys(_engine.skeleton_programs()[name], 1e-9),
        )

    return rates
