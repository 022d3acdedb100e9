"""`linkworth bench init`: the cost of starting an MPI program."""

import shlex
from pathlib import Path

from linkworth import units
from linkworth.cli.output import note, refuse_loss, show
from linkworth.cli.steps import Steps
from linkworth.model.place import Place
from linkworth.model.startup import StartupFit, StartupResult
from linkworth.writing.documents import encode
from linkworth.writing.files import require_writable, write_output

TEST = "init"


def run(
    place: Place,
    *,
    ranks: int | None,
    mpi: str | None,
    timeout: float | None,
    output: Path | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Measure, write and show the cost; return the exit code."""
    # Its mathematics take a fifth of a second to load, for which other tests need not wait.
    from linkworth.bench import startup

    if dry_run:
        return show_plan(startup.arguments(place, mpi=mpi, ranks=ranks), as_json)
    if output is not None:
        refuse_loss(output)
        require_writable(output)
    stopped = ""
    with Steps() as steps:
        try:
            result: StartupResult | None = startup.measure(
                place, mpi=mpi, ranks=ranks, timeout=timeout, say=note, plan=steps.plan, step=steps.step
            )
        except startup.StartupStopped as stop:
            result, stopped = stop.result, str(stop)
    if result is not None:
        if output is not None:
            write_output(output, encode(result, indent=2) + b"\n")
        show(result, as_json, table)
    if stopped:
        note(f"linkworth: {stopped}" + (f"; what was measured is in {output}" if output and result else ""))
    return 4 if stopped else 0


def show_plan(commands: list[list[str]], as_json: bool) -> int:
    """Show the commands of a dry run."""
    document = {"schema": "linkworth.bench-plan/1", "tests": [{"arguments": words} for words in commands]}
    show(document, as_json, lambda _: "\n".join(map(shlex.join, commands)))
    return 0


def table(result: StartupResult) -> str:
    """Return the lines, without a newline at the end."""
    lines = [
        "# linkworth init: launch and MPI_Init of a program that does nothing else",
        f"# {result.mpi}, {result.where}, {result.date}",
    ]
    lines += [f"# note: {warning}" for warning in result.warnings]
    lines.append(f"{'# Ranks':<10}{'Nodes':>8}{'Launches':>10}{'Launch (s)':>14}{'MPI_Init (s)':>14}")
    for row in result.rows:
        count = len(row.launch_seconds)
        launch, init = sum(row.launch_seconds) / count, sum(row.init_seconds) / count
        lines.append(f"{row.ranks:<10}{row.nodes:>8}{count:>10}{launch:>14.4f}{init:>14.4f}")
    return "\n".join([*lines, _fit("launch", result.launch), _fit("MPI_Init", result.init)])


def _fit(name: str, fit: StartupFit) -> str:
    def term(value: float, half: float | None) -> str:
        return units.duration(value) if half is None else f"{units.duration(value)} +- {units.duration(half)}"

    parts = [term(fit.base_seconds, fit.base_half_width)]
    if fit.rank_half_width is not None or fit.seconds_per_rank:
        parts.append(f"{term(fit.seconds_per_rank, fit.rank_half_width)} a rank")
    if fit.node_half_width is not None or fit.seconds_per_node:
        parts.append(f"{term(fit.seconds_per_node, fit.node_half_width)} a node")
    return f"# {name}: {', '.join(parts)} (95 % confidence; the fit misses a mean by up to {units.percent(fit.worst_miss)})"
