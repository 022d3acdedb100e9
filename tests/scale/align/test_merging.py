"""A grammar of sequences of which each lacks parts of the others."""

from linkworth.scale.align.folding import fold, parse
from linkworth.scale.align.merging import merge


def test_parts_that_only_one_sequence_has_may_be_missing() -> None:
    one = [0, *[1, 2, 3] * 2, 4, *[7, *[5, 6] * 3] * 4, 8]
    other = [0, 1, 2, 3, *[1, 9, 3] * 2, 4, *[7, 5, 6, 5, 6] * 5, 8]
    both = merge(fold(one), fold(other))
    assert both is not None
    for each in (one, other, [0, 4, 7, 8]):
        parse(both, each)


def test_sequences_that_share_little_are_not_merged() -> None:
    assert merge(fold([0, 1, 2, 3, 4, 5]), fold([0, 6, 7, 8, 9, 5])) is None
