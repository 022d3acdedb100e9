"""The page in a real browser: sliders, escaping, widths, and no network."""

import json
import re

import msgspec
import pytest
from report import samples

from linkworth import report
from linkworth.report import whatif
from linkworth.report.sensitivity import interpolated
from linkworth.units import CostScale, duration

pytestmark = pytest.mark.requires("chromium")

FT, GBE, IB_FDR = 1, 0, 2


@pytest.fixture
def page(browser, page_file):
    with browser.visit(page_file):
        yield browser


def move(page, group, what, value):
    page.evaluate(
        f"""(() => {{ const slider = document.querySelector('[data-group="{group}"] input[data-what="{what}"]');
        slider.value = {value}; slider.dispatchEvent(new Event("input", {{ bubbles: true }})); }})()"""
    )


def shown(page, program, option, what):
    return page.text(f'[data-program="{program}"] [data-option="{option}"] .{what}')


def choice(page, program):
    return page.text(f'[data-program="{program}"] td.choice')


@pytest.mark.parametrize(("latency", "bandwidth"), [(6, 0), (3, 3), (4.5, 1.25), (0, 5.9375)])
def test_time_and_cost_follow_the_sliders(page, latency, bandwidth):
    item = samples.three()[FT]
    move(page, GBE, "latency", latency)
    move(page, GBE, "bandwidth", bandwidth)
    seconds = interpolated(item.grids[GBE], latency, bandwidth)
    scale = CostScale(whatif.build(samples.three(), 1000).runs)
    assert shown(page, FT, GBE, "time") == duration(seconds)
    assert shown(page, FT, GBE, "cost") == scale.text(seconds * samples.NODES * samples.PRICES["gbe"] / 3600)
    assert shown(page, FT, IB_FDR, "time") == duration(item.predictions.predictions[IB_FDR].seconds)


def test_a_price_changes_cost_and_choice_but_not_time(page):
    before = shown(page, FT, IB_FDR, "time")
    assert choice(page, FT) == "ib-fdr"
    move(page, IB_FDR, "price", 100)
    assert shown(page, FT, IB_FDR, "time") == before
    seconds = samples.three()[FT].predictions.predictions[IB_FDR].seconds
    doubled = seconds * samples.NODES * 2 * samples.PRICES["ib-fdr"] / 3600
    assert shown(page, FT, IB_FDR, "cost") == CostScale(1000).text(doubled)
    assert choice(page, FT) == "10gbe"
    assert page.evaluate('document.querySelectorAll("[data-program] .chosen").length') == 3


def test_reset_takes_everything_back(page):
    table = page.text("table.results")
    move(page, GBE, "bandwidth", 0)
    move(page, IB_FDR, "price", 200)
    assert page.text("table.results") != table
    page.evaluate('document.getElementById("what-if-reset").click()')
    assert page.text("table.results") == table


def test_the_table_is_right_before_a_slider_moves(page, page_file):
    """At the start, the script shows the text that the file has for readers without scripts."""
    for program, item in enumerate(samples.three()):
        for option, prediction in enumerate(item.predictions.predictions):
            assert shown(page, program, option, "time") == duration(prediction.seconds)
        assert choice(page, program) == item.advice.choice
        ratio = item.advice.breakeven_price_ratio
        assert ratio is not None
        assert float(page.text(f'[data-program="{program}"] .breakeven')) == pytest.approx(ratio, rel=0.005)


def test_a_slider_leaves_the_digits_of_other_networks(browser, tmp_path):
    report.write([samples.item(compute=5_678_901.0)], tmp_path / "long.html")
    with browser.visit(tmp_path / "long.html"):
        before = [shown(browser, 0, GBE, what) for what in ("time", "cost")]
        assert all(len(re.findall(r"[1-9]", text)) > 3 for text in before), before
        move(browser, IB_FDR, "price", 100)
        assert [shown(browser, 0, GBE, what) for what in ("time", "cost")] == before


def test_a_free_node_has_no_slider_of_its_price(browser, tmp_path):
    item = samples.item()
    free = [
        msgspec.structs.replace(option, price_usd_per_node_hour=0.0, cost_usd=0.0)
        if option.fabric == "gbe"
        else option
        for option in item.advice.options
    ]
    path = tmp_path / "free.html"
    advice = msgspec.structs.replace(item.advice, options=free, choice="gbe")
    report.write([msgspec.structs.replace(item, advice=advice)], path)
    with browser.visit(path):
        assert browser.evaluate("document.querySelectorAll('input[data-what=price]').length") == 3
        assert choice(browser, 0) == "gbe"
        for group in range(1, 4):
            move(browser, group, "price", 0)
        # All nodes are free: as in the advice, the fastest network is chosen.
        assert choice(browser, 0) == "ib-hdr"


def test_a_page_without_prices_and_sliders_names_neither(browser, tmp_path):
    path = tmp_path / "unpriced.html"
    report.write([samples.unpriced(samples.item())], path)
    with browser.visit(path):
        assert "cost" not in browser.text("table.summary caption").lower()
        broken = """[...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute("href"))
            .filter((target) => !document.querySelector(target))"""
        assert browser.evaluate(broken) == []


def test_a_node_with_too_few_cores_is_never_chosen(browser, tmp_path):
    item = samples.item("npb:ep.W", compute=0.4, latencies=12, volume=0)
    small, *others = sorted(item.advice.options, key=lambda option: option.cost_usd)
    small = msgspec.structs.replace(small, cores=2, feasible=False, why_not=["cores"])
    advice = msgspec.structs.replace(item.advice, options=[small, *others], choice=others[0].fabric)
    path = tmp_path / "cores.html"
    report.write([msgspec.structs.replace(item, advice=advice)], path)
    with browser.visit(path):
        assert choice(browser, 0) == others[0].fabric
        move(browser, 0, "latency", 2)
        assert choice(browser, 0) == others[0].fabric


