"""`linkworth profile` as a person and as a program read it."""

import json
from pathlib import Path

import communication_patterns as patterns
import pytest
import synthetic
from click.testing import CliRunner
from golden import check_golden

from linkworth.cli.main import main
from linkworth.cli.profile import command

GOLDEN = Path(__file__).parent / "golden"


def run(*arguments):
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.output


def test_the_screen(tmp_path):
    programs = patterns.halo(12, 78_000, 1.1e-3)
    for rank, calls in enumerate(programs):
        for call in calls:
            call.lasting(1e-3 * (1 + rank % 3))
    programs[0].append(synthetic.Call("MPI_Put", "local"))
    ranks = [
        {"rank": rank, "host": "node", "state": "complete", "cores": 4, "elapsed_seconds": 1.75}
        for rank in range(12)
    ]
    path = synthetic.write_trace(
        tmp_path / "t.lwt", programs, ranks=ranks, workload="halo [12]", verified=True
    )
    check_golden(GOLDEN / "screen.txt", run(path))


def test_the_screen_of_many_ranks_of_a_damaged_trace(tmp_path):
    path = synthetic.write_trace(
        tmp_path / "t.lwt", patterns.transposes(70, 70 * 70 * 100, 1e-3, steps=2), verified=False,
        damage=["rank 3 (process 9 on node) did not reach MPI_Finalize: its record is cut after 5 calls"],
    )  # fmt: skip
    check_golden(GOLDEN / "many-ranks.txt", run(path))


def test_json_is_the_contract(tmp_path):
    path = synthetic.write_trace(tmp_path / "t.lwt", patterns.independent(4, 0.01))
    document = json.loads(run(path, "--json"))
    assert document["schema"] == "linkworth.profile/1"
    assert set(document["shares"]) == {"compute", "communication", "init"}
    assert sum(document["shares"].values()) == pytest.approx(1)
    assert set(document["calls"][0]) == {"name", "count", "bytes", "seconds", "sites"}
    assert set(document["pop"]) == {
        "parallel_efficiency",
        "load_balance",
        "communication_efficiency",
        "serialisation_efficiency",
        "transfer_efficiency",
    }
    assert document["group"] == "none"


@pytest.mark.parametrize("content", [None, b"", b"no trace at all"])
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, capsys, content):
    path = tmp_path / "x.lwt"
    if content is not None:
        path.write_bytes(content)
    assert main(["profile", str(path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert str(path) in shown.err
