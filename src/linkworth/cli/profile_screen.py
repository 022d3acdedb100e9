"""A profile on one screen for a person."""

import math

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from linkworth.cli.units import seconds
from linkworth.model.profile import Matrix, Pop, Profile, SizeBin

_SHOWN_CALLS = 5
_SHOWN_ROWS = 32
_SHOWN_SENTENCES = 5
_BAR = 30
_DENSITIES = " .:-=+*#%@"
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def screen(profile: Profile) -> RenderableType:
    """Return everything about a profile, most important first."""
    parts: list[RenderableType] = [*_head(profile), "", _shares(profile), "", _efficiencies(profile.pop)]
    parts += ["", _calls(profile), "", _sizes(profile), "", _matrix(profile.matrix)]
    warnings = _warnings(profile)
    if warnings:
        parts += ["", *(Text(f"! {warning}") for warning in warnings)]
    return Group(*parts)


def volume(count: float) -> str:
    """Return bytes with a decimal prefix: `1.23 MB`."""
    scale, unit = next(((s, u) for s, u in _BYTES if count >= s * 0.9995), (1.0, "B"))
    return f"{count / scale:.3g} {unit}" if scale > 1 else f"{count:.0f} B"


def _head(profile: Profile) -> list[RenderableType]:
    verified = {True: ", verified", False: ", FAILED its verification", None: ""}[profile.verified]
    where = "where it ran" if profile.rates is None else "in one node's memory; not run"
    return [
        Text(
            f"{profile.workload}: {profile.ranks} ranks, {seconds(profile.elapsed_seconds)} {where}{verified}"
        ),
        Text(f"Network dependence: {profile.group} ({profile.group_reason})"),
    ]


def _shares(profile: Profile) -> Table:
    table = Table(
        title="Where the ranks' time goes", title_justify="left", show_header=False, caption_justify="left"
    )
    for name, share in (
        ("computation", profile.shares.compute),
        ("communication", profile.shares.communication),
        ("MPI_Init and MPI_Finalize", profile.shares.init),
    ):
        table.add_row(name, f"{share:6.1%}", "#" * round(share * _BAR))
    if profile.oversubscribed:
        table.caption = "With a core for each rank, which they did not have where it ran."
    return table


def _efficiencies(pop: Pop) -> Table:
    table = Table(title="Efficiency (POP)", title_justify="left", show_header=False)
    for name, value, meaning in (
        ("parallel", pop.parallel_efficiency, "load balance x communication"),
        ("load balance", pop.load_balance, "mean against longest computation of a rank"),
        ("communication", pop.communication_efficiency, "serialisation x transfer"),
        ("  serialisation", pop.serialisation_efficiency, "what waiting for each other leaves, on an ideal network"),
        ("  transfer", pop.transfer_efficiency, "what moving the data leaves, on the network where it ran"),
    ):  # fmt: skip
        table.add_row(name, f"{value:6.1%}", meaning)
    return table


def _calls(profile: Profile) -> Table:
    table = Table(title="Most expensive calls, over all ranks", title_justify="left", caption_justify="left")
    table.add_column("call")
    for heading in ("calls", "bytes", "time inside", "share"):
        table.add_column(heading, justify="right")
    total = sum(call.seconds for call in profile.calls) or 1.0
    for call in profile.calls[:_SHOWN_CALLS]:
        table.add_row(
            escape(call.name),
            f"{call.count:,}",
            volume(call.bytes),
            seconds(call.seconds),
            f"{call.seconds / total:.1%}",
        )
    if profile.oversubscribed:
        table.caption = "As recorded: the time inside calls includes waiting for a core."
    return table


def _sizes(profile: Profile) -> Table:
    table = Table(
        title=f"{profile.messages:,} messages, {volume(profile.message_bytes)}", title_justify="left"
    )
    for heading in ("size", "messages", "bytes"):
        table.add_column(heading, justify="right")
    table.add_column("share of bytes")
    for size in profile.message_sizes:
        share = size.bytes / profile.message_bytes if profile.message_bytes else 0.0
        table.add_row(_range(size), f"{size.messages:,}", volume(size.bytes), "#" * round(share * _BAR))
    return table


def _range(size: SizeBin) -> str:
    if size.highest_bytes <= 1:
        return f"{size.lowest_bytes} B"
    return f"{size.lowest_bytes:,} to {size.highest_bytes:,} B"


def _matrix(matrix: Matrix) -> Text:
    """Return one character for each pair, ten densities on a logarithmic scale; large matrices in groups of rows."""
    rows = len(matrix.bytes)
    fold = math.ceil(rows / _SHOWN_ROWS)
    cells = [
        [
            sum(sum(row[left : left + fold]) for row in matrix.bytes[top : top + fold])
            for left in range(0, rows, fold)
        ]
        for top in range(0, rows, fold)
    ]
    most = max((cell for row in cells for cell in row), default=0)
    ranks = fold * matrix.ranks_per_row
    each = "" if ranks == 1 else f", {ranks} ranks a row"
    lines = [f"Who sends (row) to whom (column){each}; @ is {volume(most)}, each step down a third of it"]
    width = len(str((len(cells) - 1) * ranks))
    for number, row in enumerate(cells):
        lines.append(f"{number * ranks:>{width}} |" + "".join(_density(cell, most) for cell in row) + "|")
    return Text("\n".join(lines))


def _density(cell: int, most: int) -> str:
    if cell == 0:
        return _DENSITIES[0]
    steps_down = int(math.log(most / cell) / math.log(3))
    return _DENSITIES[max(1, len(_DENSITIES) - 1 - steps_down)]


def _warnings(profile: Profile) -> list[str]:
    warnings = []
    if profile.oversubscribed:
        warnings.append(
            "the ranks shared cores where it ran: computation is CPU time (they waited "
            f"{seconds(profile.descheduled_seconds)} more for a core between calls), communication and the efficiencies come "
            "from a replay in shared memory"
        )
    for name, count in sorted(profile.unmodelled.items()):
        warnings.append(
            f"{name} ({count:,} calls) is not modelled: its traffic is in no figure but the calls"
        )
    warnings += profile.damage[:_SHOWN_SENTENCES]
    if len(profile.damage) > _SHOWN_SENTENCES:
        warnings.append(f"and {len(profile.damage) - _SHOWN_SENTENCES} more such losses (all with --json)")
    if profile.verified is False:
        warnings.append("the recorded run failed its own verification; do not trust what follows from it")
    return warnings
