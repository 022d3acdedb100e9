"""`linkworth report` from traces made by hand to the page, through its own entry point."""

import json
import re

import pytest
import synthetic
from collector import Steps

from linkworth.advise.request import PriceOptions
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.advice import Limits
from linkworth.report import page as report_page
from linkworth.report import request as report_request
from linkworth.report.collect import find_traces, smaller_of
from linkworth.report.request import ReportRequest, run
from linkworth.skeleton.progress import SilentProgress
from linkworth.trace.read import Allowance

pytestmark = pytest.mark.usefixtures("undrawn")


def exchange(path, *, rounds=5, verified=None, workload="exchange", size=100_000):
    path.parent.mkdir(parents=True, exist_ok=True)
    calls = [
        [
            synthetic.sendrecv((rank + 1) % 4, size, (rank - 1) % 4).after(0.01).lasting(0.002)
            for _ in range(rounds)
        ]
        for rank in range(4)
    ]
    return synthetic.write_trace(path, calls, workload=workload, verified=verified)


def report(*paths, output, on=(), **options):
    request = ReportRequest(paths=list(paths), output=output, on=list(on), **options)
    return run(request, SilentProgress())


def test_a_folder_of_traces_becomes_one_page(tmp_path):
    exchange(tmp_path / "runs" / "b.lwt", workload="second")
    exchange(tmp_path / "runs" / "a.lwt", workload="first", verified=True)
    exchange(tmp_path / "runs" / "smaller" / "a.lwt", workload="first", rounds=2)
    written = report(tmp_path / "runs", output=tmp_path / "r.html", prices=PriceOptions(catalog="demo"))
    assert [program.workload for program in written.programs] == ["first", "second"]
    assert written.fabrics == ["gbe", "ib-fdr", "10gbe", "ib-hdr"]
    assert written.bytes == (tmp_path / "r.html").stat().st_size
    assert all(program.choice in written.fabrics for program in written.programs)
    doubt = "nothing is known about the speed of the CPUs of 4 node types"
    assert all(program.warnings[-1].startswith(doubt) for program in written.programs)


def test_traces_of_a_folder_are_in_the_order_of_their_numbers(tmp_path):
    names = ["4x2.lwt", "app.lwt", "app-4.lwt", "app-16.lwt", "app-16b.lwt", "\u06634.lwt"]
    for name in names:
        (tmp_path / name).touch()
    found = [path.name for path in find_traces([tmp_path])]
    assert found == ["4x2.lwt", "app-4.lwt", "app-16.lwt", "app-16b.lwt", "app.lwt", "\u06634.lwt"]


def test_the_trace_that_cannot_be_replayed_is_named(tmp_path):
    exchange(tmp_path / "a.lwt")
    synthetic.write_trace(tmp_path / "b.lwt", [[synthetic.recv(1, 8)], []])
    with pytest.raises(UsageError, match=r"b\.lwt: rank 0 stops in MPI_Recv"):
        report(tmp_path, output=tmp_path / "r.html")


