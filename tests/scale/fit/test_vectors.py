"""Counts of vector collectives at which no rank count divides the data."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import Event, calls, communicator, exchanged, scaled, scales_exactly

SIDES = (70, 66, 90)
GRIDS = {4: (2, 2), 8: (4, 2), 9: (3, 3), 16: (4, 4), 25: (5, 5), 32: (8, 4), 36: (6, 6), 64: (8, 8)}


def part(extent: int, parts: int, place: int) -> int:
    return extent // parts + (place < extent % parts)


def transposed(rank: int, ranks: int) -> Iterator[Event]:
    """Cut three sides into pencils, and turn them in each row and column of ranks, as Fourier transforms do."""
    rows, columns = GRIDS[ranks]
    row, column = divmod(rank, columns)
    groups = [
        [row * columns + each for each in range(columns)],
        [each * columns + column for each in range(rows)],
    ]
    for number, members in enumerate(groups):
        yield communicator(f"Comm_split@pencils.c:{number}", 2 + number, members)
    first = [part(SIDES[0], columns, each) for each in range(columns)]
    second = [[part(SIDES[1], parts, each) for each in range(parts)] for parts in (columns, rows)]
    third = [part(SIDES[2], rows, each) for each in range(rows)]
    around_row = [16 * each * second[0][column] * third[row] for each in first]
    back_row = [16 * first[column] * each * third[row] for each in second[0]]
    around_column = [16 * first[column] * each * third[row] for each in second[1]]
    back_column = [16 * first[column] * second[1][row] * each for each in third]
    for number, (sent, received) in enumerate([(around_row, back_row), (around_column, back_column)]):
        yield exchanged(f"Alltoallv@pencils.c:{10 + number}", sent, received, comm=2 + number)


def sorted_keys(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange keys that are by no rule, but as many for all on the most ranks."""
    even = 96_000 // ranks**2
    uneven = 0 if ranks == 16 else 8
    counts = [even + uneven * ((rank * each) % 3) for each in range(ranks)]
    received = [even + uneven * ((each * rank) % 3) for each in range(ranks)]
    yield exchanged("Alltoallv@keys.c:1", counts, received)


@pytest.mark.parametrize("counts", [(4, 8, 16, 32, 64), (4, 9, 16, 25, 36)])
def test_pencils_are_turned_in_parts_along_each_side(counts: tuple[int, ...], tmp_path: Path) -> None:
    scales_exactly(transposed, counts, tmp_path)


def test_counts_by_no_rule_are_no_multiples_of_those_of_the_largest_recording(tmp_path: Path) -> None:
    made, _ = scaled(sorted_keys, (4, 8, 16), 32, tmp_path)
    counts = [sum(fields["send_counts"]) for _, _, fields in calls(made, 5) if fields.get("send_counts")]
    assert counts == [pytest.approx(96_000 / 32, rel=0.1)]
