"""The `[published]` table: its expressions, and what is wrong in it."""

import pytest

from linkworth.errors import UsageError
from linkworth.study.definition.expression import Selection, parse
from linkworth.study.definition.file import load
from linkworth.study.definition.published import times_of

STUDY = """\
workloads = ["npb:ft.${class}", "npb:is.B"]
environments = ["gbe", "ib-fdr"]
mode = "predict"
ranks = 4
nodes = 2

[variables]
class = ["A", "B"]

[published]
source = "A paper"

[[published.numbers]]
unit = "min"
rounding = 0.5
[published.numbers.values]
"npb:ft.A" = { gbe = 2, ib-fdr = 1.5 }

[published.misses]
"npb:ft.B" = "A slow run."
"npb:ft.*" = "A small cache."

[[published.numbers]]
what = "InfiniBand for FT.${class}"
of = "gain('npb:ft.${class}', 'gbe', 'ib-fdr') - 1"
value = 50
unit = "%"

[[published.conclusions]]
what = "InfiniBand is faster for IS"
holds = "gain('npb:is.B', 'gbe', 'ib-fdr') > 1"
miss = "It is not."
"""


def loaded(tmp_path, *changes):
    text = STUDY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "study.toml"
    path.write_text(text)
    return load(path)


def test_each_value_is_a_number_with_its_expression(tmp_path):
    published = loaded(tmp_path).published
    assert [(number.what, number.of, number.value) for number in published.numbers] == [
        ("npb:ft.A on gbe", "seconds('npb:ft.A', 'gbe')", 2),
        ("npb:ft.A on ib-fdr", "seconds('npb:ft.A', 'ib-fdr')", 1.5),
        ("InfiniBand for FT.A", "gain('npb:ft.A', 'gbe', 'ib-fdr') - 1", 50),
        ("InfiniBand for FT.B", "gain('npb:ft.B', 'gbe', 'ib-fdr') - 1", 50),
    ]
    assert [number.miss for number in published.numbers] == [*3 * ["A small cache."], "A slow run."]
    assert (published.numbers[0].scale, published.numbers[2].scale) == (60, 0.01)
    assert [conclusion.miss for conclusion in published.conclusions] == ["It is not."]
    assert times_of(published, "ib-fdr") == {"npb:ft.A": 90}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('unit = "min"', 'unit = "minn"'), r":14: published.numbers\[0\].unit: 'minn' is no unit here; did you mean min"),
        (("gbe = 2", "gbe = true"), r"published.numbers\[0\]"),
        (("gbe = 2", "eth = 2"), "no environment is called 'eth'"),
        (("'npb:is.B', 'gbe'", "'npb:is.C', 'gbe'"), "no workload is called 'npb:is.C'; did you mean npb:is.B"),
        (("value = 50\n", ""), "a number with `of` also needs `what` and `value`"),
        (("> 1", ""), r":31: published.conclusions\[0\].holds: .* is not a comparison, which is true or not"),
        (("gain('npb:is.B'", "gains('npb:is.B'"), r"gains\(...\) takes a workload and an environment"),
        (("gain('npb:is.B', 'gbe', 'ib-fdr')", "secnds('npb:is.B', 'gbe')"), "no metric is called 'secnds'; did you mean"),
        (('"npb:ft.B" = "A', '"npb:lu.B" = "A'), r":20: published.misses.npb:lu.B: no number is of a workload like 'npb:lu.B'"),
        (("miss =", "mis ="), "there is no such key; did you mean miss"),
        (('source = "A paper"\n', ""), "published: source is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_with_its_line(tmp_path, change, sentence):
    with pytest.raises(UsageError, match=sentence) as error:
        loaded(tmp_path, change)
    assert "\n" not in str(error.value)


def test_an_expression_names_its_results_once():
    found = parse("2 * seconds('a', 'x') < gain('a', 'x', 'y') < 3 and group('b') == 'low'")
    assert set(found.selections) == {
        Selection("seconds", "a", "x"),
        Selection("seconds", "a", "y"),
        Selection("group", "b", ""),
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "x",
        "True",
        "gain('a', 'b')",
        "gain('a', 'b', 'c') == 1",
        "(1 > 2) + 3",
        "'low' < 1",
        "a.b('x', 'y') > 1",
        "__import__('os').system('x')",
        "seconds('a', 'b', x=1)",
        "equal(1, 2)",
        "about(seconds('a', 'b'))",
        "[x for x in y]",
        "(" * 300 + ")" * 300,
        "-" * 20000 + "1",
    ],
)
def test_nothing_else_is_understood(text):
    with pytest.raises(UsageError):
        parse(text)
