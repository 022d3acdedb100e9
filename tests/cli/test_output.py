"""Output that all verbs share: names are escaped, and no fault prints a traceback."""

import csv
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from rich.table import Table
from synthetic import collective, recv, send, write_trace
from verbs import commands

from linkworth.catalog import machines
from linkworth.cli.main import cli, main
from linkworth.cli.output import OutputFile, OutputFolder, SafeConsole, console, note
from linkworth.cli.sweep_table import as_csv
from linkworth.model.bench import BenchResult, BenchSet
from linkworth.model.machine import Machine
from linkworth.model.startup import StartupResult
from linkworth.model.sweep import TIMES, Sweep, SweepAxis, SweepPoint
from linkworth.skeleton.machine import text as machine_text
from linkworth.writing.documents import encode

EVIL = "evil\x1b]0;owned\x07\x9b2J[bold]"
SHOWN = "evil\\x1b]0;owned\\x07\\x9b2J[bold]"


@pytest.fixture
def trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = [
        [send(1, 1000).after(1e-3), collective("MPI_Barrier")],
        [recv(0, 1000), collective("MPI_Barrier")],
    ]
    return write_trace(Path("t.lwt"), programs, workload=EVIL)


def shell(command):
    words = f"{sys.executable} -m linkworth"
    return subprocess.run(
        ["sh", "-c", command.replace("linkworth", words, 1)], capture_output=True, check=False
    )


def test_every_output_is_written_by_the_one_writer():
    outputs = {
        f"{' '.join(path)} {option.opts[0]}": isinstance(option.type, OutputFile | OutputFolder)
        for path, command in commands(cli)
        for option in command.params
        if {"-o", "--output", "--plot", "--timeline", "--html", "--report"} & set(option.opts)
    }
    assert len(outputs) > 12
    assert all(outputs.values()), outputs


def test_no_name_gives_the_terminal_an_order(capsys):
    table = Table(title=EVIL)
    table.add_column(EVIL)
    table.add_row(EVIL)
    console().print(table)
    console().print(EVIL)
    note(EVIL)
    assert main(["fabrics", "show", EVIL]) == 2
    output, errors = capsys.readouterr()
    for text in (output, errors):
        assert "\x1b" not in text and "\x07" not in text and "\x9b" not in text
    assert output.count(SHOWN) == 4
    assert errors.splitlines()[0] == SHOWN and SHOWN in errors.splitlines()[1]


def test_a_terminal_still_gets_its_colours():
    file = io.StringIO()
    SafeConsole(file, force_terminal=True, no_color=False, color_system="standard").print(
        "x\x1by", style="red"
    )
    assert file.getvalue() == "\x1b[31mx\\x1by\x1b[0m\n"


@pytest.mark.parametrize("verb", [["profile", "t.lwt"], ["predict", "t.lwt", "--on", "gbe"]])
def test_a_name_in_a_trace(trace, verb, capsys, printed):
    assert main(verb) == 0
    output = capsys.readouterr()
    assert "evil\\x1b]0;owned" in output.out
    assert not {"\x1b", "\x07", "\x9b"} & set(output.out + output.err)
    text = printed(*verb, "--json")
    assert not {"\x1b", "\x07", "\x9b"} & set(text)
    assert json.loads(text)["workload"] == EVIL


def test_remarks_are_wrapped_on_a_terminal_only(capsys, monkeypatch):
    command = "linkworth trace --merge /a/long/folder/of/parts.lwt.parts --output t.lwt"
    remark = f"linkworth: {'the parts could not be merged ' * 3}\nmake a trace of them with:\n{command}"
    note(remark)
    assert capsys.readouterr().err == f"{remark}\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    note(remark)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 5 and all(len(line) <= 40 for line in lines)
    assert "/a/long/folder/of/parts.lwt.parts" in " ".join(lines).split()
    assert " ".join(lines).split() == remark.split()


