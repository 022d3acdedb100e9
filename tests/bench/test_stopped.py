"""A benchmark that is stopped names its file only if it has something."""

import contextlib

import pytest

from linkworth.bench import request
from linkworth.cli import bench
from linkworth.cli.main import main
from linkworth.measure import open_place
from linkworth.model.bench import BenchResult

DONE = BenchResult(test="latency", rows=[], ranks=2, nodes=1, tool="lw-netbench")


@pytest.mark.parametrize(("done", "named"), [([], False), ([DONE], True)])
def test_a_file_is_named_only_if_something_was_kept(tmp_path, monkeypatch, capsys, done, named):
    monkeypatch.setattr(open_place, "open_place", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(request, "prepare", lambda *_, **__: [])
    monkeypatch.setattr(bench, "_measure", lambda *_: (done, "latency was stopped"))
    assert main(["bench", "latency", "-o", str(tmp_path / "keep.json")]) == 4
    error = capsys.readouterr().err
    assert "latency was stopped" in error and ("what was measured is in" in error) is named
