"""A report of many predictions stays small: its figures are bounded, its files have every number."""

import re

import study_samples as samples

from linkworth.model.study import Environment, Study, StudyWorkload
from linkworth.report.charts.kinds import MOST_LINES
from linkworth.report.charts.kinds import MOST_ROWS as MOST_DRAWN
from linkworth.report.study import contents as report_contents
from linkworth.report.study.contents import contents
from linkworth.report.study.request import render
from linkworth.report.study.results import Results
from linkworth.report.svg import standalone
from linkworth.report.table import MOST_FIGURES
from linkworth.report.writer import MOST_ROWS


def many(workloads, environments, **more):
    programs = [f"w{number}" for number in range(workloads)]
    networks = [f"e{number}" for number in range(environments)]
    study = Study(
        name="many",
        workloads=[StudyWorkload(name=name, command=["x"]) for name in programs],
        environments=[Environment(name=name) for name in networks],
    )
    shares = {"compute_share": 0.5, "communication_share": 0.5}
    records = [
        samples.record(program, network, "predict", metrics={"seconds": 1.0 + (n * m) % 17, **shares}, **more)
        for n, program in enumerate(programs)
        for m, network in enumerate(networks)
    ]
    return study, records


def height(svg):
    found = re.search(r'<svg[^>]* height="([0-9.]+)"', svg)
    assert found
    return float(found[1])


def test_the_height_of_a_figure_does_not_grow_with_the_square_of_the_environments():
    heights = []
    for environments in (8, 16):
        [section] = [each for each in contents(Results(*many(4, environments))) if each.key == "times-1"]
        heights.append(height(standalone(section.figures[0])))
    assert heights[1] < 2.5 * heights[0]


def test_figures_show_what_differs_most_and_their_numbers_are_whole():
    study, records = many(20, 30)
    sections = {each.key: each for each in contents(Results(study, records))}
    [times] = sections["times-1"].figures
    assert len(times.table.rows) == 20 * 29
    assert f"Drawn are the {MOST_DRAWN} of {20 * 29} that differ most." in times.table.note
    assert height(standalone(times)) < 4000
    profiles = sections["profiles"]
    assert len(profiles.figures) == MOST_FIGURES and "of 30 environments are drawn" in profiles.text
    page = render(Results(study, records), [sections["cells"]]).decode()
    assert f"The first {MOST_ROWS} of 600 rows; the file below has all." in page


def test_lines_beyond_those_that_can_be_told_apart_are_in_the_files_only():
    rows = [{"bytes": size, "latency_seconds": 1e-6 * size} for size in (1, 2, 4)]
    sections = contents(Results(*many(1, MOST_LINES + 2, rows=rows)))
    [curves] = [each for each in sections if each.key == "curve-1"]
    [drawing] = curves.figures
    assert f"Drawn are the first {MOST_LINES} of {MOST_LINES + 2}." in drawing.table.note
    assert len(drawing.table.rows) == 3 * (MOST_LINES + 2)


def test_a_section_of_many_figures_has_tables_for_the_rest(monkeypatch):
    monkeypatch.setattr(report_contents, "MOST_FIGURES_OF_ALL", 3)
    rows = [{"bytes": size, "latency_seconds": 1e-6 * size} for size in (1, 2)]
    sections = contents(Results(*many(5, 1, rows=rows)))
    curves = [each for each in sections if each.key.startswith("curve-")]
    assert sum(len(each.figures) for each in sections) == 3
    assert all(len(each.figures) + len(each.tables) == 1 for each in curves)
    assert "Drawn are 0 of 1 figures" in curves[-1].text
