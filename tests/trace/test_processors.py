"""Names of processors, as the kernel and data sheets write them."""

import pytest

from linkworth.trace.processors import same_model


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz",
            "Intel Xeon E5-2650 v3 (10 cores, Hyper-Threading)",
            True,
        ),
        (
            "Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz",
            "Intel Xeon E5-2650 v3 (10 cores, Hyper-Threading)",
            False,
        ),
        ("AMD EPYC 7V73X 64-Core Processor", "AMD EPYC 7V73X (120 cores of the two sockets)", True),
        ("AMD EPYC 7763 64-Core Processor", "AMD EPYC 7V73X (120 cores of the two sockets)", False),
        ("Intel(R) Xeon(R) Processor", "AMD EPYC 7V73X", True),
    ],
)
def test_a_number_of_the_model_decides(one, other, same):
    assert same_model(one, other) == same_model(other, one) == same
