"""Rows of the report's tables."""

from pathlib import Path

from report import samples

from linkworth.report import tables, write


def test_efficiencies_that_are_not_known_are_said_and_why() -> None:
    item = samples.without_replays()
    facts = dict(tables.facts(item))
    assert (facts["serialisation efficiency"], facts["transfer efficiency"]) == ("not known", "not known")
    assert facts["load balance"] == "95 %"
    assert "Serialisation is not known, because a replay stops." in tables.warnings(item)
    assert not any("replay stops" in sentence for sentence in tables.warnings(samples.item()))


def test_the_page_of_such_a_program_has_its_other_figures(tmp_path: Path) -> None:
    write([samples.without_replays()], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "group by its trend: not known" in page
    assert "<b>Why not known:</b> this trace lacks messages" in page
    assert "None" not in page.split("<section", 1)[1].split("<script", 1)[0]
