"""Messages in a profile's screen: sizes and communication partners."""

import math
from collections.abc import Sequence

from rich.text import Text

from linkworth import units
from linkworth.cli.profile_detail import Detail
from linkworth.cli.profile_times import bar
from linkworth.cli.table import Table
from linkworth.model.profile import Matrix, Partners, Profile, RankPair, SizeBin

_SHOWN_PAIRS = 3
_DENSITIES = " .:-=+*#%@"


def messages(profile: Profile, detail: Detail) -> Table:
    """Return the sizes with most bytes, or with most messages if all are empty."""
    heaviest = sorted(profile.message_sizes, key=lambda size: (-size.bytes, -size.messages))[: detail.sizes]
    rows = []
    for size in sorted(heaviest, key=lambda size: size.lowest_bytes):
        share = size.bytes / profile.message_bytes if profile.message_bytes else 0.0
        number = units.count(size.messages)
        rows.append([_range(size), number, units.data(size.bytes), units.percent(share), bar(share)])
    left = len(profile.message_sizes) - len(heaviest)
    title = f"Messages: {units.count(profile.messages)}, {units.data(profile.message_bytes)}"
    return Table(
        ["size>", "messages>", "data>", "share>", ""] if rows else [],
        rows,
        title=title if profile.messages else "No messages between ranks",
        note=f"and {units.plural(left, 'size')} with less data (--full)" if left else "",
    )


def _range(size: SizeBin) -> str:
    if size.highest_bytes <= 1:
        return units.message_size(size.lowest_bytes)
    return units.interval(units.message_size(size.lowest_bytes), units.message_size(size.highest_bytes))


def partner_sentences(partners: Partners, profile: Profile, detail: Detail) -> str:
    """Return the communication partners in words."""
    total = profile.message_bytes or 1
    near = (
        f" ({units.percent(partners.structure_share)} of the data)"
        if 0 < partners.structure_share < 0.995
        else ""
    )
    where = (
        f"{units.percent(partners.between_nodes_bytes / total)} between the {partners.nodes} nodes "
        f"({units.data(partners.between_nodes_bytes)}, {units.count(partners.between_nodes_messages)} messages)"
        if partners.nodes > 1
        else "all on one node"
    )
    sentences = [f"Nearest structure: {partners.structure}{near}; {where}."]
    if partners.heaviest:
        pairs = ", ".join(
            _pair(pair, profile) for pair in partners.heaviest[: 1 if detail.brief else _SHOWN_PAIRS]
        )
        sentences.append(f"Heaviest: {pairs}.")
    if partners.distances and partners.structure == "irregular":
        far = ", ".join(
            f"{item.ranks:+d} ({units.percent(item.bytes / total)})" for item in partners.distances[:4]
        )
        sentences.append(f"Rank distances (to - from): {far}.")
    return " ".join(sentences)


def _pair(pair: RankPair, profile: Profile) -> str:
    def ranks(first: int) -> str:
        last = min(first + profile.matrix.ranks_per_row, profile.ranks) - 1
        return str(first) if first == last else f"{first}-{last}"

    return f"{ranks(pair.source)} to {ranks(pair.destination)} {units.data(pair.bytes)}"


def matrix(found: Matrix, detail: Detail) -> Text:
    """Return one character for each pair, in ten logarithmic densities; large matrices are grouped."""
    cells, ranks = _folded(found, detail)
    most = _most(cells)
    width = len(str((len(cells) - 1) * ranks))
    lines = [
        f"{number * ranks:>{width}} |{''.join(_density(cell, most) for cell in row)}|"
        for number, row in enumerate(cells)
    ]
    text = Text("Data from row to column\n", style="bold", no_wrap=True)
    text.append("\n".join(lines), style="not bold")
    return text


def matrix_key(found: Matrix, detail: Detail) -> str:
    """Return the meaning of the matrix's characters."""
    cells, ranks = _folded(found, detail)
    each = f"; {ranks} ranks per row" if ranks > 1 else ""
    return f"Matrix {_DENSITIES[::-1].strip()}: {units.data(_most(cells))}, then a third of it at each step{each}."


def _folded(found: Matrix, detail: Detail) -> tuple[list[list[int]], int]:
    """Return the matrix with at most the shown number of rows, and the ranks of each."""
    rows = len(found.bytes)
    fold = math.ceil(rows / detail.matrix_rows)
    cells = [
        [
            sum(sum(row[left : left + fold]) for row in found.bytes[top : top + fold])
            for left in range(0, rows, fold)
        ]
        for top in range(0, rows, fold)
    ]
    return cells, fold * found.ranks_per_row


def _most(cells: Sequence[Sequence[int]]) -> int:
    return max((cell for row in cells for cell in row), default=0)


def _density(cell: int, most: int) -> str:
    if cell == 0:
        return _DENSITIES[0]
    steps_down = int(math.log(most / cell) / math.log(3))
    return _DENSITIES[max(1, len(_DENSITIES) - 1 - steps_down)]
