"""Options of network measurements."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import rich_click as click

from linkworth.bench.settings import LARGEST_WINDOW, PRECISION, SECONDS_OF_A_SIZE
from linkworth.cli.number import Number

_Command = TypeVar("_Command", bound=Callable[..., Any])


def measuring_options(command: _Command) -> _Command:
    """Add the options to a verb, which receives them as one argument `settings` (a BenchSettings)."""

    @functools.wraps(command)
    def with_settings(**given: object) -> object:
        from linkworth.bench import request

        chosen: dict[str, Any] = {name: given.pop(name) for name in MEASURING_PARAMETERS}
        return command(settings=request.settings(**chosen), **given)

    for option in reversed(_OPTIONS):
        with_settings = option(with_settings)
    return with_settings  # type: ignore[return-value]


_OPTIONS = [
    click.option("--sizes", metavar="LIST",
                 help="Message sizes with commas between them, such as 8,1K,64K,4M.  [default: powers of two]"),
    click.option("--min", "least", metavar="SIZE", help="Smallest message size.  [default: 1]"),
    click.option("--max", "most", metavar="SIZE", help="Largest message size.  [default: 4M]"),
    click.option("--precision", type=Number(PRECISION), default=0.02, show_default=True, metavar="SHARE",
                 help="Repeat until the 95 % confidence half-width of the mean is below this share of it."),
    click.option("--seconds", type=Number(SECONDS_OF_A_SIZE), default=1.0, show_default=True, metavar="S",
                 help="Longest time of one message size."),
    click.option("--window", type=click.IntRange(min=1, max=LARGEST_WINDOW), default=64, show_default=True, metavar="N",
                 help="Messages in flight at once in bandwidth, bibandwidth and multipair."),
    click.option("--among", type=click.Choice(["auto", "pair-in-node", "pair-across-nodes", "node", "all"]),
                 default="auto", show_default=True, metavar="RANKS",
                 help="Ranks that take part: two of one node (pair-in-node), two of different nodes (pair-across-nodes), all of "
                 "a node (node), all, or the test's own (auto)."),
    click.option("--async", "asynchronous", is_flag=True, help="pingpong: post each receive before the partner sends."),
    click.option("--bidirectional", is_flag=True, help="pingpong: both send at once."),
    click.option("--pairs", is_flag=True, help="pingpong: all ranks of a node with those of another, at once."),
    click.option("--longest", metavar="SIZE",
                 help="beff: longest message.  [default: memory of a rank / 128, at most 128M]"),
    click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, metavar="N",
                 help="beff, hpcc: seed of the random patterns."),
]  # fmt: skip
MEASURING_PARAMETERS = ("sizes", "least", "most", "precision", "seconds", "window", "among", "asynchronous", "bidirectional",
                        "pairs", "longest", "seed")  # fmt: skip