def test_a_key_moves_a_slider_and_the_result_is_announced(page):
    page.evaluate("""document.querySelector('[data-group="0"] input[data-what="latency"]').focus()""")
    before = page.text('[data-group="0"] output[data-what="latency"]')
    page.press("ArrowRight")
    spoken = page.evaluate("""document.activeElement.getAttribute("aria-valuetext")""")
    assert spoken != before
    assert spoken == page.text('[data-group="0"] output[data-what="latency"]')
    page.evaluate("new Promise((done) => setTimeout(done, 400))")
    status = page.text("#what-if-status")
    assert "npb:ft.W on gbe: " in status
    assert "choice ib-fdr" in status
    assert (
        page.evaluate("""document.getElementById("what-if-status").getAttribute("aria-live")""") == "polite"
    )


def test_interpolation_agrees_with_python(page):
    grid = samples.three()[FT].grids[1]
    places = [(i / 4, j / 3) for i in range(25) for j in range(19)]
    script = f"""(() => {{ const grid = {json.dumps(grid.seconds)};
        return {json.dumps(places)}.map(([u, v]) => linkworth.secondsAt(grid, u, v)); }})()"""
    for (u, v), seconds in zip(places, page.evaluate(script), strict=True):
        assert seconds == pytest.approx(interpolated(grid, u, v), rel=1e-9)
        if u % 1 == 0 and v % 1 == 0:
            assert seconds == grid.seconds[int(u)][int(v)]


def test_the_choice_obeys_deadline_budget_and_goal(page):
    options = [
        {"fabric": "slow", "seconds": 4, "cost": 1},
        {"fabric": "middle", "seconds": 2, "cost": 2},
        {"fabric": "fast", "seconds": 1, "cost": 3},
        {"fabric": "unpriced", "seconds": 0.5, "cost": None},
    ]

    def chosen(goal, deadline, budget):
        limits = json.dumps({"goal": goal, "deadline": deadline, "budget": budget})
        return page.evaluate(f"linkworth.choose({json.dumps(options)}, {limits}, 0.001)?.fabric ?? null")

    assert chosen("cost", None, None) == "slow"
    assert chosen("cost", 3, None) == "middle"
    assert chosen("time", None, None) == "fast"
    assert chosen("time", None, 2.5) == "middle"
    assert chosen("cost", 0.1, None) is None
    options[:] = [
        {"fabric": "dearer node", "seconds": 100, "price": 1.0003, "cost": 100.03},
        {"fabric": "dearer run", "seconds": 100.05, "price": 1, "cost": 100.05},
    ]
    assert (chosen("time", None, None), chosen("cost", None, None)) == ("dearer node", "dearer run")


def test_another_option_within_the_interval_puts_the_choice_in_doubt(page):
    choice = {"fabric": "a", "seconds": 4, "cost": 1, "leastRatios": {"b": 0.8, "c": 0.97, "d": 0.1}}
    others = [
        {"fabric": "b", "seconds": 2, "cost": 1.2},
        {"fabric": "c", "seconds": 3.9, "cost": 1},
        {"fabric": "d", "seconds": 9, "cost": 1.1},
    ]
    limits = {"goal": "cost", "deadline": 5, "budget": None}

    def doubtful(close):
        script = f"linkworth.doubtful({json.dumps([choice, *others])}, {json.dumps(choice)}, {json.dumps(limits)}, {close})"
        return [option["fabric"] for option in page.evaluate(script)]

    assert doubtful(0.02) == ["c", "b"]
    assert doubtful(0.035) == ["b"]


def test_a_mark_tells_its_numbers_under_the_pointer(page):
    page.evaluate(
        "document.querySelector('#p1 svg.chart').scrollIntoView({block: 'center', behavior: 'instant'})"
    )
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    box = page.evaluate(
        """(() => { const b = document.querySelector('#p1 svg.chart [aria-label^="gbe: 220 ms"]').getBoundingClientRect();
        return [b.x + b.width / 2, b.y + b.height / 2]; })()"""
    )
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    assert page.text(".tip").startswith("gbe: 220 ms")
    assert page.evaluate("document.querySelector('.tip').hidden") is False


def test_hostile_names_are_text(browser, hostile_file):
    with browser.visit(hostile_file):
        names = browser.evaluate(
            "[...document.querySelectorAll('table.results tbody th bdi')].map((cell) => cell.textContent)"
        )
        assert names == samples.HOSTILE
        assert browser.evaluate("document.querySelectorAll('img, [onload], [onerror]').length") == 0
        move(browser, 0, "latency", 5)
        browser.evaluate("new Promise((done) => setTimeout(done, 400))")
        assert samples.HOSTILE[0] in browser.text("#what-if-status")


def test_everything_but_the_sliders_is_there_without_scripts(browser, page_file):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page_file)
        document = browser.call("DOM.getDocument", depth=0)["root"]["nodeId"]
        charts = browser.call("DOM.querySelectorAll", nodeId=document, selector="svg.chart:not(.narrow)")[
            "nodeIds"
        ]
        sliders = browser.call("DOM.querySelector", nodeId=document, selector="#what-if")["nodeId"]
        note = browser.call("DOM.querySelector", nodeId=document, selector="noscript p")["nodeId"]
        with pytest.raises(RuntimeError):
            browser.call("DOM.getBoxModel", nodeId=sliders)
        assert browser.call("DOM.getBoxModel", nodeId=note)["model"]["height"] > 0
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert len(charts) == 1 + 8 + 8 + 7
