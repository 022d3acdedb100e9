"""Names with bytes that are not UTF-8, in a trace and of its file, pass every format."""

import json
import os
from pathlib import Path

import pytest
from synthetic import Call, collective, recv, send, write_trace

from linkworth import _engine
from linkworth.cli.main import main
from linkworth.convert import FORMATS

ODD = os.fsdecode(b"MPI_Odd\xff")
NAME = os.fsdecode(b"odd\xff")


@pytest.fixture
def trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = Call(ODD, "local").lasting(1e-6)
    programs = [
        [send(1, 100), odd, collective("MPI_Barrier")],
        [recv(0, 100), odd, collective("MPI_Barrier")],
    ]
    return write_trace(Path(f"{NAME}.lwt"), programs)


def test_every_byte_of_names_is_kept_and_printed(trace, json_of):
    assert ODD in _engine.Trace(str(trace)).names
    with pytest.raises(_engine.TraceError, match=NAME):
        _engine.Trace(f"no-{NAME}")
    calls = {call["name"] for call in json_of("profile", str(trace))["calls"]}
    assert "MPI_Odd\\xff" in calls
    json_of("predict", trace, "--on", "gbe", "--timeline", "t.json")
    json.loads(Path("t.json").read_text())


@pytest.mark.parametrize("target", FORMATS)
def test_each_format_takes_them(trace, target, called):
    made = f"made{NAME}"
    code, out, err = called("convert", trace, "--to", target, "-o", made, "--json")
    if code == 3:
        pytest.skip(err)
    assert code == 0, err
    assert json.loads(out)["path"] == "madeodd\\xff"
    if FORMATS[target].read:
        assert main(["convert", made, "-o", "back.lwt"]) == 0
        assert _engine.Trace("back.lwt").ranks == 2
    if target == "otf2":
        assert ODD in _engine.Trace("back.lwt").names


def test_a_list_of_files_of_actions(trace):
    Path(f"{NAME}.0").write_text("0 init\n0 compute 1e6\n0 finalize\n")
    Path("ti.txt").write_bytes(os.fsencode(f"{NAME}.0\n"))
    assert main(["convert", "ti.txt", "-o", "back.lwt"]) == 0
    assert _engine.Trace("back.lwt").ranks == 1
