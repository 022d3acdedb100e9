"""The command line over the folder of a real study, which was predicted and not run."""

from pathlib import Path

import pytest

from linkworth.study.store import Store

FILE = """
title = "Two networks"
workloads = ["npb:is.S"]
environments = [{fabric = "gbe", usd_per_node_hour = 0.78}, "ib-fdr"]
mode = "predict"
ranks = 4
nodes = 2
[predict]
machine = "xeon-e5-2650v3-x2"
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(FILE)
    return tmp_path / "two.toml"


def test_a_study_file_stands_for_its_folder(study, undrawn, json_of, printed, refused):
    printed("study", "run", study)
    below_a_file = study / "page.html"
    said = refused("study", "report", study, "--html", below_a_file)
    assert f"cannot write {below_a_file}: " in said and "give another place with --html" in said
    document = json_of("study", "report", str(study), "--format", "csv")
    assert document["schema"] == "linkworth.study-report/1"
    assert (document["done"], document["lost"], document["open"]) == (2, 0, 0)
    assert Path(document["path"]).is_file()
    assert {"Time against gbe", "Cost", "Groups of network dependence"} <= set(document["sections"])
    (found,) = document["comparisons"]
    assert found["verdict"] == "predicted" and found["value"] < found["baseline_value"]
    kept = list((study.parent / "two.study" / "traces").glob("*.profile.json"))
    assert len(kept) == 1
    # A second report takes the profile that was kept, and one study is no different from itself.
    before = kept[0].read_bytes()
    assert "2 figures of cells that both studies have: 2 predicted." in printed(
        "study", "report", "two.study", "--against", "two.study", "--format", "latex"
    )
    assert kept[0].read_bytes() == before
    assert (study.parent / "two.study" / "report" / "against.tex").is_file()
    record = next((study.parent / "two.study" / "runs").glob("*/run.json"))
    record.write_text("{")
    document = json_of("study", "report", str(study), "--format", "csv")
    damaged, missing = document["warnings"][:2]
    assert damaged.startswith(f"{record.relative_to(study.parent)} is damaged") and "1 of 2 runs" in missing


def test_a_study_without_records_is_one_sentence(study, refused):
    assert "begin one with: linkworth study run" in refused("study", "report", study)
    Store.create(study.parent / "two.study", study)
    assert "nothing has been run yet" in refused("study", "report", study)
    # A folder has the scale with which it was begun.
    for verb in ("report", "status", "resume"):
        assert "--scale large: it is for a study file" in refused(
            "study", verb, "two.study", "--scale", "large"
        )
