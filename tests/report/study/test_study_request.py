"""From records to a written report."""

from pathlib import Path

import msgspec
import pytest
import study_samples as samples

from linkworth.model.study import Environment, Study, StudyComparison, StudyWorkload
from linkworth.report import files
from linkworth.report.study.request import Outputs, report
from linkworth.skeleton.progress import SilentProgress


def test_the_document_has_all_comparisons_and_what_is_lost(tmp_path, undrawn):
    study, records = samples.interconnects()
    written = report(
        study,
        records,
        outputs=Outputs(tmp_path / "deep" / "page.html", tmp_path / "files", ["csv"]),
        planned=len(records) + 4,
        progress=SilentProgress(),
    )
    assert (tmp_path / "deep" / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(written.files) == sorted(path.name for path in (tmp_path / "files").iterdir())
    assert (written.lost, written.open) == (2, 4)
    assert any("Not done yet: 4 of" in warning for warning in written.warnings)
    found = {(c.workload, c.mode): c for c in written.comparisons}
    assert len(found) == 18
    assert found["npb:ft.A", "measure"].verdict == "faster"
    assert found["npb:ep.A", "measure"].baseline_runs == 5
    assert found["npb:ft.A", "predict"].verdict == "predicted"
    assert msgspec.json.decode(msgspec.json.encode(written))["schema"] == "linkworth.study-report/1"


def test_a_damaged_trace_is_said_and_the_report_is_written(tmp_path, undrawn):
    study, records = samples.interconnects()
    trace = tmp_path / "broken.lwt"
    trace.write_bytes(b"no trace")
    written = report(
        study,
        records,
        outputs=Outputs(tmp_path / "page.html", tmp_path / "files", ["csv"]),
        traces={("npb:ft.A", "gbe"): trace},
        progress=SilentProgress(),
    )
    assert any("npb:ft.A has no profile" in warning for warning in written.warnings)
    assert Path(written.path).exists()


def test_without_pyarrow_there_is_a_remark(tmp_path, monkeypatch, undrawn):
    monkeypatch.setattr(files, "_has_pyarrow", lambda: False)
    study, records = samples.hostile()
    written = report(
        study, records, outputs=Outputs(tmp_path / "page.html", tmp_path, ["csv", "parquet"]),
        progress=SilentProgress(),
    )  # fmt: skip
    assert any("pyarrow is not installed" in warning for warning in written.warnings)
    assert not any(name.endswith(".parquet") for name in written.files)


def test_what_was_not_applied_is_said_at_the_top(tmp_path, undrawn):
    study, records = samples.hostile()
    facts = {"not applied": "transport tcp", "collectives of": "openmpi-5.0", "warnings": "the trace is cut"}
    predicted = samples.record("w", "a", "predict", metrics={"seconds": 1.0}, facts=facts)
    written = report(
        study, [*records, predicted], outputs=Outputs(tmp_path / "page.html", tmp_path, ["csv"]),
        progress=SilentProgress(),
    )  # fmt: skip
    assert "Not applied where a is predicted: transport tcp." in written.warnings
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Not applied where a is predicted: transport tcp." in page
    assert "collectives of: openmpi-5.0" in page
    assert "Predictions of w have warnings: see the facts in the table 'Where it ran'." in written.warnings
    assert "warnings: the trace is cut" in page


def test_measured_times_of_whole_runs_are_told_from_predictions(tmp_path, undrawn):
    study = Study(
        name="s", title="s",
        workloads=[StudyWorkload(name=name, command=["x"]) for name in "uvw"],
        environments=[Environment(name="a")],
    )  # fmt: skip
    whole = {"seconds": 2.0, "elapsed_seconds": 2.0}
    runs = [
        samples.record("w", "a", metrics=whole, facts={"mpi": "Open MPI v4.1.4, package: Debian OpenMPI"}),
        samples.record("w", "a", "predict", metrics={"seconds": 1.0}),
        samples.record("v", "a", metrics=whole | {"seconds": 1.5}),
        samples.record("v", "a", "predict", metrics={"seconds": 1.0}),
        samples.record("u", "a", metrics=whole, state="failed"),
        samples.record("u", "a", "predict", metrics={"seconds": 1.0}),
    ]
    written = report(
        study, runs, outputs=Outputs(tmp_path / "page.html", tmp_path, ["csv"]), progress=SilentProgress()
    )
    assert sum("of whole runs, with launch and MPI_Init" in warning for warning in written.warnings) == 1
    assert any(warning.startswith("Measured times of w are") for warning in written.warnings)
    assert "package: Debian" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_comparison_of_a_metric_that_no_run_has_is_named(tmp_path, undrawn):
    study, records = samples.interconnects()
    metrics = ["seconds", "cost_usd", "elapsed_seconds"]
    asked = msgspec.structs.replace(study, comparisons=[StudyComparison(baseline="gbe", metrics=metrics)])
    records = [msgspec.structs.replace(each, metrics={"seconds": 1.0}) for each in records]
    said = "No run has cost_usd, elapsed_seconds, so that no comparison shows it."
    for of, warned in ((asked, True), (study, False)):
        outputs = Outputs(tmp_path / "page.html", tmp_path, ["csv"])
        written = report(of, records, outputs=outputs, progress=SilentProgress())
        assert (said in written.warnings) is warned


@pytest.mark.parametrize("name", ["a\0b\x1b[31m\x07\nc\x9b\u202e", r"a\x02b\u0007\1"])
def test_a_name_of_control_characters_or_escapes_has_its_report(tmp_path, name):
    study, records = samples.hostile()
    seen = {samples.HOSTILE: name, "a": f"{name}2"}
    study = msgspec.structs.replace(
        study,
        title=name,
        workloads=[StudyWorkload(name=name, command=["x"])],
        environments=[Environment(name=f"{name}2"), Environment(name=name)],
    )
    records = [
        msgspec.structs.replace(
            record, workload=name, environment=seen[record.environment], cause=name, facts={"mpi": name}
        )
        for record in records
    ]
    written = report(
        study, records, outputs=Outputs(tmp_path / "page.html", tmp_path), progress=SilentProgress()
    )
    assert {Path(each).suffix for each in written.files} >= {".csv", ".tex", ".svg", ".png", ".pdf"}
    for path in tmp_path.iterdir():
        if path.suffix in (".csv", ".tex", ".svg", ".html"):
            text = path.read_text(encoding="utf-8")
            assert not [c for c in text if not c.isprintable() and c not in "\n\r\t"], path.name
