"""A bad fit carries a warning in its file and at each use. Results of two MPIs are not fitted together."""

import json

import msgspec
import pytest
from replayed_results import predicted

from linkworth.bench.store import ResultFile
from linkworth.calibrate.request import CalibrationRequest
from linkworth.calibrate.run import calibrate, write
from linkworth.catalog import fabrics
from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult

SIZES = [1 << power for power in range(0, 23, 2)]


def results(folder, name, *, mpi="", spoilt=1.0):
    """Write the latencies and bandwidths of gbe; those of every other size take `spoilt` times as long."""
    gbe = fabrics.get("gbe")
    made = []
    for test in ("latency", "bandwidth"):
        result = predicted(gbe, test, SIZES)
        rows = [
            msgspec.structs.replace(
                row,
                latency_seconds=row.latency_seconds and row.latency_seconds * (spoilt if number % 2 else 1.0),
                bandwidth_bytes_per_second=row.bandwidth_bytes_per_second
                and row.bandwidth_bytes_per_second / (spoilt if number % 2 else 1.0),
            )
            for number, row in enumerate(result.rows)
        ]
        made.append(msgspec.structs.replace(result, rows=rows, mpi=mpi))
    path = folder / name
    path.write_bytes(msgspec.json.encode({"results": made}))
    return path


def test_a_bad_fit_is_marked_and_each_use_of_it_warns(tmp_path, capsys, monkeypatch):
    bad = calibrate(
        CalibrationRequest(files=[results(tmp_path, "bad.json", spoilt=5.0)], name="bad", base="gbe")
    )
    assert bad.worst_residual > 0.5 and bad.fabric.worst_miss == pytest.approx(bad.worst_residual, rel=0.05)
    assert "do not rely on it" in bad.notes[-1]
    write(bad.fabric, tmp_path / "bad.toml")
    monkeypatch.chdir(tmp_path)
    known = ["--machine", "xeon-e5-2650v3-x2", "--json"]
    for verb, given in (
        ("predict", "--on=bad.toml"),
        ("advise", "--price=bad.toml=1"),
        ("sweep", "--on=bad.toml"),
    ):
        assert main([verb, "npb:is.S", "-n", "2", given, *known]) == 0
        said = capsys.readouterr()
        doubts = [each for each in json.loads(said.out)["warnings"] if "do not rely on it" in each]
        assert len(doubts) == 1 and doubts[0].startswith("bad misses the results that it was calibrated to")
        assert said.err.count("do not rely on it") == 1
    assert main(["fabrics", "show", "bad.toml"]) == 0
    assert "linkworth: warning: bad misses the results" in capsys.readouterr().err
    again = CalibrationRequest(files=[results(tmp_path, "good.json")], base=str(tmp_path / "bad.toml"))
    assert any(note.startswith("bad misses the results") for note in calibrate(again).notes)


def test_a_good_fit_does_not_warn(tmp_path):
    good = calibrate(CalibrationRequest(files=[results(tmp_path, "good.json")], name="good", base="gbe"))
    assert not any("rely" in note for note in good.notes)
    write(good.fabric, tmp_path / "good.toml")
    assert not fabrics.bad_fit(fabrics.get(str(tmp_path / "good.toml")))


def test_results_of_two_libraries_are_not_fitted_together(tmp_path):
    one = results(tmp_path, "one.json", mpi="MPICH 5.0.2")
    two = results(tmp_path, "two.json", mpi="Open MPI 5.0.11")
    with pytest.raises(UsageError, match=r"MPICH 5\.0\.2 \(one\.json\) and Open MPI 5\.0\.11 \(two\.json\)"):
        calibrate(CalibrationRequest(files=[one, two]))
    together = calibrate(CalibrationRequest(files=[one, results(tmp_path, "osu.json")], base="gbe"))
    assert together.fabric.mpi == "MPICH"


def test_a_file_of_results_takes_those_of_one_library(tmp_path):
    path = tmp_path / "keep.json"
    kept = ResultFile(path)
    kept.check_mpi("MPICH 5.0.2")
    kept.add(BenchResult(test="latency", rows=[], ranks=2, nodes=2, tool="t", mpi="MPICH 5.0.2"))
    ResultFile(path).check_mpi("MPICH 5.0.2")
    with pytest.raises(
        UsageError, match=r"keep\.json has results of MPICH 5\.0\.2, and the new ones come from Open MPI"
    ):
        ResultFile(path).check_mpi("Open MPI 5.0.11")
