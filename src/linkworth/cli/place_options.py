"""Options for the place of a run: this machine, a lab, hosts of a file, a batch system."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec
import rich_click as click

from linkworth.cli.option_group import OptionGroup
from linkworth.errors import UsageError
from linkworth.model.place import Binding, Place
from linkworth.places.kinds import SYSTEMS, one_of
from linkworth.places.place import check_layout

_FIRST_SYSTEM = next(iter(SYSTEMS))
_FLAGS = [f"--{name}" for name in SYSTEMS]
_FIELDS = {"nodes": "--nodes", "ranks_per_node": "--ppn", "transport": "--transport", "binding": "--bind"}
"""Fields of a Place that one option gives, for every kind of place."""
_JOB_OPTIONS = {"constraint": "--constraint", "account": "--account", "time_limit": "--time"}
"""Parameters that become options of a batch system's jobs."""


def place_of(given: Mapping[str, Any]) -> Place:
    """Return the place from the options' values by parameter. Raises UsageError if they contradict each other."""
    named = [(system, "") for system in SYSTEMS if given.get(system)]
    named += [(kind, str(given[kind])) for kind in ("lab", "hostfile") if given.get(kind) is not None]
    if len(named) > 1:
        raise UsageError(
            f"{' and '.join(f'--{kind}' for kind, _ in named)} name different places; give one of them"
        )
    partition = given.get("partition") or ""
    batch_options = list(given.get("batch_option") or ())
    kind, name = named[0] if named else (_FIRST_SYSTEM if partition else "local", "")
    place = Place(
        kind=kind,
        name=partition if kind in SYSTEMS else name,
        nodes=given.get("nodes"),
        ranks_per_node=given.get("ppn"),
        transport=given.get("transport") or "",
        binding=given.get("bind") or "",
    )
    options = [f"{flag}={given[name]}" for name, flag in _JOB_OPTIONS.items() if given.get(name)]
    if kind in SYSTEMS:
        return msgspec.structs.replace(place, options=[*options, *batch_options])
    partitions = [f"--partition={partition}"] if partition else []
    for option in [*partitions, *options, *(f"--batch-option={option}" for option in batch_options)]:
        raise UsageError(f"{option.partition('=')[0]} is for a batch system: give {one_of(_FLAGS)} with it")
    if kind == "local" and place.ranks_per_node is not None and place.nodes is None:
        raise UsageError(
            f"--ppn {place.ranks_per_node}: this machine is one node, so -n gives that number; "
            f"give more nodes with {one_of(['--lab', '--hostfile', *_FLAGS])}"
        )
    return place


def ranks_in(place: Place, ranks: int | None) -> int | None:
    """Return the given number of ranks, else the one that a place's nodes and ranks on each make; None without both.

    Raises UsageError if the two differ.
    """
    if not place.nodes or not place.ranks_per_node:
        return ranks
    made = place.nodes * place.ranks_per_node
    check_layout(ranks or made, place.nodes, place.ranks_per_node)
    return made


def options_of(place: Place) -> list[str]:
    """Return the options that name a place: `place_of` reads them back."""
    if place.kind in SYSTEMS:
        words = [] if place.kind == _FIRST_SYSTEM and place.name else [f"--{place.kind}"]
        words += ["--partition", place.name] if place.name else []
        words += [f"--batch-option={option}" for option in place.options]
    else:
        words = [] if place.kind == "local" else [f"--{place.kind}", place.name]
    for field, flag in _FIELDS.items():
        value = getattr(place, field)
        words += [flag, str(value)] if value else []
    return words


place_options = OptionGroup("place", lambda **given: place_of(given), [
    click.option("--lab", metavar="NAME",
                 help="Run on the emulated cluster of this name, or on one made for the run from a preset."),
    click.option("--hostfile", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
                 help="Run on the hosts of this file, one a line: `host`, `host slots=N` or `host:N`."),
    *(click.option(f"--{name}", is_flag=True, help=system.help) for name, system in SYSTEMS.items()),
    click.option("--partition", metavar="NAME", help=f"Partition or queue of a batch system; alone it means --{_FIRST_SYSTEM}."),
    click.option("--constraint", metavar="FEATURES", help="Nodes with these features only (Slurm), such as ib."),
    click.option("--account", metavar="NAME", help="Account or project that the job is charged to."),
    click.option("--time", "time_limit", metavar="TIME",
                 help="Time limit of the job as Slurm writes it: minutes, HH:MM:SS or D-HH:MM:SS."),
    click.option("--batch-option", multiple=True, metavar="OPTION",
                 help="One more option for the batch system: --batch-option=--exclusive. May be repeated."),
    click.option("--nodes", type=click.IntRange(min=1), metavar="K",
                 help="Nodes to use.  [default: as many as the ranks need]"),
    click.option("--ppn", type=click.IntRange(min=1), metavar="P",
                 help="Ranks on each node.  [default: spread evenly, in blocks]"),
    click.option("--transport", metavar="NAME",
                 help="Named setting of what carries the MPI's messages.  [default: the MPI's choice]"),
    click.option("--bind", type=click.Choice([word for word in get_args(Binding) if word]),
                 help="Bind each rank to a core, a socket or a NUMA node, or to nothing.  [default: the launcher's choice]"),
])  # fmt: skip
"""Options of a verb that receives a Place."""
