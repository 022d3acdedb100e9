"""Settings of a test, as options of lw-netbench."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from linkworth.bench import tests
from linkworth.errors import UsageError
from linkworth.model.number_range import NumberRange
from linkworth.model.parameter import Parameter, declared

Among = Literal["auto", "pair-in-node", "pair-across-nodes", "node", "all"]
Method = Literal["sendrecv", "alltoallv", "nonblocking"]

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
    precision: Annotated[
        float,
        Parameter(
            help="Repeat until the 95 % confidence half-width of the mean is below this share of it.",
            allowed=NumberRange(least=1e-6, most=1),
            metavar="SHARE",
        ),
    ] = 0.02
    seconds: Annotated[
        float,
        Parameter(
            help="Longest time of one message size; its result is kept, as precise as it is then.",
            allowed=NumberRange(least=1e-3, most=86400),
            metavar="S",
        ),
    ] = 1.0
    window: Annotated[
        int,
        Parameter(
            help="Messages in flight at once in bandwidth, bibandwidth and multipair.",
            allowed=NumberRange(least=1, most=65536),
            metavar="N",
        ),
    ] = 64
    among: Annotated[
        Among,
        Parameter(
            help="Ranks that take part, where node is all ranks of the first node.",
            metavar="RANKS",
            default="auto, the test's own",
        ),
    ] = "auto"
    asynchronous: Annotated[
        bool, Parameter(help="pingpong: post each receive before the partner sends.", spelling="async")
    ] = False
    bidirectional: Annotated[bool, Parameter(help="pingpong: both send at once.")] = False
    pairs: Annotated[
        bool, Parameter(help="pingpong: all ranks of a node with those of another, at once.")
    ] = False
    longest: int | None = None
    """b_eff's longest message in bytes; None: memory of a rank / 128."""
    seed: Annotated[
        int,
        Parameter(
            help="beff, hpcc: seed of the random patterns.",
            allowed=NumberRange(least=1, most=1e18, zero=True),
            metavar="N",
        ),
    ] = 1
    methods: list[Method] = msgspec.field(default_factory=list)
    """b_eff's methods of exchange; empty: its three. HPC Challenge's rings take sendrecv and nonblocking."""


class SizeTexts(msgspec.Struct, frozen=True, kw_only=True):
    """Message sizes as a user writes them, such as `64K`."""

    sizes: Annotated[
        str | None,
        Parameter(
            help="Message sizes with commas between them, such as 8,1K,64K,4M.",
            metavar="LIST",
            default="powers of two",
        ),
    ] = None
    least: Annotated[
        str | None, Parameter(help="Smallest message size.", spelling="min", metavar="SIZE", default="1")
    ] = None
    most: Annotated[
        str | None, Parameter(help="Largest message size.", spelling="max", metavar="SIZE", default="4M")
    ] = None
    longest: Annotated[
        str | None,
        Parameter(
            help="beff: longest message.", metavar="SIZE", default="memory of a rank / 128, at most 128M"
        ),
    ] = None


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
    spelled = {each.name: each.spelling for each in declared(BenchSettings)}
    return f"`{spelled.get(setting, setting)}`"


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
    switches = [each for each in declared(BenchSettings) if each.type is bool]
    words += [f"--{switch.spelling}" for switch in switches if getattr(settings, switch.name)]
    if settings.asynchronous and settings.bidirectional:
        raise UsageError("`bidirectional` posts its receives first by itself; leave `async` out")
    if settings.longest is not None:
        words += ["--longest", str(settings.longest)]
    if settings.methods:
        words += ["--methods", ",".join(settings.methods)]
    return [*words, "--seed", str(settings.seed)] if test.name in ("beff", "hpcc") else words
