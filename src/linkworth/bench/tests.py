"""Tests: names, required ranks and default sizes. docs/reference/bench.md has the meaning of a row's figures."""

from collections.abc import Sequence
from typing import NamedTuple

from linkworth.errors import UsageError
from linkworth.units import parse_size

DEFAULT_SIZES = [1 << power for power in range(23)]
"""1 B to 4 MiB, the 23 sizes of the OSU benchmarks."""
PERTURBATION = 3
"""Bytes above and below each size of a NetPIPE-like ping-pong, so that no protocol is tuned to powers of two alone."""
LARGEST = (1 << 31) - 1
"""Largest count of one MPI call."""


class BenchTest(NamedTuple):
    """One test of lw-netbench."""

    name: str
    title: str
    is_pair: bool = False
    """Two ranks are enough; others use all."""
    shows: str = "time"
    """Main result in its table: `time` or `bandwidth`."""
    payload_is_least: bool = False
    """The counted payload is a lower bound: the MPI chooses the messages."""


_ALL = [
    BenchTest("latency", "ping-pong of one message", is_pair=True),
    BenchTest("bandwidth", "windows of messages one way", is_pair=True, shows="bandwidth"),
    BenchTest("bibandwidth", "windows of messages both ways", is_pair=True, shows="bandwidth"),
    BenchTest("pingpong", "NetPIPE-like ping-pong of perturbed sizes", is_pair=True, shows="bandwidth"),
    BenchTest("beff", "effective bandwidth (b_eff) of rings and random patterns", shows="bandwidth"),
    BenchTest("hpcc", "HPC Challenge's latency and bandwidth of pairs and rings"),
    BenchTest("multipair", "windows of messages of several pairs at once", shows="bandwidth"),
    BenchTest("incast", "messages of several ranks to the first one at once"),
    BenchTest("overlap", "share of a transfer that computation hides", is_pair=True),
    BenchTest("alltoall", "MPI_Alltoall; size: from each rank to each other", payload_is_least=True),
    BenchTest("allreduce", "MPI_Allreduce of a sum; size: each rank's vector", payload_is_least=True),
    BenchTest("bcast", "MPI_Bcast from the first rank", payload_is_least=True),
    BenchTest("allgather", "MPI_Allgather; size: what each rank gives", payload_is_least=True),
    BenchTest("barrier", "MPI_Barrier", payload_is_least=True),
]
TESTS = {test.name: test for test in _ALL}
COLLECTIVES = ["alltoall", "allreduce", "bcast", "allgather", "barrier"]
GROUPS = {"collectives": COLLECTIVES, "all": list(TESTS)}
"""Names for several tests."""


def named(names: Sequence[str]) -> list[BenchTest]:
    """Return the tests with these names, each once, in the order given. Raises UsageError for an unknown name."""
    chosen: dict[str, BenchTest] = {}
    for name in names:
        for one in GROUPS.get(name, [name]):
            if one not in TESTS:
                raise UsageError(
                    f"there is no test {name}; there are {', '.join(TESTS)}, and {' and '.join(GROUPS)}"
                )
            chosen[one] = TESTS[one]
    return list(chosen.values())


def sizes_between(least: int | None, most: int | None) -> list[int]:
    """Return the default sizes within bounds; a bound above 4 MiB adds powers of two. Raises UsageError for none."""
    low = least or 1
    high = max(DEFAULT_SIZES[-1], low) if most is None else most
    if high > LARGEST:
        raise UsageError(f"a size of {high} bytes is more than one MPI call can carry ({LARGEST})")
    sizes = [1 << power for power in range(31) if low <= 1 << power <= high]
    if not sizes:
        raise UsageError(f"no power of two lies between {low} and {high} bytes; give `sizes`")
    return sizes


def perturbed(sizes: Sequence[int]) -> list[int]:
    """Return each size with its neighbours PERTURBATION bytes below and above, ascending, none below 1."""
    return sorted(
        {size + step for size in sizes for step in (-PERTURBATION, 0, PERTURBATION) if size + step >= 1}
    )


def parse_sizes(text: str) -> list[int]:
    """Return sizes with commas between them, ascending and each once. Raises UsageError."""
    return sorted({parse_size(word, "`sizes`") for word in text.split(",")})
