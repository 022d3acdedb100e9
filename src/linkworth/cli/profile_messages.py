"""Messages in a profile's screen: sizes and communication partners."""

import math
from collections.abc import Sequence

from rich.console import Group
from rich.text import Text

from linkworth.cli.profile_detail import Detail
from linkworth.cli.profile_times import bar, compact, headline
from linkworth.cli.units import volume
from linkworth.model.profile import Matrix, Pair, Partners, Profile, SizeBin

_SHOWN_PAIRS = 3
_DENSITIES = " .:-=+*#%@"


def messages(profile: Profile, detail: Detail) -> Group:
    """Return the sizes with most bytes, or with most messages if all are empty."""
    if not profile.messages:
        return Group(headline("No messages between ranks"))
    table = compact()
    for _ in range(3):
        table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    heaviest = sorted(profile.message_sizes, key=lambda size: (-size.bytes, -size.messages))[: detail.sizes]
    for size in sorted(heaviest, key=lambda size: size.lowest_bytes):
        share = size.bytes / profile.message_bytes if profile.message_bytes else 0.0
        table.add_row(
            "  " + _range(size),
            f"{size.messages:,} messages",
            volume(size.bytes),
            f"{share:4.0%} {bar(share)}",
        )
    title = headline(f"{profile.messages:,} messages, {volume(profile.message_bytes)}")
    left = len(profile.message_sizes) - len(heaviest)
    others = [Text(f"  and {left} size{'s' if left > 1 else ''} with fewer bytes (--full)")] if left else []
    return Group(title, table, *others)


def _range(size: SizeBin) -> str:
    if size.highest_bytes <= 1:
        return f"{size.lowest_bytes} B"
    return f"{size.lowest_bytes:,} to {size.highest_bytes:,} B"


def in_words(partners: Partners, profile: Profile, detail: Detail) -> str:
    """Return the communication partners in words."""
    total = profile.message_bytes or 1
    near = f" ({partners.structure_share:.0%} of the bytes)" if 0 < partners.structure_share < 0.995 else ""
    where = (
        f"{partners.between_nodes_bytes / total:.0%} between the {partners.nodes} nodes "
        f"({volume(partners.between_nodes_bytes)}, {partners.between_nodes_messages:,} messages)"
        if partners.nodes > 1
        else "all on one node"
    )
    sentences = [f"Nearest structure: {partners.structure}{near}; {where}."]
    if partners.heaviest:
        each = profile.matrix.ranks_per_row
        pairs = ", ".join(
            _pair(pair, each) for pair in partners.heaviest[: 1 if detail.brief else _SHOWN_PAIRS]
        )
        sentences.append(f"Heaviest: {pairs}.")
    if partners.distances and partners.structure == "irregular":
        far = ", ".join(f"{item.ranks:+d} ({item.bytes / total:.0%})" for item in partners.distances[:4])
        sentences.append(f"Distances to - from: {far}.")
    return " ".join(sentences)


def _pair(pair: Pair, each: int) -> str:
    def ranks(first: int) -> str:
        return str(first) if each == 1 else f"{first}-{first + each - 1}"

    return f"{ranks(pair.source)} to {ranks(pair.destination)} {volume(pair.bytes)}"


def matrix(found: Matrix, detail: Detail) -> Text:
    """Return one character for each pair, in ten logarithmic densities; large matrices are grouped."""
    cells, ranks = _folded(found, detail)
    most = _most(cells)
    width = len(str((len(cells) - 1) * ranks))
    lines = [
        f"{number * ranks:>{width}} |{''.join(_density(cell, most) for cell in row)}|"
        for number, row in enumerate(cells)
    ]
    text = Text("From row to column\n", style="bold", no_wrap=True)
    text.append("\n".join(lines), style="not bold")
    return text


def matrix_key(found: Matrix, detail: Detail) -> str:
    """Return the meaning of the matrix's letters."""
    cells, ranks = _folded(found, detail)
    each = f"; {ranks} ranks a row" if ranks > 1 else ""
    return f"Letters {_DENSITIES[::-1].strip()}: from {volume(_most(cells))}, each a third of the one before{each}."


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