def test_names_that_are_not_utf8(trace, linkworth):
    name = os.fsdecode(b"t\xff.lwt")
    trace.rename(name)
    for words in (["predict", name, "--on", "gbe"], ["profile", name]):
        done = linkworth(*words)
        assert done.returncode == 0, done.stderr
        done = linkworth(*words, "--json")
        assert done.returncode == 0 and json.loads(done.stdout), done.stderr
    missing = linkworth("profile", os.fsdecode(b"no\xff.lwt"))
    assert missing.returncode == 2 and "no\\xff.lwt" in missing.stderr


@pytest.mark.parametrize("verb", ["profile t.lwt", "predict t.lwt --on gbe --json"])
def test_a_full_disk_behind_standard_output(trace, linkworth, verb):
    done = linkworth(*verb.split(), output="/dev/full")
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "linkworth: cannot write standard output: No space left on device; what was asked for is not all there"
    )
    assert "Traceback" not in done.stderr


def test_standard_streams_that_are_closed(trace):
    done = shell("linkworth profile t.lwt >&-")
    assert (done.returncode, done.stderr) == (
        3,
        b"linkworth: standard output is closed; send it to a file, a pipe or /dev/null\n",
    )
    assert shell("linkworth profile t.lwt 2>&-").returncode == 0
    assert shell("linkworth profile t.lwt <&- 2>/dev/full").returncode == 0
    assert shell("linkworth profile no.lwt 2>&- >&-").returncode == 3


def test_an_output_on_a_full_disk(trace, capsys, undrawn):
    full = Path("full")
    full.symlink_to("/dev/full")
    Path("full.lwt").symlink_to("/dev/full")
    osu = "# OSU MPI Latency Test\n# Size          Latency (us)\n1 1.5\n1024 2.5\n1048576 100\n"
    Path("osu.txt").write_text(osu)
    verbs = [
        ["sweep", "t.lwt", "--on", "gbe", "--workers", "1", "-o", "full"],
        ["predict", "t.lwt", "--on", "gbe", "--timeline", "full"],
        ["convert", "t.lwt", "--to", "paje", "-o", "full"],
        ["report", "t.lwt", "-o", "full"],
        ["trace", "--skeleton", "npb:ep.S", "-n", "2", "--machine", "xeon-e5-2650v3-x2", "-o", "full.lwt"],
    ]
    for verb in verbs:
        assert main(verb) == 3, verb
        _, errors = capsys.readouterr()
        assert "No space left on device; make room or give another place with -" in errors.splitlines()[-1], (
            verb
        )
        assert stat.S_ISCHR(Path("/dev/full").stat().st_mode) and full.is_symlink()
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    "verb", ["convert t.lwt --to paje", "trace --skeleton npb:is.S -n 2 --machine laptop"]
)
def test_an_output_that_the_engine_has_no_room_for(trace, verb):
    done = shell(f"ulimit -f 1; linkworth {verb} -o full.lwt")
    assert done.returncode == 3
    message = done.stderr.decode().splitlines()[-1]
    assert "full.lwt" in message and message.endswith(
        ": File too large; make room or give another place with -o"
    )
    assert [path.name for path in Path().iterdir()] == ["t.lwt"]


@pytest.mark.parametrize("option", ["-o", "--timeline"])
def test_an_output_that_cannot_be_looked_up(trace, option, capsys):
    verb = {"-o": ["sweep", "t.lwt"], "--timeline": ["predict", "t.lwt", "--on", "gbe"]}[option]
    assert main([*verb, option, "x" * 300]) == 2
    assert f"File name too long; give another place with {option}" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["report", "t.lwt", "-o", "t.lwt"], ["sweep", "t.lwt", "-o", "t.lwt"]])
def test_a_recording_is_not_replaced_by_another_file(trace, words, capsys):
    before = trace.read_bytes()
    assert main(words) == 2
    assert "t.lwt is a trace, which would be lost; choose another name" in capsys.readouterr().err
    assert trace.read_bytes() == before


