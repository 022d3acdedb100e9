"""Options for the place of a run: this machine, a lab, hosts of a file, a batch system."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import rich_click as click

from linkworth.errors import UsageError
from linkworth.model.where import Binding, Where, WhereKind

_Command = TypeVar("_Command", bound=Callable[..., Any])

_BATCH: tuple[WhereKind, ...] = ("slurm", "pbs", "lsf")


def where_options(command: _Command) -> _Command:
    """Add the options to a verb, which receives them as one argument `where` (a Where)."""

    @functools.wraps(command)
    def with_where(**given: object) -> object:
        chosen: dict[str, Any] = {name: given.pop(name) for name in WHERE_PARAMETERS}
        return command(where=where_of(**chosen), **given)

    for option in reversed(_OPTIONS):
        with_where = option(with_where)
    return with_where  # type: ignore[return-value]


def where_of(
    *,
    lab: str | None = None,
    hostfile: Path | None = None,
    slurm: bool = False,
    pbs: bool = False,
    lsf: bool = False,
    partition: str | None = None,
    constraint: str | None = None,
    account: str | None = None,
    time_limit: str | None = None,
    batch_option: Sequence[str] = (),
    nodes: int | None = None,
    ppn: int | None = None,
    transport: str | None = None,
    bind: Binding | None = None,
) -> Where:
    """Return the place from the options' values. Raises UsageError if they contradict each other."""
    flags = {"slurm": slurm, "pbs": pbs, "lsf": lsf}
    named: list[tuple[WhereKind, str]] = [(kind, "") for kind in _BATCH if flags[kind]]
    if lab is not None:
        named.append(("lab", lab))
    if hostfile is not None:
        named.append(("hostfile", str(hostfile)))
    if len(named) > 1:
        raise UsageError(
            f"{' and '.join(f'--{kind}' for kind, _ in named)} name different places; give one of them"
        )
    for_batch = {
        "--partition": partition,
        "--constraint": constraint,
        "--account": account,
        "--time": time_limit,
        "--batch-option": " ".join(batch_option),
    }
    kind, name = named[0] if named else ("slurm" if partition else "local", "")
    if kind in _BATCH:
        options = [f"{option}={value}" for option, value in list(for_batch.items())[1:4] if value]
        return Where(
            kind=kind,
            name=partition or "",
            nodes=nodes,
            ranks_per_node=ppn,
            transport=transport or "",
            binding=bind or "",
            options=[*options, *batch_option],
        )
    for option, value in for_batch.items():
        if value:
            raise UsageError(f"{option} is for a batch system: give --slurm, --pbs or --lsf with it")
    if kind == "local" and ppn is not None and nodes is None:
        raise UsageError(
            f"--ppn {ppn}: this machine is one node, so -n gives that number; "
            "give more nodes with --lab, --hostfile or --slurm"
        )
    return Where(
        kind=kind, name=name, nodes=nodes, ranks_per_node=ppn, transport=transport or "", binding=bind or ""
    )


_OPTIONS = [
    click.option("--lab", metavar="NAME",
                 help="Run on the emulated cluster of this name, or on one made for the run from a preset."),
    click.option("--hostfile", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
                 help="Run on the hosts of this file, one a line: `host`, `host slots=N` or `host:N`."),
    click.option("--slurm", is_flag=True, help="Run as a Slurm job; inside a Slurm job, as one of its steps."),
    click.option("--pbs", is_flag=True, help="Run as a PBS job (qsub)."),
    click.option("--lsf", is_flag=True, help="Run as an LSF job (bsub)."),
    click.option("--partition", metavar="NAME", help="Partition or queue of the batch system; by itself it means --slurm."),
    click.option("--constraint", metavar="FEATURES", help="Nodes with these features only (Slurm), such as ib."),
    click.option("--account", metavar="NAME", help="Account or project that the job is charged to."),
    click.option("--time", "time_limit", metavar="TIME",
                 help="Time limit of the job as Slurm writes it: minutes, HH:MM:SS or D-HH:MM:SS."),
    click.option("--batch-option", "--sbatch-option", "batch_option", multiple=True, metavar="OPTION",
                 help="One more option for the batch system: --batch-option=--exclusive. May be repeated."),
    click.option("--nodes", type=click.IntRange(min=1), metavar="K",
                 help="Nodes to use.  [default: as many as the ranks need]"),
    click.option("--ppn", type=click.IntRange(min=1), metavar="P",
                 help="Ranks on each node.  [default: spread evenly, in blocks]"),
    click.option("--transport", metavar="NAME",
                 help="Named setting of what carries the MPI's messages.  [default: the MPI's choice]"),
    click.option("--bind", type=click.Choice([word for word in get_args(Binding) if word]),
                 help="Bind each rank to a core, a socket or a NUMA node, or to nothing.  [default: the launcher's choice]"),
]  # fmt: skip
WHERE_PARAMETERS = ("lab", "hostfile", "slurm", "pbs", "lsf", "partition", "constraint", "account", "time_limit", "batch_option",
                    "nodes", "ppn", "transport", "bind")  # fmt: skip
