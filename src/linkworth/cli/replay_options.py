"""Options, besides fabrics and nodes, of every verb that replays."""

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import rich_click as click

from linkworth.catalog.assignment import parse_assignment
from linkworth.cli.declared import options_of, struct_from
from linkworth.cli.given import refuse
from linkworth.cli.known_name import KnownName
from linkworth.cli.number import Number
from linkworth.cli.option_group import OptionGroup
from linkworth.errors import UsageError
from linkworth.model.collectives import ForcedCollective
from linkworth.model.fabric import Spread
from linkworth.model.number_range import CPU_FACTOR, SPREAD
from linkworth.model.parameter import declared
from linkworth.model.settings import ReplaySettings

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SETTINGS = tuple(parameter.name for parameter in declared(ReplaySettings))
PLACEMENT_AND_SETTINGS = ("placement", *_SETTINGS)
"""Parameters of these options."""
_MOST_SEGMENT_BYTES = 1 << 31
"""Libraries keep the length of a segment in an int."""


def _placement(several: bool) -> Callable[[_Command], _Command]:
    return click.option(
        "--placement",
        multiple=several,
        default=("block",) if several else "block",
        show_default="block" if several else True,
        metavar="HOW",
        help="Ranks on nodes: block, cyclic, node numbers (0,0,1,1), or a hostfile or rankfile"
        f"{'; repeatable' if several else ''}.",
    )


trace_argument = click.argument("trace", metavar="TRACE|PROGRAM", type=KnownName("apps", mostly_files=True))
fabrics_option = click.option(
    "--on",
    "fabric_names",
    multiple=True,
    required=True,
    type=KnownName("fabrics"),
    metavar="FABRIC",
    help="A fabric; repeatable.",
)
ranks_option = click.option(
    "-n", "ranks", type=click.IntRange(min=1), metavar="N", help="Ranks of a bundled program without a trace."
)
nodes_option = click.option(
    "--nodes", type=click.IntRange(min=1), metavar="K", help="Nodes to lay the ranks on.  [default: 2]"
)
ppn_option = click.option(
    "--ppn", type=click.IntRange(min=1), metavar="P", help="Ranks on a node.  [default: spread evenly]"
)
_MEASURED = "Time measured on one fabric. The computation is scaled so that its replay takes as long."
measured_time_option = click.option("--measured", multiple=True, metavar="FABRIC=SECONDS", help=_MEASURED)
_IN_LAYOUTS = (
    f"{_MEASURED} Times in several layouts, such as gbe:16x1=89.8 and gbe:4x4=308.8 (nodes x ranks a node), also give what the "
    "ranks of a node share."
)
measured_option = click.option("--measured", multiple=True, metavar="FABRIC=SECONDS", help=_IN_LAYOUTS)
measured_of_each_option = click.option(
    "--measured",
    multiple=True,
    metavar="[PROGRAM:]FABRIC=SECONDS",
    help=f"{_IN_LAYOUTS} Of several programs, each has its time: app-16:gbe=89.8 is that of app-16.lwt.",
)
cpu_factor_option = click.option(
    "--cpu-factor",
    type=Number(CPU_FACTOR),
    default=1.0,
    show_default=True,
    metavar="X",
    help="Speed of the target's cores relative to those of the trace: 2 halves the computation.",
)


def _refuse_useless_options() -> None:
    """Raise UsageError for an option without an effect because of another one."""
    context = click.get_current_context()
    assert context is not None
    values = context.params
    if values.get("measured"):
        refuse(("cpu_factor", "recorded_on"), "--measured sets the CPU factor; leave one of them out")
    draws = values["draws"] != 0 if "draws" in values else "samples" in values
    if not draws:
        refuse(
            ("spread",), "no parameters are drawn at random; give --draws above 0 as well, or leave it out"
        )
    if not (draws or values["noise"]):
        refuse(("seed",), "nothing is drawn at random; give --noise as well, or leave it out")


def replay_options(
    *, several_placements: bool = False, without: Sequence[str] = ()
) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options to a command, which receives `placement` and `settings` (a
    ReplaySettings).

    With `several_placements`, `placement` is a tuple. `without`: settings that the command cannot use.
    """

    def settings(**given: Any) -> ReplaySettings:  # noqa: ANN401 (values of the options)
        _refuse_useless_options()
        return struct_from(ReplaySettings, given, _READERS)

    placement = _placement(several_placements)
    group = OptionGroup("settings", settings, options_of(ReplaySettings, without))
    return lambda command: placement(group(command))


def _refuse_second(option: str, name: object, found: Collection[object]) -> None:
    """Raise UsageError if `found` has the name already."""
    if name in found:
        raise UsageError(f"{option} {name}: it is given twice; give it once")


def _cpu_factors(texts: Sequence[str]) -> dict[int, float]:
    factors: dict[int, float] = {}
    for text in texts:
        level, factor = parse_assignment(text, "--cpu-factor-at", "X", CPU_FACTOR, what="LEVEL")
        if not re.fullmatch(r"-?[0-9]{1,9}", level):
            raise UsageError(
                f"--cpu-factor-at {text!r}: {level!r} is no level of MPI_Pcontrol; give a whole number"
            )
        _refuse_second("--cpu-factor-at", int(level), factors)
        factors[int(level)] = factor
    return factors


def _spread(texts: Sequence[str]) -> dict[str, float]:
    known = Spread.__struct_fields__
    shares: dict[str, float] = {}
    for text in texts:
        name, share = parse_assignment(text, "--spread", "SHARE", SPREAD, what="NAME")
        if name not in known:
            raise UsageError(f"--spread {text!r}: there is no {name!r}; choose {', '.join(known)}")
        _refuse_second("--spread", name, shares)
        shares[name] = share
    return shares


def parse_forced(text: str) -> ForcedCollective:
    """Parse `COLLECTIVE=ALGORITHM[:SEGMENT_BYTES]` of --collective."""
    from linkworth import _engine

    collective, equals, rest = text.partition("=")
    algorithm, colon, segment = rest.partition(":")
    if not equals or not algorithm:
        raise UsageError(
            f"--collective {text!r}: give COLLECTIVE=ALGORITHM, for instance allreduce=ring, or bcast=pipeline:65536 for "
            "segments of so many bytes"
        )
    known = _engine.collective_algorithms()
    if collective not in known:
        near = difflib.get_close_matches(collective, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"--collective {text}: {meant}the collectives are {', '.join(sorted(known))}")
    if algorithm not in known[collective]:
        raise UsageError(
            f"--collective {text}: the algorithms of {collective} are {', '.join(known[collective])}"
        )
    if colon and not (segment.isascii() and segment.isdecimal() and int(segment) < _MOST_SEGMENT_BYTES):
        raise UsageError(
            f"--collective {text}: after the colon give a segment's bytes as a whole number below 2^31"
        )
    return ForcedCollective(
        collective=collective, algorithm=algorithm, segment_bytes=int(segment) if colon else 0
    )


def _forced(texts: Sequence[str]) -> list[ForcedCollective]:
    found: dict[str, ForcedCollective] = {}
    for text in texts:
        forced = parse_forced(text)
        _refuse_second("--collective", forced.collective, found)
        found[forced.collective] = forced
    return list(found.values())


def _mpi_settings(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"--mpi-setting {text!r}: give NAME=VALUE, for instance btl_tcp_flags=send")
        _refuse_second("--mpi-setting", name, found)
        found[name] = value
    return found


_READERS = {
    "cpu_factor_at": _cpu_factors,
    "mpi_settings": _mpi_settings,
    "spread": _spread,
    "forced_collectives": _forced,
}
"""Readers of the repeatable options."""
