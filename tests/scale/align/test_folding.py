"""Loops are found as the program has them."""

from linkworth.scale.align.folding import Grammar, align, fold, parse


def step(inner: int) -> list[int]:
    """Return one step of a program that sends (1), and answers (2, 3, 1) once for each further rank of a row."""
    return [0, 1, *[2, 3, 1] * inner]


def test_an_iteration_is_not_cut_while_its_inner_loop_goes_on() -> None:
    grammar = fold([9, *step(3) * 5, 8])
    for inner, steps in ((1, 5), (3, 2), (7, 9)):
        parse(grammar, [9, *step(inner) * steps, 8])


def test_a_loop_that_runs_in_no_sequence_has_no_place_in_the_alignment() -> None:
    grammar = Grammar((9, -1, -2, 8), [(1, 2), (3, -1)])
    sequences = [[9, 8], [9, 3, 1, 2, 3, 8]]
    for some in (sequences[:1], sequences):
        parses = [parse(grammar, each) for each in some]
        found = align(parses, [len(each) for each in some], unrolled=False)
        assert found.top[0] == 0 and found.loops == (0 if len(some) == 1 else 2)
