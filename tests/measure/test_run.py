import json
import os
from pathlib import Path

import fake_installation as fake
import msgspec
import pytest
from fake_launcher import FakeLauncher
from mpi_programs import compiled, usable_mpis

from linkworth.errors import UsageError
from linkworth.measure import plan, run
from linkworth.model.run import RunResult
from linkworth.model.workload import Workload
from linkworth.mpi import find
from linkworth.places.local import LocalPlace

NPB = " Time in seconds =    1.25\n Verification    =   {}\n"
needs_mpi = pytest.mark.requires("mpi")


def played(tmp_path, *, command=("true",), **end):
    return run.run(
        plan.plan(plan.workload(list(command), 4))._replace(launcher=FakeLauncher(**end)),
        folder=tmp_path / "result",
    )


@needs_mpi
def test_a_result_is_one_document_beside_the_raw_output(tmp_path):
    result = played(tmp_path, stdout=NPB.format("SUCCESSFUL"), stderr="remark\n", seconds=2.0)
    assert (result.state, result.seconds, result.reported_seconds, result.verified) == (
        "complete",
        2.0,
        1.25,
        True,
    )
    assert msgspec.json.decode((tmp_path / "result/result.json").read_bytes(), type=RunResult) == result
    assert Path(result.output).read_text() == NPB.format("SUCCESSFUL") + "remark\n"
    assert sorted(path.name for path in (tmp_path / "result").iterdir()) == ["output.txt", "result.json"]


@needs_mpi
def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "result").write_text("")
    with pytest.raises(UsageError, match=r"cannot write .*result: .*; give another place"):
        played(tmp_path)


@needs_mpi
def test_failures_are_results(tmp_path):
    assert played(tmp_path, exit_code=3).state == "failed"
    stopped = played(tmp_path, exit_code=-15, timed_out=True)
    assert stopped.state == "timeout"
    assert played(tmp_path, stdout=NPB.format("UNSUCCESSFUL")).verified is False


@needs_mpi
@pytest.mark.requires("c++")
def test_a_bundled_programs_refusal_is_a_usage_error_in_its_words(tmp_path):
    with pytest.raises(UsageError, match=r"^ranks must be a square$"):
        played(
            tmp_path,
            command=["npb:ep.S"],
            exit_code=2,
            stderr="noise\nlw-npb: ranks must be a square\nnoise\n",
        )


@needs_mpi
@pytest.mark.requires("dev-full")
def test_output_that_cannot_be_kept_does_not_stop_the_run(tmp_path):
    (tmp_path / "result").mkdir()
    (tmp_path / "result/output.txt").symlink_to("/dev/full")
    result = played(tmp_path, stdout=NPB.format("SUCCESSFUL"))
    assert (result.state, result.verified) == ("complete", True)
    assert "No space left" in result.message


def test_another_mpi_than_that_of_the_own_launcher_is_refused(tmp_path, monkeypatch):
    script = fake.script(tmp_path / "hiding.sh", "")
    mpirun = fake.script(tmp_path / "mpirun", "echo 'mpirun (Open MPI) 5.0.99'")
    other = str(fake.script(tmp_path / "mpiexec", ""))
    known = [fake.described("mpich", "5.0.2", other), fake.described("openmpi", "5.0.99", str(mpirun))]
    monkeypatch.setattr(find, "find_all", lambda: known)
    command = [str(mpirun), "-n", "2", str(script)]
    assert plan.plan(plan.workload(command, None), "openmpi").mpi is known[1]
    with pytest.raises(
        UsageError, match=r"^`mpi` mpich: mpirun belongs to openmpi 5\.0\.99; leave `mpi` out"
    ):
        plan.plan(plan.workload(command, None), "mpich")


def test_a_programs_name_is_one_line_that_orders_nothing():
    assert plan.workload(["./a\nb\tc\x1b[31m"], 2).name == r"a\x0ab\x09c\x1b[31m"


def test_a_rank_count_twice_is_refused(tmp_path):
    with pytest.raises(UsageError, match="has its own number of ranks"):
        plan.workload(["mpirun", "-n", "4", "./program"], 8)


@pytest.mark.parametrize(
    ("option", "place"), [("transport tcp", LocalPlace("tcp")), ("binding core", LocalPlace("", "core"))]
)
def test_options_that_the_own_launcher_would_not_get_are_refused(option, place):
    with pytest.raises(UsageError, match=f"has its own options for the .* \\({option}\\)"):
        plan.workload(["mpiexec", "-n", "2", "./program"], None, place)


