import io
import signal

import pytest
from eventual import eventually
from fake_installation import script
from rich.console import Console
from rich.progress import Progress

from linkworth.cli import parameter_names, study, study_screen
from linkworth.cli.study_screen import StudyProgress

STUDY = """\
title = "A small study"
repetitions = 2
ranks = 2
seed = 5
workloads = ["sh -c ${program}"]
environments = [{ name = "here" }, { name = "wire", fabric = "gbe", mode = "predict", nodes = 2, workloads = ["bench:*"] }]
[variables]
program = ["true", "false"]
[scale.predict]
mode = "predict"
"""
needs_mpi = pytest.mark.requires("mpi")


@pytest.fixture
def file(tmp_path):
    def write(text=STUDY):
        (tmp_path / "s.toml").write_text(text.split("[scale")[0])
        return "s.toml"

    return write


def test_a_sentence_above_the_bar_names_options(monkeypatch, capsys):
    terminal = io.StringIO()
    bar = Progress(console=Console(file=terminal, force_terminal=True, width=200))
    monkeypatch.setattr(study_screen, "started_bar", lambda *_: bar)
    parameter_names.use(study.command)
    with StudyProgress() as shown:
        shown.begin(2, 0)
        shown.say("choose other environments with `filter`")
    said = terminal.getvalue() + capsys.readouterr().err
    assert "choose other environments with --filter" in said


@needs_mpi
def test_a_study_from_its_plan_to_its_status(linkworth, file, tmp_path):
    document = linkworth.json("study", "run", file(), "--dry-run")
    assert document["schema"] == "linkworth.study-plan/1" and len(document["runs"]) == 4
    assert {run["command"][-1] for run in document["runs"]} == {"true", "false"}
    misspelt = linkworth("study", "run", file(STUDY.replace('"here"', '"here", fabric = "gbee"')))
    assert misspelt.returncode == 2 and "no fabric is called 'gbee'" in misspelt.stderr
    assert not (tmp_path / "s.study").exists()

    assert linkworth.json("study", "run", file(), "--filter", "program=true")["done"] == 2

    waiting = linkworth("study", "status", "s.study")
    assert waiting.returncode == 4
    assert waiting.stdout.splitlines()[0] == "A small study: 2 of 4 runs done"
    assert "go on with: linkworth study resume s.study" in waiting.stdout

    rest = linkworth("study", "resume", "s.study")
    assert rest.returncode == 1
    assert "the program left with exit code 1" in rest.stdout
    assert linkworth("study", "status", "s.toml").returncode == 1
    listed = linkworth("study", "run", "s.toml", "--dry-run").stdout
    assert listed.count("  done ") == 4 and "4 of them made already" in listed


def test_predictions_alone_need_no_mpi(linkworth, file):
    text = 'workloads = ["npb:is.S", "bench:latency"]\nenvironments = ["gbe", "ib-fdr"]\nmode = "predict"\nranks = 4\nnodes = 2\n'
    name = file(text + '[predict]\nmachine = "xeon-e5-2650v3-x2"\n')
    planned = linkworth("study", "run", name, "--dry-run")
    assert "linkworth predict npb:is.S -n 4 --nodes 2 --on gbe --machine xeon-e5-2650v3-x2" in planned.stdout
    made_later = linkworth("study", "run", file(text.replace("npb:is.S", "true")), "--dry-run").stdout
    assert "linkworth predict" not in made_later  # there is no trace yet that a command could name
    name = file(text + '[predict]\nmachine = "xeon-e5-2650v3-x2"\n')
    found = linkworth.json("study", "run", name)
    assert (found["total"], found["done"], found["open"]) == (4, 4, 0)


@needs_mpi
def test_ctrl_c_leaves_a_study_that_can_be_resumed(linkworth, file, tmp_path):
    gate = tmp_path / "gate"
    program = script(tmp_path / "second_hangs", f"[ ! -e {gate} ] || exec sleep 600\ntouch {gate}")
    name = file(
        f'repetitions = 40\nranks = 1\nworkloads = ["{program}"]\nenvironments = [{{ name = "here" }}]\n'
    )
    process = linkworth.start("study", "run", name)
    folder = tmp_path / "s.study" / "runs"
    assert eventually(lambda: list(folder.glob("*/run.json")), during=process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 4
    assert "others follow with: linkworth study resume s.study" in said
    whole = {path.parent.name for path in folder.glob("*/run.json")}
    assert whole == {path.name for path in folder.iterdir()}
    assert len(whole) == 1
