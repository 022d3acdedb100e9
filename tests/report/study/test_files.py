"""CSV, Parquet and LaTeX of tables; SVG, PNG and PDF of figures."""

import csv
import io
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pyarrow.parquet
import pytest
import study_samples as samples

from linkworth.errors import UsageError
from linkworth.report import files, svg
from linkworth.report.files import csv_text, write_files
from linkworth.report.latex import escape, latex
from linkworth.report.study.contents import contents
from linkworth.report.study.results import Results
from linkworth.report.table import table, whole, words


def tables(sections):
    return [each for section in sections.values() for each in section.all_tables]


def test_every_table_and_figure_has_its_files(networks_folder, networks_sections):
    figures = {"by-mtu-1"}
    keys = {each.key for each in tables(networks_sections)}
    expected = {f"{key}.{ending}" for key in keys for ending in ("csv", "tex", "parquet")}
    expected |= {f"{key}.{ending}" for key in figures for ending in ("svg", "png", "pdf")}
    assert {path.name for path in networks_folder.iterdir()} == expected


def test_csv_and_parquet_hold_the_same_numbers(networks_folder, networks_sections):
    for made in tables(networks_sections):
        text = (networks_folder / f"{made.key}.csv").read_bytes().decode()
        rows = list(csv.reader(io.StringIO(text)))
        assert rows[0] == [each.key for each in made.columns]
        assert len(rows) == 1 + len(made.rows)
        parquet = pyarrow.parquet.read_table(networks_folder / f"{made.key}.parquet").to_pydict()
        assert list(parquet) == rows[0]
        for line, row in zip(rows[1:], made.rows, strict=True):
            assert line == ["" if cell.value is None else str(cell.value) for cell in row]
        for number, name in enumerate(parquet):
            assert parquet[name] == [row[number].value for row in made.rows]


def test_figures_are_what_their_names_say(networks_folder):
    assert (networks_folder / "by-mtu-1.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert (networks_folder / "by-mtu-1.pdf").read_bytes().startswith(b"%PDF-")
    assert ElementTree.parse(networks_folder / "by-mtu-1.svg").getroot().tag.endswith("svg")


def test_without_a_converter_of_charts_everything_else_is_written(tmp_path, networks_sections, monkeypatch):
    monkeypatch.setattr(svg, "can_draw", lambda: False)
    monkeypatch.setattr(files, "can_draw", lambda: False)
    written = write_files([networks_sections["by-mtu"]], tmp_path)
    assert {Path(name).suffix for name in written.files} == {".csv", ".parquet", ".tex"}
    (remark,) = written.remarks
    assert "no pictures of figures" in remark and "pip install 'linkworth[plots]'" in remark


def test_wanted_formats_alone_are_written_and_faults_are_one_sentence(tmp_path, networks_sections):
    written = write_files([networks_sections["by-mtu"]], tmp_path, ["csv", "svg"])
    assert sorted(written.files) == ["by-mtu-1.csv", "by-mtu-1.svg"]
    taken = tmp_path / "file"
    taken.write_text("")
    with pytest.raises(UsageError, match=r"cannot write .*file.*give another place with `output`"):
        write_files([networks_sections["by-mtu"]], taken, ["csv"])


def test_latex_is_a_whole_table():
    made = table(
        "t",
        "50 % of a_b & c",
        [("ft_B", "", 1000), ("é µs", "predicted", None)],
        lambda item: [words("name", item[0], mark=item[1]), whole("x", "x", item[2])],
    )
    assert latex(made).splitlines()[3:] == [
        r"\caption{50 \% of a\_b \& c}", r"\begin{tabular}{lr}", r"\toprule", r"name & x \\", r"\midrule",
        r"ft\_B & 1,000 \\", r"é \(\mu\)s* & -- \\", r"\bottomrule", r"\end{tabular}",
        r"\par\smallskip * predicted, not measured", r"\end{table}",
    ]  # fmt: skip


def test_nothing_in_a_name_has_a_meaning_for_tex_or_csv():
    assert (
        escape("\\input{x}$#^~<") == r"\textbackslash{}input\{x\}\$\#\textasciicircum{}\textasciitilde{}\(<\)"
    )
    sections = contents(Results(*samples.hostile()))
    rows = list(csv.reader(io.StringIO(csv_text(sections[0].tables[0]))))
    assert rows[1][0] == samples.HOSTILE


def test_the_download_of_a_page_is_the_csv(study_page, interconnects_sections):
    times = interconnects_sections["times-1"].tables[0]
    html = study_page.read_text(encoding="utf-8")
    start = html.index('download="times-1.csv" href="data:text/csv;charset=utf-8,')
    data = html[start:].split("utf-8,", 1)[1].split('"', 1)[0]
    assert unquote(data) == csv_text(times)
