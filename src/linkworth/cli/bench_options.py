"""Options of network measurements."""

from typing import Any

import rich_click as click

from linkworth.bench.settings import LARGEST_WINDOW, PRECISION, SECONDS_OF_A_SIZE
from linkworth.cli.number import Number
from linkworth.cli.option_group import OptionGroup


def _settings(**given: Any) -> object:  # noqa: ANN401 (values of the options)
    from linkworth.bench import request

    return request.settings(**given)


measuring_options = OptionGroup("settings", _settings, [
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
])  # fmt: skip
"""Options of a verb that receives a BenchSettings."""
