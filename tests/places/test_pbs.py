"""PBS, with stand-ins of its commands that answer as the manuals describe."""

import msgspec
import pytest

from linkworth.errors import EnvironmentLacksError
from linkworth.places.pbs import Pbs


def qstat(jobs):
    """Return the output of `qstat -f` about jobs. Long values continue on lines that begin with a tab."""
    blocks = []
    for job, fields in jobs.items():
        lines = [f"Job Id: {job}"]
        for name, value in fields.items():
            text = f"    {name} = {value}"
            lines.append("\n\t".join(text[at : at + 40] for at in range(0, len(text), 40)))
        blocks.append(
            "\n".join([*lines, "    Variable_List = PBS_O_LANG=C,count=005,", "\tescape=\\e[0m", ""])
        )
    return "\n".join(blocks)


def test_a_pbs_script_and_an_array(tmp_path, commands, request_of_eight):
    commands("qsub", "echo 12.server")
    assert Pbs().submit(request_of_eight(options=["-l software=x"]), tmp_path / "job.sh") == "12.server"
    lines = (tmp_path / "job.sh").read_text().splitlines()
    assert lines[0] == "#!/bin/sh"
    for wanted in ("-N ft", "-l select=4:ncpus=2:mpiprocs=2", "-l place=scatter", "-l walltime=01:30:00", "-q short", "-A me",
                   "-r n", "-l software=x"):  # fmt: skip
        assert f"#PBS {wanted}" in lines
    assert lines[-2:] == [f"cd {tmp_path} || exit 1", "mpiexec ./x"]
    commands("qsub", "echo '12[].server'")
    pbs = Pbs()
    array = msgspec.structs.replace(request_of_eight(array=3, at_once=2), name="2d")
    job = pbs.submit(array, tmp_path / "job.sh")
    lines = (tmp_path / "job.sh").read_text().splitlines()
    # qsub refuses names that begin with a digit, and arrays that it may not start again.
    assert all(f"#PBS {wanted}" in lines for wanted in ("-J 0-2%2", "-N jd", "-r y"))
    assert pbs.elements(job, 3) == ["12[0].server", "12[1].server", "12[2].server"]


def test_uneven_ranks_use_every_node(request_of_eight):
    request = msgspec.structs.replace(request_of_eight(constraint="ib"), nodes=3, tasks_per_node=None)
    assert "-l select=2:ncpus=3:mpiprocs=3:ib+1:ncpus=2:mpiprocs=2:ib" in list(Pbs().directives(request))


def test_pbs_states_and_causes(tmp_path, commands):
    jobs = {
        "1.s": {"job_state": "Q", "comment": "Not Running: Not enough free nodes available"},
        "2.s": {"job_state": "R", "exec_host": "n1/0*2+n2/0*2"},
        "3.s": {"job_state": "F", "Exit_status": "0", "exec_host": "n1/0"},
        "4.s": {"job_state": "F", "Exit_status": -29},
        "5.s": {"job_state": "F", "Exit_status": -27},
        "6.s": {"job_state": "F", "Exit_status": 271},
        "7.s": {"job_state": "F", "Exit_status": 3},
        "8.s": {"job_state": "F", "comment": "Job deleted before it ran"},
    }
    answer = tmp_path / "answer"
    answer.write_text(qstat(jobs))
    commands("qstat", f"cat {answer}; exit 153")
    states = Pbs().state([*jobs, "9.s"])
    assert states["1.s"].phase == "pending" and "free nodes" in states["1.s"].reason
    assert (states["2.s"].phase, states["2.s"].nodes) == ("running", ["n1", "n2"])
    assert (states["3.s"].exit_code, states["3.s"].cause) == (0, "")
    assert (states["4.s"].timed_out, "walltime" in states["4.s"].cause) == (True, True)
    assert "memory" in states["5.s"].cause
    assert (states["6.s"].exit_code, "signal 15" in states["6.s"].cause) == (-15, True)
    assert (states["7.s"].exit_code, states["7.s"].cause) == (3, "")
    assert "deleted" in states["8.s"].cause
    assert states["9.s"].phase == "unknown"


def test_a_server_without_history_still_knows_its_jobs(tmp_path, commands):
    answer = tmp_path / "answer"
    answer.write_text(qstat({"1.s": {"Job_Name": "ft-0123456789", "job_state": "Q"}}))
    refusal = "echo 'qstat: PBS is not configured to maintain job history' >&2; exit 1"
    commands("qstat", f'case "$1" in -x) {refusal};; esac; cat {answer}')
    assert Pbs().state(["1.s"])["1.s"].phase == "pending"
    assert Pbs().find("0123456789") == "1.s"
    commands("qstat", f"case \"$1\" in -x) {refusal};; esac; echo 'qstat: Unknown Job Id 1.s' >&2; exit 153")
    assert Pbs().state(["1.s"])["1.s"].phase == "unknown"


def test_a_silent_server_makes_no_job_unknown(commands):
    commands("qstat", "echo 'qstat: cannot connect to server s (errno=15010)' >&2; exit 1")
    with pytest.raises(EnvironmentLacksError, match=r"qstat does not answer: .*cannot connect"):
        Pbs().state(["1.s"])


def test_a_pbs_job_is_found_by_its_token(tmp_path, commands, request_of_eight):
    commands("qsub", "echo 12.server")
    Pbs().submit(request_of_eight(token="0123456789"), tmp_path / "job.sh")
    assert "#PBS -N ft-0123456789" in (tmp_path / "job.sh").read_text().splitlines()
    jobs = {"3.s": {"Job_Name": "ft-aaaaaaaaaa"}, "12[4].s": {"Job_Name": "link-0123456789"}}
    answer = tmp_path / "answer"
    answer.write_text(qstat(jobs))
    commands("qstat", f"cat {answer}")
    assert Pbs().find("0123456789") == "12[].s"
    assert Pbs().find("aaaaaaaaaa") == "3.s"
    assert Pbs().find("bbbbbbbbbb") is None
    commands("qstat", "echo 'Connection refused' >&2; exit 15")
    with pytest.raises(EnvironmentLacksError, match="qstat does not answer: Connection refused"):
        Pbs().find("0123456789")


def test_away_from_a_cluster_it_says_where_to_go(tmp_path, monkeypatch, request_of_eight):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EnvironmentLacksError, match="qsub is not on PATH; PBS jobs are submitted from a login node"
    ):
        Pbs().submit(request_of_eight(), tmp_path / "job.sh")
