"""Every kind of page in a real browser: nothing scrolls sideways, labels are legible, apart and whole."""

import pytest
from msgspec.structs import replace
from report import samples
from report.chromium import Page
from report.study import study_samples

from linkworth import report
from linkworth.model.profile import Matrix
from linkworth.model.scaling import LeftOut, Scaling
from linkworth.report.study.contents import contents
from linkworth.report.study.request import render
from linkworth.report.study.results import Results

pytestmark = pytest.mark.requires("chromium")

FAULTS = """(() => {
  const faults = [];
  const name = (text) => JSON.stringify(text.textContent.trim().slice(0, 40));
  if (document.documentElement.scrollWidth > innerWidth)
    faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  for (const chart of document.querySelectorAll("svg.chart")) {
    const frame = chart.getBoundingClientRect();
    if (!frame.width) continue;
    const where = chart.getAttribute("aria-label").slice(0, 60);
    const texts = [...chart.querySelectorAll("text")].filter((text) => text.textContent.trim());
    const letters = Math.min(...texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a || 99));
    if (letters < 8) faults.push(`${where}: letters of ${letters.toFixed(1)} px`);
    const boxes = texts.map((text) => text.getBoundingClientRect());
    boxes.forEach((a, i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        faults.push(`${where}: ${name(texts[i])} is cut`);
      for (let j = i + 1; j < boxes.length; j++) {
        const b = boxes[j];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)
          faults.push(`${where}: ${name(texts[i])} is over ${name(texts[j])}`);
      }
    });
  }
  for (const cell of document.querySelectorAll("th, td, dd, dt, figcaption, h1, h2, h3")) {
    if (cell.closest("thead")?.clientWidth <= 1 || getComputedStyle(cell).display === "inline") continue;
    if (cell.clientWidth > 1 && cell.scrollWidth > cell.clientWidth + 1)
      faults.push(`${name(cell)} leaves its cell`);
  }
  for (const box of document.querySelectorAll(".scroll"))
    if (innerWidth < 1000 && box.scrollWidth > box.clientWidth + 1)
      faults.push(`table ${name(box.parentElement)} needs ${box.scrollWidth} of ${box.clientWidth} px`);
  return faults;
})()"""


@pytest.fixture(scope="module")
def pages(page_file, one_program_file, hostile_file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("layout")
    found = {"several programs": page_file, "one program": one_program_file, "hostile names": hostile_file}
    studies = {
        "interconnects": Results(*study_samples.interconnects(), study_samples.profiles()),
        "networks": Results(*study_samples.networks()),
        "hostile study": Results(*study_samples.hostile()),
    }
    before = Results(*study_samples.interconnects(slower=1.3))
    for name, results in studies.items():
        found[name] = folder / f"{name}.html"
        other = before if name == "interconnects" else None
        found[name].write_bytes(render(results, list(contents(results, other))))
    found |= _pages_of_programs(folder)
    return found


def _pages_of_programs(folder):
    """Write pages with a decision over the nodes, scaled traces, a choice in doubt, and a damaged and failed program."""
    left_out = LeftOut(ranks=8, calls=0, messages=0, bytes=0, compute=0, seconds={"gbe": -0.25})
    scaling = Scaling(ranks=[4, 8], grid=[16], roles="all", role_count=1, left_out=left_out, uneven=1.5)
    whole = samples.item()
    assert whole.metadata is not None
    places = [
        replace(
            samples.item(compute=0.2 / nodes),
            predictions=replace(whole.predictions, nodes=nodes),
            metadata=replace(whole.metadata, scaling=scaling if nodes > 4 else None),
        )
        for nodes in (2, 4, 8)
    ]
    sent = [[40_000 * 3 ** ((i + j) % 5) for j in range(16)] for i in range(16)]
    doubtful = replace(
        whole,
        advice=replace(whole.advice, choice=None, too_close=["ib-hdr", "gbe", "100gbe"]),
        profile=replace(whole.profile, matrix=Matrix(ranks_per_row=1, bytes=sent)),
    )
    pages = {
        "several node counts": places,
        "in doubt": [doubtful],
        "long name of a network": [samples.renamed(whole, "gbe", "gigabit-" * 25)],
        "damaged": [samples.without_replays(), samples.item("failed", verified=False)],
    }
    found = {}
    for name, items in pages.items():
        found[name] = folder / f"{name}.html"
        report.write(items, found[name])
    return found


@pytest.mark.slow  # a browser draws each page in four ways
def test_every_page_fits_in_both_widths_and_schemes(pages):
    faults = []
    with Page() as browser:
        for name, path in pages.items():
            browser.open(path, width=1400)
            for scheme in ("light", "dark"):
                browser.call(
                    "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
                )
                for width in (1400, 390):
                    browser.size(width, 900, mobile=width == 390)
                    faults += [f"{name}, {width} px, {scheme}: {fault}" for fault in browser.evaluate(FAULTS)]
    assert not faults, "\n".join(faults)


def test_the_heaviest_cell_of_a_heat_map_stands_out_in_both_schemes(page_file):
    heaviest = """(() => { const cells = [...document.querySelectorAll('[aria-roledescription="rect mark"][fill^="rgb("]')];
        const sum = (cell) => cell.getAttribute("fill").match(/\\d+/g).reduce((a, b) => a + +b, 0);
        const { x, y, width, height } = cells.sort((a, b) => sum(a) - sum(b))[0].getBoundingClientRect();
        return { x: x + scrollX + width / 2, y: y + scrollY + height / 2 }; })()"""
    with Page() as browser:
        browser.open(page_file, width=1400)
        for scheme in ("light", "dark"):
            browser.call(
                "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
            )
            card = browser.evaluate(
                "getComputedStyle(document.querySelector('figure')).backgroundColor.match(/\\d+/g).map(Number)"
            )
            cell = browser.pixel(**browser.evaluate(heaviest))
            assert abs(sum(cell) - sum(card)) > 400, (scheme, cell, card)