@pytest.mark.parametrize("before", ["env A=1", "timeout 50", "nice"])
def test_a_launcher_behind_another_command_is_refused(before, tmp_path, monkeypatch):
    fake.script(tmp_path / "mpirun", "")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    words = [*before.split(), "mpirun", "-n", "2", "./a"]
    with pytest.raises(
        UsageError, match=f"{words[0]} would start mpirun once for each rank; put {words[0]} before"
    ):
        plan.workload(words, 2)


@needs_mpi
@pytest.mark.requires("c++")
def test_the_command_line_runs_a_program_and_passes_its_output_on(linkworth, tmp_path):
    compiled(usable_mpis()[0], linkworth.folder)
    done = linkworth("run", "-n", "3", "-o", "kept", "--json", "--", "./ends", "well")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["schema"], document["ranks"], document["state"]) == ("linkworth.run/1", 3, "complete")
    assert "ranks 3" in done.stderr
    assert json.loads((linkworth.folder / "kept/result.json").read_text()) == document
    assert linkworth("run", "-n", "2", "--", "./ends", "fail").returncode == 1
    assert linkworth("run", "-n", "2", "--timeout", "2", "--", "./ends", "hang").returncode == 4
    shown = linkworth("run", "-n", "2", "--dry-run", "--", "./ends", "well")
    assert shown.stdout.split()[1:3] == ["-n", "2"]


@pytest.mark.parametrize("verb", ["run", "trace"])
def test_what_cannot_be_run_is_one_sentence_and_exit_code_2(refused, verb):
    assert "there is no program ./absent" in refused(verb, "./absent")
    assert "npb:PROGRAM.CLASS" in refused(verb, "npb:ft")
    assert "0 is not in the range x>=1" in refused(verb, "-n", "0", "--", "true")
    assert "two" in refused(verb, "-n", "two", "--", "true")
    assert "timeout" in refused(verb, "--timeout", "0", "--", "true")


def test_without_an_mpi_run_and_trace_and_doctor_say_so_with_3(linkworth, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("LINKWORTH_MPI_PATH", "")
    program = fake.script(tmp_path / "program", "")
    for arguments in (["run", "--", program], ["trace", "--", program], ["doctor"]):
        done = linkworth(*arguments)
        if done.returncode == 0:
            pytest.skip("this Python environment has an MPI of its own")
        assert done.returncode == 3
        assert "pip install mpich" in done.stderr


@needs_mpi
def test_a_result_says_where_it_was_measured_and_what_makes_it_doubtful(tmp_path, monkeypatch):
    class TwoCores(LocalPlace):
        cores = 2

    few = run.run(plan.plan(plan.workload(["true"], 2), opened=TwoCores())._replace(launcher=FakeLauncher()))
    assert (few.where, len(few.nodes), few.cores, few.remark) == ("local", 1, 2, "")
    assert few.facts["kernel"]
    assert [node.node for node in few.counters] == few.nodes
    assert [use.node for use in few.core_use] == few.nodes
    many = run.run(plan.plan(plan.workload(["true"], 5), opened=TwoCores())._replace(launcher=FakeLauncher()))
    assert many.remark.startswith("5 ranks share 2 cores")
    two = TwoCores()
    two.nodes.append("without-counters")
    half = run.run(plan.plan(plan.workload(["true"], 2), opened=two)._replace(launcher=FakeLauncher()))
    assert half.remark.startswith("counters could be read on 1 of 2 nodes only")


@needs_mpi
def test_ranks_yield_where_they_share_cores_and_would_not_by_themselves(tmp_path):
    class Spinning(FakeLauncher):
        spins_when_crowded = True

    class TwoCores(LocalPlace):
        cores = 2

    def yields(launcher, ranks):
        decided = plan.plan(plan.workload(["true"], ranks), None, TwoCores())
        return run.must_yield(decided._replace(launcher=launcher))

    assert [yields(Spinning(), 3), yields(Spinning(), 2), yields(FakeLauncher(), 3)] == [True, False, False]


@pytest.mark.parametrize(("app", "ranks"), [("npb:ft.S", 3), ("npb:bt.S", 8), ("npb:cg.A", 6)])
def test_a_rank_count_that_a_class_cannot_use_is_refused_before_anything_is_built(monkeypatch, app, ranks):
    monkeypatch.setattr("linkworth.mpi.build.npb", lambda _: pytest.fail("built"))
    with pytest.raises(UsageError, match=rf"^{app[4:6]} class {app[-1]} runs on .* not on {ranks}$"):
        plan.plan(Workload(name=app, command=[app], ranks=ranks))