def test_a_time_given_scales_the_whole_page(tmp_path):
    trace = exchange(tmp_path / "a.lwt")
    report(trace, output=tmp_path / "r.html", on=("gbe", "ib-hdr"), measured=["gbe=2.5"])
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "2.5 s on gbe" in page
    found = re.search(r'<script[^>]*id="what-if-data"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    options = json.loads(found[1])["programs"][0]["options"]
    # A grid's middle is the network itself, so that sliders start at the time given.
    assert options[0]["seconds"] == pytest.approx(2.5, rel=1e-4)
    assert options[0]["grid"][3][3] == pytest.approx(2.5, rel=1e-4)
    assert options[1]["seconds"] > 2
    other = exchange(tmp_path / "b.lwt")
    report(trace, other, output=tmp_path / "r.html", measured=["b:ib-hdr=3.5", "a.lwt:gbe:2x2=2.5"])
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.index("2.5 s on gbe") < page.index("3.5 s on ib-hdr")


def test_a_choice_comes_with_its_certainty_and_is_open_where_draws_do_not_decide(tmp_path):
    trace = exchange(tmp_path / "a.lwt", size=10_000_000)
    for price, expected in ((3.0, "10gbe"), (1.38, None)):
        own = ["10gbe=1", f"25gbe={price}"]
        (program,) = report(trace, output=tmp_path / "r.html", prices=PriceOptions(assignments=own)).programs
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert program.choice == expected, page[page.index("<b>Why") :][:300]
        assert page.index("<b>How sure:</b>") < page.index("of 400 draws") < page.index('id="summary"')
        assert ("too close to call" in page) == (expected is None)
        assert ("10gbe or 25gbe" in page or "25gbe or 10gbe" in page) == (expected is None)
        found = re.search(r'<script[^>]*id="what-if-data"[^>]*>(.*?)</script>', page, re.DOTALL)
        assert found is not None
        sliders = json.loads(found[1])
        cost = {"10gbe": 1.0, "25gbe": price}
        best, other = sorted(
            sliders["programs"][0]["options"], key=lambda option: option["seconds"] * cost[option["fabric"]]
        )
        ratio = other["seconds"] * cost[other["fabric"]] / (best["seconds"] * cost[best["fabric"]])
        doubtful = best["least_ratios"][other["fabric"]] * ratio < 1 - sliders["close"]
        assert doubtful == (expected is None)


def test_a_program_that_takes_no_time_has_a_page(tmp_path):
    trace = synthetic.write_trace(tmp_path / "nothing.lwt", [[]] * 2)
    assert report(trace, output=tmp_path / "r.html", on=("ideal", "gbe")).programs[0].choice is None


def test_traces_of_one_program_on_as_many_ranks_have_the_names_of_their_files(tmp_path):
    for name in ("small", "large"):
        exchange(tmp_path / "runs" / f"{name}.lwt")
    written = report(tmp_path / "runs", output=tmp_path / "r.html", prices=PriceOptions(catalog="demo"))
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "exchange (small)" in page and "exchange (large)" in page
    assert [program.workload for program in written.programs] == ["exchange", "exchange"]


def test_a_page_of_many_programs_has_the_charts_of_the_first(tmp_path, monkeypatch):
    for module in (report_page, report_request):
        monkeypatch.setattr(module, "MOST_DRAWN", 1)
    for name in ("a", "b"):
        exchange(tmp_path / "runs" / f"{name}.lwt", workload=name)
    steps = Steps()
    run(ReportRequest(paths=[tmp_path / "runs"], output=tmp_path / "r.html", on=["gbe"]), steps)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert steps.planned == [len(steps.texts)]
    assert 'id="figure-p0-recorded"' in page
    assert 'id="figure-p1-' not in page
    assert "make a report of its trace alone" in page
    assert 'id="p1-calls"' in page


def test_prices_decide_what_is_shown_and_chosen(tmp_path):
    trace = exchange(tmp_path / "a.lwt")
    written = report(trace, output=tmp_path / "r.html")
    assert written.fabrics == ["gbe", "10gbe", "ib-fdr", "ib-hdr"]
    assert [program.choice for program in written.programs] == [None]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<b>Why not priced:</b> no price is known" in page and ">none fits<" not in page
    written = report(
        trace, output=tmp_path / "r.html", on=("gbe", "ib-qdr"), prices=PriceOptions(assignments=["gbe=1"])
    )
    assert (written.fabrics, written.programs[0].choice) == (["gbe", "ib-qdr"], "gbe")
    assert "no price" in (tmp_path / "r.html").read_text(encoding="utf-8")
    dear = PriceOptions(assignments=["gbe=1", "ib-hdr=1000"])
    written = report(trace, output=tmp_path / "r.html", prices=dear, limits=Limits(deadline=1e-6))
    assert (written.fabrics, written.programs[0].choice) == (["gbe", "ib-hdr"], None)
    assert "none fits" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    for target in (tmp_path, tmp_path / "absent" / "r.html"):
        with pytest.raises(UsageError, match=r"cannot write .*; give another place with `output`"):
            report(tmp_path / "no-trace-is-read.lwt", output=target)


def test_a_cut_trace_says_so_once_in_the_page_and_in_the_answer(tmp_path):
    trace = exchange(tmp_path / "a.lwt", rounds=500)
    trace.write_bytes(trace.read_bytes()[:-20])
    with pytest.raises(DamagedInputError):
        report(trace, output=tmp_path / "r.html")
    written = report(trace, output=tmp_path / "r.html", allowed=Allowance())
    warnings = written.programs[0].warnings
    assert any("(it is cut or damaged)" in warning for warning in warnings)
    assert len(warnings) == len(set(warnings))
    assert "read the notes" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_traces_are_found_in_order_and_once(tmp_path):
    for name in ("b", "a"):
        exchange(tmp_path / f"{name}.lwt")
    (tmp_path / "notes.txt").write_text("x")
    first, second = tmp_path / "a.lwt", tmp_path / "b.lwt"
    assert find_traces([second, tmp_path]) == [second, first]
    assert smaller_of(first) is None


@pytest.mark.parametrize("name", ["absent.lwt", "absent"])
def test_a_path_that_does_not_exist_is_named(tmp_path, name):
    with pytest.raises(UsageError, match=rf"{name} does not exist"):
        find_traces([tmp_path / name])


def test_an_empty_folder_says_how_to_fill_it(tmp_path):
    with pytest.raises(UsageError, match="contains no trace"):
        find_traces([tmp_path])
    (tmp_path / "study.json").write_text("{}")
    with pytest.raises(UsageError, match="is the folder of a study; its report: linkworth study report "):
        find_traces([tmp_path])
