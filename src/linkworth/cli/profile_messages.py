"""The part of a profile's screen that is about messages: sizes, and who talks to whom."""

import math

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.cli.profile_times import BAR, compact
from linkworth.cli.units import volume
from linkworth.model.profile import Matrix, Pair, Partners, Profile, SizeBin

_SHOWN_SIZES = 5
_SHOWN_ROWS = 16
_SHOWN_PAIRS = 3
_DENSITIES = " .:-=+*#%@"


def messages(profile: Profile) -> Table:
    """Return the sizes that carry most bytes (or, where all are empty, most messages)."""
    table = compact(f"{profile.messages:,} messages, {volume(profile.message_bytes)}")
    table.add_column("  size", justify="right")
    for heading in ("messages", "bytes"):
        table.add_column(heading, justify="right")
    table.add_column("share of bytes")
    heaviest = sorted(profile.message_sizes, key=lambda size: (-size.bytes, -size.messages))[:_SHOWN_SIZES]
    for size in sorted(heaviest, key=lambda size: size.lowest_bytes):
        share = size.bytes / profile.message_bytes if profile.message_bytes else 0.0
        table.add_row("  " + _range(size), f"{size.messages:,}", volume(size.bytes), "#" * round(share * BAR))
    others = len(profile.message_sizes) - len(heaviest)
    if others:
        table.caption = f"and {others} sizes with fewer bytes (all with --json)"
    return table


def _range(size: SizeBin) -> str:
    if size.highest_bytes <= 1:
        return f"{size.lowest_bytes} B"
    return f"{size.lowest_bytes:,} to {size.highest_bytes:,} B"


def who_talks_to_whom(profile: Profile) -> RenderableType:
    """Return the structure in words beside the matrix."""
    if profile.partners is None:
        return _matrix(profile.matrix)
    grid = Table.grid(padding=(0, 4, 0, 0))
    grid.add_row(_matrix(profile.matrix), _in_words(profile.partners, profile))
    return grid


def _in_words(partners: Partners, profile: Profile) -> Text:
    near = f" ({partners.structure_share:.0%} of the bytes)" if 0 < partners.structure_share < 0.995 else ""
    lines = [f"Nearest structure: {partners.structure}{near}"]
    if partners.heaviest:
        each = profile.matrix.ranks_per_row
        pairs = ", ".join(_pair(pair, each) for pair in partners.heaviest[:_SHOWN_PAIRS])
        lines.append(f"Heaviest: {pairs}")
    if partners.distances and partners.structure == "irregular":
        total = profile.message_bytes or 1
        far = ", ".join(f"{item.ranks:+d} ({item.bytes / total:.0%})" for item in partners.distances[:4])
        lines.append(f"Distances to - from: {far}")
    if partners.nodes > 1:
        total = profile.message_bytes or 1
        lines.append(
            f"Between the {partners.nodes} nodes: {volume(partners.between_nodes_bytes)} "
            f"({partners.between_nodes_bytes / total:.0%}), {partners.between_nodes_messages:,} messages"
        )
    else:
        lines.append("All on one node")
    return Text("\n".join(lines))


def _pair(pair: Pair, each: int) -> str:
    def ranks(first: int) -> str:
        return str(first) if each == 1 else f"{first}-{first + each - 1}"

    return f"{ranks(pair.source)} to {ranks(pair.destination)} {volume(pair.bytes)}"


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
