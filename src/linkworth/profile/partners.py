"""Communication partners in short: the nearest simple structure, the heaviest pairs, within and between nodes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from linkworth.model.profile import Distance, Matrix, Partners, RankPair
from linkworth.profile.scan import TraceScan

NEAR = 0.9
"""Least share of the bytes that a named structure explains."""
PRESENT = 0.02
"""Least share of a grid's direction or a butterfly's step; below it the structure is a smaller one."""
EVEN = 0.25
"""Least part of an even share that each distance carries if all talk to all."""
HEAVIEST_PAIRS = 5
MOST_DISTANCES = 16


def partners(found: TraceScan, nodes: Sequence[int]) -> Partners:
    """Return the communication partners. `nodes`: the node of each rank."""
    structure, share = _structure(len(found.ranks), found.distances, found.matrix)
    heaviest = sorted(found.distances, key=lambda item: (-item.bytes, -item.messages, abs(item.ranks)))
    return Partners(
        structure=structure,
        structure_share=share,
        heaviest=_heaviest(found.matrix),
        distances=heaviest[:MOST_DISTANCES],
        nodes=len(set(nodes)) or 1,
        between_nodes_messages=found.between_nodes_messages,
        between_nodes_bytes=found.between_nodes_bytes,
    )


def _heaviest(matrix: Matrix) -> list[RankPair]:
    pairs = [
        RankPair(source=row * matrix.ranks_per_row, destination=column * matrix.ranks_per_row, bytes=size)
        for row, line in enumerate(matrix.bytes)
        for column, size in enumerate(line)
        if size > 0
    ]
    return sorted(pairs, key=lambda pair: (-pair.bytes, pair.source, pair.destination))[:HEAVIEST_PAIRS]


def _structure(ranks: int, distances: Sequence[Distance], matrix: Matrix) -> tuple[str, float]:
    by_bytes = any(item.bytes for item in distances)
    total = sum(item.bytes if by_bytes else item.messages for item in distances)
    if total == 0:
        return "no messages", 1.0
    shares: dict[int, float] = defaultdict(float)
    """Shares by distance without sign, the shorter way around."""
    for item in distances:
        apart = abs(item.ranks) % ranks
        shares[min(apart, ranks - apart)] += (item.bytes if by_bytes else item.messages) / total
    if ranks == 1:
        return "one rank with itself", 1.0
    if ranks == 2:
        return "one pair", 1.0
    return (
        _star(matrix, ranks)
        or _ring(shares)
        or _all_with_all(shares, matrix, ranks)
        # Two directions describe the data in fewer words than a butterfly's steps, of which light messages may be some.
        or _plane(shares, ranks, diagonals=False)
        or _butterfly(shares, ranks)
        or _box(shares, ranks, diagonals=False)
        or _plane(shares, ranks, diagonals=True)
        or _box(shares, ranks, diagonals=True)
        or ("irregular", 0.0)
    )


def _star(matrix: Matrix, ranks: int) -> tuple[str, float] | None:
    total = sum(map(sum, matrix.bytes))
    if matrix.ranks_per_row > 1 or ranks < 4 or total == 0:
        return None
    through = [
        sum(row) + sum(line[number] for line in matrix.bytes) for number, row in enumerate(matrix.bytes)
    ]
    centre = max(range(ranks), key=through.__getitem__)
    share = through[centre] / total
    return (f"star around rank {centre}", share) if share >= NEAR else None


def _ring(shares: Mapping[int, float]) -> tuple[str, float] | None:
    share = shares.get(1, 0.0)
    return ("chain or ring of neighbouring ranks", share) if share >= NEAR else None


def _all_with_all(shares: Mapping[int, float], matrix: Matrix, ranks: int) -> tuple[str, float] | None:
    talking = sum(size > 0 for row in matrix.bytes for size in row)
    if talking < NEAR * ranks * (ranks - 1) / matrix.ranks_per_row**2:
        return None
    even = 1 / (ranks - 1)
    for apart in range(1, ranks // 2 + 1):
        expected = even if 2 * apart == ranks else 2 * even
        if shares.get(apart, 0.0) < EVEN * expected:
            return None
    return "all with all", 1.0 - shares.get(0, 0.0)


def _butterfly(shares: Mapping[int, float], ranks: int) -> tuple[str, float] | None:
    if ranks & (ranks - 1) or ranks < 8:
        return None
    steps = [1 << step for step in range(ranks.bit_length() - 1)]
    share = sum(shares.get(step, 0.0) for step in steps)
    if share < NEAR or min(shares.get(step, 0.0) for step in steps) < PRESENT:
        return None
    return "butterfly (ranks that differ by powers of two)", share


def _widths(ranks: int) -> list[int]:
    return [width for width in range(2, ranks // 2 + 1) if ranks % width == 0]


def _plane(shares: Mapping[int, float], ranks: int, *, diagonals: bool) -> tuple[str, float] | None:
    """Find the row-major grid of two dimensions, open or closed, that matches best."""
    best: tuple[str, float] | None = None
    for width in _widths(ranks):
        share = _explained(shares, ranks, [1, width], diagonals)
        best = _better(best, f"grid {ranks // width} x {width}", share, diagonals)
    return best


def _box(shares: Mapping[int, float], ranks: int, *, diagonals: bool) -> tuple[str, float] | None:
    """Find the row-major grid of three dimensions, open or closed, that matches best."""
    best: tuple[str, float] | None = None
    widths = _widths(ranks)
    for width in widths:
        for plane in (plane for plane in widths if plane > width and plane % width == 0):
            share = _explained(shares, ranks, [1, width, plane], diagonals)
            title = f"grid {ranks // plane} x {plane // width} x {width}"
            best = _better(best, title, share, diagonals)
    return best


def _better(
    best: tuple[str, float] | None, title: str, share: float, diagonals: bool
) -> tuple[str, float] | None:
    if share < NEAR or (best is not None and best[1] >= share):
        return best
    return title + (" with diagonals" if diagonals else ""), share


def _explained(shares: Mapping[int, float], ranks: int, steps: list[int], diagonals: bool) -> float:
    """Return the share of the bytes along a grid with neighbours at `steps`; 0 if a direction has none."""
    directions = []
    for step, whole in zip(steps, [*steps[1:], ranks], strict=True):
        around = whole - step
        directions.append({step, min(around, ranks - around)})
    if any(sum(shares.get(apart, 0.0) for apart in direction) < PRESENT for direction in directions):
        return 0.0
    reached = set().union(*directions)
    if diagonals:
        for direction in directions[1:]:
            for apart in list(direction):
                for other in directions[0]:
                    reached |= {abs(apart - other) % ranks, (apart + other) % ranks}
    folded = {min(apart, ranks - apart) for apart in reached}
    return sum(shares.get(apart, 0.0) for apart in folded)
