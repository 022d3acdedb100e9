"""Slurm's words, from stand-ins of its commands; test_slurm_jobs.py asks a real one."""

import pytest
from run_program import output_of

from linkworth.errors import EnvironmentLacksError
from linkworth.places.batch import BatchRequest
from linkworth.places.slurm import Slurm


@pytest.fixture
def commands(commands):
    """The commands of a Slurm that knows no job."""
    for name in ("squeue", "sacct", "scontrol"):
        commands(name, "echo 'Invalid job id' >&2; exit 1")
    return commands


def test_every_state_has_its_phase_and_cause(tmp_path, commands):
    lines = [
        "1|PENDING|Resources|", "2|RUNNING|None|n[1-2]", "3|COMPLETED|None|n1", "4|TIMEOUT|TimeLimit|n1",
        "5|OUT_OF_MEMORY|OutOfMemory|n1", "6|NODE_FAIL|NodeFail|n1", "7|CANCELLED|None|", "8|FAILED|NonZeroExitCode|n1",
        "9|COMPLETING|None|n1", "10|PREEMPTED|None|n1",
    ]  # fmt: skip
    commands("squeue", "\n".join(f"echo '{line}'" for line in lines))
    commands(
        "scontrol",
        'case "$4" in 8) echo "JobId=8 JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0 NodeList=n1";; *) exit 1;; esac',
    )
    states = Slurm().state([str(number) for number in range(1, 12)])
    assert [states[str(number)].phase for number in range(1, 12)] == [
        "pending", "running", "ended", "ended", "ended", "ended", "ended", "ended", "running", "ended", "unknown",
    ]  # fmt: skip
    assert states["1"].reason == "Resources"
    assert states["2"].nodes == ["n1", "n2"]
    assert (states["3"].exit_code, states["3"].cause) == (0, "")
    assert (states["4"].timed_out, "time limit" in states["4"].cause) == (True, True)
    assert "memory" in states["5"].cause
    assert "node" in states["6"].cause
    assert states["7"].cause == "it was cancelled"
    assert (states["8"].exit_code, states["8"].cause) == (3, "")
    assert "priority" in states["10"].cause


def test_what_squeue_has_forgotten_the_accounting_knows(tmp_path, commands):
    commands("sacct", "echo '12_0|CANCELLED by 1000|0:15|n3'; echo '12_1|OUT_OF_MEMORY|0:125|n4'")
    states = Slurm().state(["12_0", "12_1"])
    assert (states["12_0"].cause, states["12_0"].exit_code, states["12_0"].nodes) == (
        "it was cancelled",
        -15,
        ["n3"],
    )
    assert "more memory" in states["12_1"].cause


def test_what_has_ended_is_not_asked_about_again(tmp_path, commands):
    commands("squeue", "echo '1|COMPLETED|None|n1'; echo '2|RUNNING|None|n2'")
    slurm = Slurm()
    slurm.state(["1"])
    before = (tmp_path / "calls").read_text()
    assert slurm.state(["1"])["1"].exit_code == 0
    assert (tmp_path / "calls").read_text() == before
    assert slurm.state(["1", "2"])["2"].phase == "running"


def test_a_script_asks_for_what_was_asked(tmp_path, commands):
    commands("sbatch", "echo '7;cluster'")
    request = BatchRequest(
        name="ft",
        body="srun ./x\n",
        folder=tmp_path,
        log=tmp_path / "log",
        tasks=8,
        nodes=4,
        tasks_per_node=2,
        seconds=90,
        partition="p",
        constraint="ib",
        account="me",
        options=["--exclusive"],
        array=6,
        at_once=2,
    )
    assert Slurm().submit(request, tmp_path / "job.sh") == "7"
    lines = (tmp_path / "job.sh").read_text().splitlines()
    wanted = (
        "ntasks=8 nodes=4 ntasks-per-node=2 time=00:01:30 partition=p constraint=ib account=me array=0-5%2"
    )
    for option in (*wanted.split(), "no-requeue", "exclusive"):
        assert f"#SBATCH --{option}" in lines
    assert lines[-1] == "srun ./x"


def test_ranks_with_threads_keep_the_cores_that_the_job_gives_each():
    words = ["sh", "-c", f'{Slurm.prepares}; echo "$SLURM_OVERLAP $SRUN_CPUS_PER_TASK"']
    assert output_of(words, env={"SLURM_CPUS_PER_TASK": "4"}) == "1 4\n"
    assert output_of(words, env={"SLURM_CPUS_PER_TASK": "4", "SRUN_CPUS_PER_TASK": "2"}) == "1 2\n"
    assert output_of(words, env={}) == "1 \n"


def test_a_controller_that_is_away_is_no_unknown_job(tmp_path, commands):
    commands("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(EnvironmentLacksError, match=r"Slurm does not answer: .*Unable to contact"):
        Slurm().state(["1"])


def test_a_job_is_found_by_the_token_in_its_name(tmp_path, commands):
    request = BatchRequest(
        name="lw-netbench", body="true", folder=tmp_path, log=tmp_path / "log", token="0123456789"
    )
    assert "#SBATCH --job-name=lw-netbench-0123456789" in Slurm().script(request).splitlines()
    commands("squeue", "echo '7 lw-netbench-aaaaaaaaaa'; echo '12 linkworth-study-0123456789'")
    commands("sacct", "echo '5_1 x-cccccccccc'; echo '5_2 x-cccccccccc'")
    slurm = Slurm()
    assert (slurm.find("0123456789"), slurm.find("aaaaaaaaaa")) == ("12", "7")
    assert slurm.find("cccccccccc") == "5"
    assert slurm.find("bbbbbbbbbb") is None
    commands("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(EnvironmentLacksError, match=r"squeue does not answer: .*Unable to contact"):
        slurm.find("0123456789")
