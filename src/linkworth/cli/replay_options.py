"""Options, besides fabrics and nodes, of every verb that replays."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import rich_click as click

from linkworth.cli.given import refuse
from linkworth.cli.number import Number
from linkworth.model.number_range import BACKGROUND_LOAD, CPU_FACTOR, NOISE, NumberRange

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OF_SETTINGS = (
    "progress",
    "cpu_factor_at",
    "memory_demand",
    "memory_bandwidth",
    "cores",
    "thread_gain",
    "background_load",
    "contention",
    "noise",
    "samples",
    "spread",
    "seed",
    "mpi_library",
    "collective",
    "pass_unmodelled",
)
_PLACEMENT = click.option(
    "--placement",
    default="block",
    show_default=True,
    metavar="HOW",
    help="Ranks on nodes: block, cyclic, node numbers (0,0,1,1), or a hostfile or rankfile.",
)
_PLACEMENTS = click.option(
    "--placement",
    multiple=True,
    default=("block",),
    show_default="block",
    metavar="HOW",
    help="Ranks on nodes: block, cyclic, node numbers (0,0,1,1), or a hostfile or rankfile; repeatable.",
)
_PROGRAM = (
    click.option(
        "--ppn", type=click.IntRange(min=1), metavar="P", help="Ranks on a node.  [default: spread evenly]"
    ),
    click.option(
        "--measured",
        metavar="FABRIC=SECONDS",
        help="A time measured on one fabric: scales the computation so that the replay there takes that long.",
    ),
    click.option(
        "--cpu-factor",
        type=Number(CPU_FACTOR),
        default=1.0,
        show_default=True,
        metavar="X",
        help="Speed of the target's cores against those that recorded: 2 halves the computation.",
    ),
    click.option(
        "-n",
        "ranks",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ranks of a bundled program without a trace.",
    ),
)
_OPTIONS = (
    click.option(
        "--progress",
        type=click.Choice(["asynchronous", "calls"]),
        help="Long messages go on at any time (by a NIC or a thread), or only while their rank waits inside MPI calls.  "
        "[default: as the fabric says]",
    ),
    click.option(
        "--cpu-factor-at",
        multiple=True,
        metavar="LEVEL=X",
        help="Another --cpu-factor for what follows MPI_Pcontrol(LEVEL); repeatable.",
    ),
    click.option(
        "--memory-demand",
        type=Number(NumberRange(least=1e-6, most=1e6, zero=True), unit="GB/s"),
        default=0.0,
        metavar="GB/S",
        help="Memory traffic of one rank that computes alone; with --memory-bandwidth, ranks of a node slow each other.",
    ),
    click.option(
        "--memory-bandwidth",
        type=Number(NumberRange(least=1e-6, most=1e6), unit="GB/s"),
        metavar="GB/S",
        help="Memory bandwidth of a node.",
    ),
    click.option(
        "--cores",
        type=click.IntRange(min=1),
        metavar="N",
        help="Cores of a node: more ranks that compute at once share them.  [default: those of --machine, else one a rank]",
    ),
    click.option(
        "--thread-gain",
        type=Number(NumberRange(least=1, most=2)),
        metavar="X",
        help="With --cores: what a core does with ranks on two hardware threads, against one rank.  [default: 1]",
    ),
    click.option(
        "--background-load",
        type=Number(BACKGROUND_LOAD),
        default=0.0,
        metavar="SHARE",
        help="Share of every link between nodes that others use, 0 to 0.999.",
    ),
    click.option(
        "--contention/--no-contention",
        default=True,
        show_default=True,
        help="Messages compete for NICs, switches and memory, or each has the network for itself (and the replay is faster).",
    ),
    click.option(
        "--noise",
        type=Number(NOISE),
        default=0.0,
        metavar="SIGMA",
        help="Vary each computation at random (standard deviation of its logarithm; 0.05 is about 5 %).",
    ),
    click.option(
        "--samples",
        type=click.IntRange(min=10),
        metavar="N",
        help="Replay N times with parameters drawn from their spread, and give the interval of 90 % of the times.",
    ),
    click.option(
        "--spread",
        multiple=True,
        metavar="NAME=SHARE",
        help="Relative standard deviation of latency, bandwidth, overhead or computation; repeatable.  [default: the fabric's]",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of noise and samples."
    ),
    click.option(
        "--mpi-library",
        metavar="NAME",
        help="Whose collective algorithms run: openmpi, mpich, openmpi-5.0, openmpi-4.1, openmpi-4.0 or mpich-flat."
        "  [default: those of the library that recorded]",
    ),
    click.option(
        "--collective",
        multiple=True,
        metavar="NAME=ALGORITHM",
        help="Force an algorithm, such as allreduce=ring or bcast=pipeline:65536 (bytes of a segment); repeatable.",
    ),
    click.option(
        "--pass-unmodelled",
        is_flag=True,
        help="Give collectives that are not modelled their recorded time, instead of an error.",
    ),
)


PLACEMENT_AND_SETTINGS = ("placement", *_OF_SETTINGS)
"""Parameters of these options."""


def refuse_useless_options(values: Mapping[str, Any]) -> None:
    """Raise UsageError for an option without an effect because of another one. `values`: those of all parameters."""
    if values.get("measured") is not None:
        refuse(("cpu_factor",), "--measured sets the CPU factor; leave one of them out")
    sampling = "--draws above 0" if "draws" in values else "--samples N"
    samples = values["draws"] != 0 if "draws" in values else bool(values.get("samples"))
    if not samples:
        refuse(("spread",), f"no parameters are drawn at random; give {sampling} as well, or leave it out")
    if not (samples or values["noise"]):
        refuse(("seed",), "nothing is drawn at random; give --noise or --samples as well, or leave it out")


def program_options(command: _Command) -> _Command:
    """Add the options on a replayed program: ranks per node, a measured time, the cores' speed, its ranks."""
    for option in reversed(_PROGRAM):
        command = option(command)
    return command


def replay_options(
    *, several_placements: bool = False, without: Sequence[str] = ()
) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options to a command, which receives `placement` and `settings` (a
    ReplaySettings).

    With `several_placements`, `placement` is a tuple. `without`: parameters that the command cannot use.
    """
    options = [option for name, option in zip(_OF_SETTINGS, _OPTIONS, strict=True) if name not in without]
    placement = _PLACEMENTS if several_placements else _PLACEMENT

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_settings(**given: Any) -> object:  # noqa: ANN401 (whatever options the command has)
            from linkworth.predict import request

            refuse_useless_options(given)
            wanted = {name: given.pop(name) for name in _OF_SETTINGS if name not in without}
            return command(settings=request.settings(**wanted), **given)

        added: Any = with_settings
        for option in reversed((placement, *options)):
            added = option(added)
        return cast(_Command, added)

    return add
