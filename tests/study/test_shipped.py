"""The study files in studies/: each can be used at each of its scales, and has its page."""

from pathlib import Path

import pytest
from fake_installation import script

import linkworth
from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.lab import isolation
from linkworth.study import resume as taking_up
from linkworth.study.definition import shipped_files
from linkworth.study.definition.file import load
from linkworth.study.matrix import expand
from linkworth.study.plan import check_all

pytestmark = pytest.mark.usefixtures("one_process")

ROOT = Path(__file__).parents[2]
PAPERS = ["interconnects", "osu-and-npb", "slurm-four-nodes", "weather-transports", "nic-aggregation"]
FILES = sorted((ROOT / "studies").glob("*.toml"))


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.parametrize("scale", ["", "lab", "predict"])
def test_every_scale_has_runs_that_can_be_made(name, scale, monkeypatch):
    monkeypatch.setattr(isolation, "_is_root", lambda: True)  # containers need it
    study = load(ROOT / "studies" / f"{name}.toml", scale=scale)
    runs = expand(study, 1)
    check_all(study, runs)
    modes = {planned.mode for planned in runs}
    if scale == "predict":
        assert modes == {"predict"}
    else:
        assert "measure" in modes
    kinds = {planned.environment.where.kind for planned in runs if planned.mode == "measure"}
    if scale == "lab":
        assert kinds == {"lab"}


def test_the_application_finds_its_input_from_any_folder(monkeypatch, tmp_path):
    script(tmp_path / "lmp", "")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.chdir(tmp_path)
    study = load(ROOT / "studies" / "slurm-four-nodes.toml")
    [command] = [workload.command for workload in study.workloads if workload.name == "application"]
    assert command[0] == "lmp"
    [recorded] = [
        workload.recording
        for workload in load(ROOT / "studies" / "slurm-four-nodes.toml", scale="predict").workloads
        if workload.recording
    ]
    assert 0 < Path(recorded).stat().st_size < 200_000
    assert Path(command[command.index("-in") + 1]).read_text(encoding="utf-8").startswith("#")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_study_names_a_file_relative_to_the_current_folder(path):
    beside = [other.name for other in path.parent.iterdir() if other.is_file() and other not in FILES]
    for workload in load(path).workloads:
        for word in workload.command:
            assert Path(word).is_absolute() or Path(word).name not in beside


@pytest.mark.parametrize("name", [*PAPERS, "first", "future-work"])
def test_every_study_has_its_page(name):
    page = (ROOT / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
    assert f"linkworth study run studies/{name}.toml" in page
    if name in PAPERS:
        assert "--scale lab" in page and "--scale predict" in page and "--where hostfile" in page
    assert f"studies/{name}.md" in (ROOT / "zensical.toml").read_text(encoding="utf-8")


def test_future_work_is_predicted_with_the_effect_of_each_question(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["study", "run", "future-work", "--scale", "quick"]) == 0
    records = taking_up.resume(tmp_path / "future-work-quick.study").records()
    seconds = {(record.workload, record.environment): record.metrics["seconds"] for record in records}
    ft, lu = (
        {where: found for (what, where), found in seconds.items() if what == f"npb:{name}.S"}
        for name in ("ft", "lu")
    )
    assert ft["gbe-8"] < ft["gbe-4"] < ft["gbe-2"]
    assert ft["mptcp-4"] < ft["mptcp-2"] < ft["gbe-2"]
    assert lu["ib-fdr-2"] < lu["ib-fdr-passthrough"] < lu["ib-fdr-sriov"] < 1.05 * lu["ib-fdr-2"]


def test_the_package_brings_the_studies_and_they_are_found_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    package = Path(linkworth.__file__).parent
    assert set(shipped_files.files()) == {path.stem for path in FILES}
    for name, path in shipped_files.files().items():
        assert path.is_relative_to(package) and not path.is_symlink()
        assert path.read_bytes() == (ROOT / "studies" / f"{name}.toml").read_bytes()
        assert (
            shipped_files.study_file(Path(name))
            == shipped_files.study_file(Path("studies") / path.name)
            == path
        )
    Path("first").write_text("")
    assert shipped_files.study_file(Path("first")) == Path("first")
    with pytest.raises(
        UsageError, match=r"frist: no such file, and no study of that name comes along; did you mean first"
    ):
        shipped_files.study_file(Path("frist"))


def test_a_study_is_listed_and_planned_by_its_name(tmp_path, monkeypatch, refused, printed):
    monkeypatch.chdir(tmp_path)
    assert "interconnects" in printed("study", "list")
    assert "64 runs, into interconnects-predict.study" in printed(
        "study", "run", "interconnects", "--scale", "predict", "--dry-run"
    )
    assert "first.study does not exist" in refused("study", "status", "first")
