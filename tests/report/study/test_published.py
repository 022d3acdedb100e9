"""A paper beside hand-made results: differences, doubts and what is reached."""

import msgspec
import pytest
import study_samples as samples

from linkworth.model.study import Published, PublishedConclusion, PublishedNumber
from linkworth.report.study.published import compare_with_paper
from linkworth.report.study.results import Results
from linkworth.report.study.sections import published


def paper(*holds, predicted=False):
    """Return what `beside` gives of the sample with these conclusions; `predicted`: without its measured runs."""
    study, records = samples.interconnects()
    conclusions = [PublishedConclusion(what=text, holds=text, miss="Because.") for text in holds]
    table = Published(source="A paper", conclusions=conclusions)
    if predicted:
        records = [record for record in records if record.mode == "predict"]
    found = compare_with_paper(results(study, records, table))
    assert found is not None
    return found


def results(study, records, table):
    return Results(msgspec.structs.replace(study, published=table), records, samples.profiles())


def number(of, value, **more):
    return PublishedNumber(what="a number", of=of, value=value, **more)


# Class A in seconds: FT 4.5 on Ethernet and 0.9 on InfiniBand, EP 0.3 on both, measured with 1 % of noise.
@pytest.mark.parametrize("predicted", [False, True])
@pytest.mark.parametrize(
    ("holds", "reached"),
    [
        ("gain('npb:ft.A', 'gbe', 'ib-fdr') > 1", True),
        ("gain('npb:ft.A', 'gbe', 'ib-fdr') > 6", False),
        ("about(gain('npb:ft.A', 'gbe', 'ib-fdr'), 5)", True),
        ("about(gain('npb:ft.A', 'gbe', 'ib-fdr'), 5.5, 0.05)", False),
        ("equal(seconds('npb:ep.A', 'gbe'), seconds('npb:ep.A', 'ib-fdr'))", True),
        ("equal(seconds('npb:ft.A', 'gbe'), seconds('npb:ft.A', 'ib-fdr'))", False),
        ("not (gain('npb:ft.A', 'gbe', 'ib-fdr') < 1) and 1 < 2 < 3", True),
        ("seconds('npb:ft.A', 'gbe') < 1 or cost_usd('npb:ft.A', 'ib-fdr') < cost_usd('npb:ft.A', 'gbe')", True),
        ("cost_usd('npb:ep.A', 'ib-fdr') < cost_usd('npb:ep.A', 'gbe')", False),
        ("group('npb:ft.C') == 'highly dependent' and group('npb:ep.C') != 'low'", True),
        ("group('npb:ft.C') == 'low'", False),
        ("seconds('npb:ft.A', 'gbe') < seconds('npb:ft.B', 'gbe') < seconds('npb:ft.C', 'gbe')", True),
    ],
)  # fmt: skip
def test_a_conclusion_is_reached_if_the_results_support_it(holds, reached, predicted):
    [conclusion] = paper(holds, predicted=predicted).conclusions
    assert (conclusion.reached, conclusion.asked) == (reached, True)
    assert conclusion.miss == ("" if reached else "Because.")


def test_predictions_are_equal_in_either_order_or_in_none():
    study, _ = samples.interconnects()
    names = ["gbe", "ib-fdr"]
    for other, reached in ((1.049, True), (1.051, False)):
        records = [
            samples.record("npb:ep.A", name, "predict", metrics={"seconds": seconds})
            for name, seconds in zip(names, (1.0, other), strict=True)
        ]
        sides = [f"seconds('npb:ep.A', '{name}')" for name in names]
        texts = [f"equal({one}, {two})" for one, two in (sides, sides[::-1])]
        conclusions = [PublishedConclusion(what=text, holds=text) for text in texts]
        found = compare_with_paper(results(study, records, Published(source="A", conclusions=conclusions)))
        assert [conclusion.reached for conclusion in found.conclusions] == [reached, reached]


def test_what_lies_inside_the_doubt_is_not_reached():
    # EP's times differ by the noise alone.
    one = "seconds('npb:ep.A', 'gbe') < seconds('npb:ep.A', 'ib-fdr')"
    other = "seconds('npb:ep.A', 'gbe') > seconds('npb:ep.A', 'ib-fdr')"
    found = paper(one, other).conclusions
    assert [conclusion.reached for conclusion in found] == [False, False]
    assert sum("not in 95 % of the draws" in conclusion.miss for conclusion in found) == 1
    # 4.725 s, of which 4.2 s are transfer: 10 % of spread in bandwidth makes 4.8 s possible, and 10 s not.
    found = paper("seconds('npb:ft.A', 'gbe') < 4.8", "seconds('npb:ft.A', 'gbe') < 10", predicted=True)
    assert [conclusion.reached for conclusion in found.conclusions] == [False, True]


def test_three_runs_of_each_support_less_than_their_bootstrap_does():
    # Means 10.13 and 10.40, 1.8 standard errors apart: one-sided, Student's t leaves a chance of 7 %.
    times = {"gbe": [10.0, 10.1, 10.3], "ib-fdr": [10.4, 10.2, 10.6]}
    study, _ = samples.interconnects()
    records = [
        samples.record("npb:ep.A", name, repetition=n, metrics={"seconds": seconds})
        for name, found in times.items()
        for n, seconds in enumerate(found)
    ]
    holds = "seconds('npb:ep.A', 'gbe') < seconds('npb:ep.A', 'ib-fdr')"
    conclusion = PublishedConclusion(what="a conclusion", holds=holds, source="table 1", miss="Because.")
    found = compare_with_paper(results(study, records, Published(source="a paper", conclusions=[conclusion])))
    assert not found.conclusions[0].reached and "not in 95 % of the draws" in found.conclusions[0].miss


def test_what_has_no_value_or_is_not_asked_is_not_reached():
    nothing, absent = paper(
        "retransmits('npb:ft.A', 'gbe') > 0", "gain('npb:ft.D', 'gbe', 'ib-fdr') > 1"
    ).conclusions
    assert (nothing.reached, nothing.asked, nothing.miss) == (None, True, "")
    assert nothing.shown == "npb:ft.A on gbe has no value of retransmits"
    assert (absent.reached, absent.asked, absent.miss) == (False, False, "This scale does not run npb:ft.D.")


def test_numbers_are_compared_in_the_papers_unit():
    study, records = samples.interconnects()
    table = Published(
        source="A paper",
        numbers=[
            number("seconds('npb:ft.A', 'gbe')", 4725.0, unit="ms", scale=1e-3),
            number("seconds('npb:ft.A', 'gbe')", 9.0, unit="s", miss="Why."),
            number("seconds('npb:ft.A', 'gbe')", 4.7, unit="s", rounding=0.1, miss="Why."),
            number("seconds('npb:ft.D', 'gbe')", 1.0, unit="s"),
        ],
    )
    predicted = [record for record in records if record.mode == "predict"]
    found = compare_with_paper(results(study, predicted, table))
    assert found is not None
    exact, far, rounded, absent = found.numbers
    assert exact.difference == pytest.approx(0, abs=1e-9)
    assert exact.low is not None and exact.low < 4725 < exact.high
    assert (far.difference, far.miss) == (pytest.approx(4.725 / 9 - 1), "Why.")
    assert (rounded.difference, rounded.miss) == (0, "")
    assert (absent.ours, absent.difference) == (None, None)
    assert len(found.compared) == 3 and found.median_difference == pytest.approx(0, abs=1e-9)
    paper = compare_with_paper(results(study, predicted, table))
    assert paper is not None
    section = published.section(paper)
    assert section.title == "Compared with the paper"
    assert [len(table.rows) for table in section.tables] == [3]
