"""Loops are found as the program has them."""

from linkworth.scale.align.folding import fold, parse


def step(inner: int) -> list[int]:
    """Return one step of a program that sends (1), and answers (2, 3, 1) once for each further rank of a row."""
    return [0, 1, *[2, 3, 1] * inner]


def test_an_iteration_is_not_cut_while_its_inner_loop_goes_on() -> None:
    grammar = fold([9, *step(3) * 5, 8])
    for inner, steps in ((1, 5), (3, 2), (7, 9)):
        parse(grammar, [9, *step(inner) * steps, 8])
