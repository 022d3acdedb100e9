"""The page of a study in a real browser: sorting, escaping, widths, dark and light, downloads, and no network."""

import json

import pytest

pytestmark = pytest.mark.requires("chromium")


@pytest.fixture
def page(browser, study_page):
    with browser.visit(study_page):
        yield browser


def column(page, table, number):
    script = f"""JSON.stringify([...document.querySelectorAll("#{table} tbody tr")]
        .map((row) => row.cells[{number}].querySelector("bdi").textContent))"""
    return list(json.loads(page.evaluate(script)))


def press_head(page, table, number):
    script = f"""(() => {{ const head = document.querySelectorAll("#{table} thead th")[{number}];
        head.querySelector("button").click(); return head.getAttribute("aria-sort"); }})()"""
    return page.evaluate(script)


def test_heads_sort_by_value_or_as_words_and_back(page):
    before = column(page, "costs", 3)
    assert press_head(page, "costs", 3) == "ascending"
    up = column(page, "costs", 3)
    assert press_head(page, "costs", 3) == "descending"
    down = column(page, "costs", 3)
    assert sorted(before) == sorted(up) == sorted(down) and before != up
    assert up[0].endswith("ms") and up[-1] == "75.6 s", "seconds are sorted by their value, not as text"
    assert down[0] == "75.6 s"
    press_head(page, "costs", 1)
    names = column(page, "costs", 1)
    assert names == sorted(names)


def test_it_says_what_was_measured_and_where(page):
    facts = page.text("#facts")
    expected = "124 measured; 18 predicted; 2 not done; Open MPI 4.1.4; ob1 (tcp,self); 2026-03-01"
    assert not [each for each in expected.split("; ") if each not in facts]
    assert page.evaluate('getComputedStyle(document.querySelector("td.predicted bdi")).fontStyle') == "italic"


def test_ids_are_unique_and_every_link_leads_to_one(page):
    missing = page.evaluate(
        """JSON.stringify([...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute("href"))
        .filter((target) => !document.getElementById(target.slice(1))))"""
    )
    assert json.loads(missing) == []
    script = """(() => { const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
        return JSON.stringify(ids.filter((id, n) => ids.indexOf(id) !== n)); })()"""
    assert json.loads(page.evaluate(script)) == []


def test_dark_and_light_have_ink_that_can_be_read(page):
    for scheme, dark in (("dark", True), ("light", False)):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        paper, ink = (
            page.evaluate(
                f"getComputedStyle(document.body).{name}.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
            )
            for name in ("backgroundColor", "color")
        )
        assert (paper < ink) is dark and abs(paper - ink) > 400
    page.call("Emulation.setEmulatedMedia", features=[])


def test_hostile_names_are_text(browser, hostile_folder):
    with browser.visit(hostile_folder / "report.html"):
        assert browser.evaluate("document.querySelectorAll('img').length") == 0
        assert browser.evaluate("document.scripts.length") == 1
        assert "<script>alert(1)" in browser.text("h1")
