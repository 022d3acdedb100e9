"""Settings of a test, as options of lw-netbench."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from linkworth.bench import tests
from linkworth.errors import UsageError
from linkworth.model.number_range import NumberRange

Among = Literal["auto", "pair-in-node", "pair-across-nodes", "node", "all"]
Method = Literal["sendrecv", "alltoallv", "nonblocking"]

PRECISION = NumberRange(least=1e-6, most=1)
SECONDS_OF_A_SIZE = NumberRange(least=1e-3, most=86400)
LARGEST_WINDOW = 65536

ONLY_FOR: tuple[tuple[tuple[str, ...], set[str]], ...] = (
    (("window",), {"bandwidth", "bibandwidth", "multipair"}),
    (("seed",), {"beff", "hpcc"}),
    (("sizes", "least", "most"), set(tests.TESTS) - {"barrier", "hpcc"}),
)
"""Parameters of several tests, and these tests."""
OF_ONE_TEST = {
    "asynchronous": "pingpong",
    "bidirectional": "pingpong",
    "pairs": "pingpong",
    "longest": "beff",
    "methods": "beff",
}
"""Settings of one test, and that test."""
_SWITCHES = {"asynchronous": "async", "bidirectional": "bidirectional", "pairs": "pairs"}


def doublings(most: int) -> Iterator[int]:
    """Yield 1, 2, 4, ... and last `most`: numbers of ranks or pairs that start at once."""
    number = 1
    while number < most:
        yield number
        number *= 2
    yield most


class BenchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings for every size of a test."""

    sizes: list[int] = msgspec.field(default_factory=list)
    """Message sizes in bytes; empty: the test's own."""
    precision: float = 0.02
    """Bound of the 95 % confidence half-width, relative to the mean."""
    seconds: float = 1.0
    """Time limit of a size; its result is kept, as precise as it is then."""
    window: int = 64
    """Messages under way at once in the bandwidth tests."""
    among: Among = "auto"
    asynchronous: bool = False
    bidirectional: bool = False
    pairs: bool = False
    longest: int | None = None
    """b_eff's longest message in bytes; None: memory of a rank / 128."""
    seed: int = 1
    """Seed of b_eff's and HPC Challenge's random patterns."""
    methods: list[Method] = msgspec.field(default_factory=list)
    """b_eff's methods of exchange; empty: its three. HPC Challenge's rings take sendrecv and nonblocking."""


def sizes_of(test: tests.BenchTest, settings: BenchSettings) -> list[int]:
    """Return the sizes to measure; empty if the program chooses them (beff, hpcc) or has none (barrier).

    Raises UsageError for an impossible size.
    """
    # In a ring of two, one call of b_eff carries both messages.
    largest = tests.LARGEST // 2 if test.name == "beff" else tests.LARGEST
    for size in settings.sizes:
        if not 1 <= size <= largest:
            raise UsageError(f"`sizes`: {size} bytes; give sizes from 1 to {largest}")
    if test.name in ("barrier", "hpcc"):
        return []
    if test.name == "beff":
        return settings.sizes
    if test.name == "pingpong":
        return tests.perturbed(settings.sizes or tests.DEFAULT_SIZES)
    return settings.sizes or tests.DEFAULT_SIZES


def option_of(setting: str) -> str:
    """Return the option of a setting for a message."""
    return f"`{_SWITCHES.get(setting, setting)}`"


def arguments(test: tests.BenchTest, settings: BenchSettings) -> list[str]:
    """Return the arguments of lw-netbench. Raises UsageError for options that the test lacks."""
    for setting, owner in OF_ONE_TEST.items():
        if getattr(settings, setting) and owner != test.name:
            raise UsageError(f"{option_of(setting)} is an option of {owner}, not of {test.name}")
    words = [test.name]
    sizes = sizes_of(test, settings)
    if sizes:
        words += ["--sizes", ",".join(map(str, sizes))]
    words += ["--precision", f"{settings.precision:g}", "--seconds", f"{settings.seconds:g}"]
    words += ["--window", str(settings.window), "--among", settings.among]
    words += [f"--{option}" for setting, option in _SWITCHES.items() if getattr(settings, setting)]
    if settings.asynchronous and settings.bidirectional:
        raise UsageError("`bidirectional` posts its receives first by itself; leave `async` out")
    if settings.longest is not None:
        words += ["--longest", str(settings.longest)]
    if settings.methods:
        words += ["--methods", ",".join(settings.methods)]
    return [*words, "--seed", str(settings.seed)] if test.name in ("beff", "hpcc") else words