@pytest.mark.parametrize("kind", [BenchResult, BenchSet, StartupResult, Machine])
def test_a_measurement_is_replaced_by_nothing_but_a_file_that_can_be_made_again_is(trace, kind, capsys):
    machine = machine_text(machines.get("laptop"))
    schema = msgspec.structs.fields(kind)[0].default
    kept = machine if kind is Machine else encode({"schema": schema}, indent=2).decode()
    Path("kept").write_text(kept)
    Path("kept.toml").write_text(kept)
    for words in (
        ["sweep", "t.lwt", "--on", "gbe", "-o", "kept"],
        ["report", "t.lwt", "-o", "kept"],
        ["bench", "init", "-n", "1", "-o", "kept"],
        ["machines", "measure", "-o", "kept.toml"],
    ):
        assert main(words) == 2, words
        assert "is a measurement, which would be lost; choose another name" in capsys.readouterr().err
    assert Path("kept").read_text() == Path("kept.toml").read_text() == kept
    Path("kept").write_text("a table")
    assert main(["sweep", "t.lwt", "--on", "gbe", "--workers", "1", "-o", "kept"]) == 0
    assert Path("kept").read_text().startswith("fabric,")


def test_a_dash_is_standard_output(trace, linkworth):
    swept = linkworth("sweep", "t.lwt", "--on", "gbe", "--workers", "1", "-o", "-")
    assert swept.returncode == 0, swept.stderr
    [row] = csv.DictReader(io.StringIO(swept.stdout))
    assert row["fabric"] == "gbe" and float(row["seconds"]) > 0
    both = linkworth("sweep", "t.lwt", "--on", "gbe", "--workers", "1", "-o", "-", "--json")
    assert both.stdout == swept.stdout and '"schema": "linkworth.sweep/1"' in both.stderr
    page = linkworth("report", "t.lwt", "--on", "gbe", "-o", "-")
    assert page.stdout.startswith("<!") and page.stdout.rstrip().endswith("</html>")
    timeline = linkworth("predict", "t.lwt", "--on", "gbe", "--timeline", "-")
    assert json.loads(timeline.stdout)["traceEvents"] and "gbe" in timeline.stderr
    assert linkworth("convert", "t.lwt", "--to", "paje", "-o", "-").stdout.startswith("%EventDef")
    folder = linkworth("convert", "t.lwt", "--to", "ti", "-o", "-")
    assert folder.returncode == 2 and "ti needs a folder" in folder.stderr
    assert linkworth("run", "-o", "-", "--", "true").returncode == 2
    assert not Path("-").exists()
    skeleton = "trace --skeleton npb:ep.S -n 2 --machine xeon-e5-2650v3-x2 -o -"
    named = linkworth(*skeleton.split(), output="made.lwt")
    assert named.returncode == 0, named.stderr
    assert json.loads(linkworth("profile", "made.lwt", "--json").stdout)["ranks"] == 2


def test_a_name_like_a_formula_in_csv():
    times = dict.fromkeys(TIMES, 0.5)
    point = SweepPoint(
        fabric="=1+1", nodes=2, placement="-x", parameters={"latency": 1e-6}, internode_bytes=8, **times
    )
    swept = Sweep(workload="w", ranks=2, axes=[SweepAxis(name="latency", values=[1e-6])], points=[point])
    [row] = csv.DictReader(io.StringIO(as_csv(swept)))
    assert (row["fabric"], row["placement"], row["latency"], row["seconds"]) == (
        "'=1+1",
        "'-x",
        "1e-06",
        "0.5",
    )


@pytest.mark.requires("mpi")
def test_a_job_whose_output_is_lost_is_measured_to_its_end(linkworth):
    done = linkworth("run", "-n", "1", "-o", "kept", "--", "echo", "x", output="/dev/full")
    assert done.returncode == 3 and "cannot write standard output" in done.stderr
    assert (linkworth.folder / "kept/output.txt").read_text() == "x\n"
    assert json.loads((linkworth.folder / "kept/result.json").read_text())["state"] == "complete"


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "t.lwt", "--on", "gbe"],
        ["fabrics", "--json"],
        ["convert", "t.lwt", "--to", "paje", "-o", "-"],
        ["--help"],
        ["--version"],
    ],
)
def test_a_reader_that_has_enough_is_no_failure(tmp_path, arguments):
    write_trace(tmp_path / "t.lwt", [[send(1, 8)], [recv(0, 8)]])
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "linkworth", *arguments]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
