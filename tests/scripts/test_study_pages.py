"""docs/studies and the README's table match the study files and the stored results, which are current."""

import hashlib
import json
import sys
from pathlib import Path

import pytest

from linkworth.report.study.published import FAR, compare_with_paper
from linkworth.report.study.results import Results
from linkworth.study import resume
from linkworth.study.definition import shipped_files
from linkworth.study.runner import run_study

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import study_pages  # noqa: E402 (a script, not a module of the package)

pytestmark = pytest.mark.usefixtures("one_process")

KEPT = json.loads(study_pages.KEPT.read_text(encoding="utf-8"))
RENEW = "renew it: make papers"


def test_the_kept_results_are_of_the_study_files():
    files = shipped_files.files()
    for paper in KEPT["papers"]:
        content = files[paper["name"]].read_bytes()
        assert hashlib.sha256(content).hexdigest() == paper["sha256"], f"{paper['name']}: {RENEW}"
    assert [paper["name"] for paper in KEPT["papers"]] == [
        name for name, path in files.items() if study_pages.published(path)
    ]


def test_the_pages_and_the_readme_are_those_of_the_results():
    for name, text in study_pages.pages(KEPT).items():
        path = ROOT / "docs" / "studies" / f"{name}.md"
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: {RENEW}"
    readme = study_pages.README.read_text(encoding="utf-8")
    assert study_pages.table(KEPT).splitlines()[2] in readme
    assert study_pages.with_table(readme, KEPT) == readme, RENEW


def test_each_miss_has_its_sentence():
    missed = [
        each["what"]
        for paper in KEPT["papers"]
        for scale in (paper, paper.get("given", {"numbers": [], "conclusions": []}))
        for each in (*scale["numbers"], *scale["conclusions"])
        if not each["miss"] and (abs(each.get("difference") or 0) > FAR or not each.get("reached", True))
    ]
    assert not missed


def test_the_document_keeps_its_contract():
    assert KEPT["schema"] == "linkworth.papers/1"
    for paper in KEPT["papers"]:
        assert all({"what", "paper", "ours"} <= number.keys() for number in paper["numbers"])
        assert all({"what", "reached"} <= conclusion.keys() for conclusion in paper["conclusions"])
        assert paper["reached"] == sum(conclusion["reached"] for conclusion in paper["conclusions"])


@pytest.mark.parametrize(
    ("name", "filters"),
    [
        ("osu-and-npb", "workload=npb:is.B,bandwidth environment=gbe,ib-fdr"),
        ("interconnects", "workload=npb:ep.A,npb:mg.A"),
    ],
)
def test_what_is_quick_to_predict_still_gives_the_kept_results(name, filters, tmp_path):
    store = resume.begin(shipped_files.files()[name], folder=tmp_path / "s.study", scale="predict")
    run_study(store, filters=[filters])
    found = compare_with_paper(Results(store.study, store.records()))
    assert found is not None
    [kept] = [paper for paper in KEPT["papers"] if paper["name"] == name]
    compared = {number.what: number.ours for number in found.numbers if number.ours is not None}
    assert len(compared) == 4
    expected = {number["what"]: number["ours"] for number in kept["numbers"] if number["what"] in compared}
    assert compared == pytest.approx(expected, rel=1e-3), RENEW
