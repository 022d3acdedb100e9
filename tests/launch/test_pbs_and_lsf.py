"""PBS and LSF, against stand-ins of their commands that answer as the manuals say."""

import json

import fake_installation as fake
import pytest

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.launch.batch import BatchRequest
from linkworth.launch.lsf import Lsf
from linkworth.launch.pbs import Pbs


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A folder before all others on PATH, and what the stand-ins were given."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    def make(name, text):
        fake.script(tmp_path / "bin" / name, f'echo "$0 $@" >> {tmp_path}/calls; {text}')

    return make


def request(tmp_path, **more):
    return BatchRequest(name="ft", body="mpiexec ./x", folder=tmp_path, log=tmp_path / "log", tasks=8, nodes=4, tasks_per_node=2,
                        seconds=5400, partition="short", account="me", **more)  # fmt: skip


def test_a_pbs_script(tmp_path, commands):
    commands("qsub", "echo 12.server")
    assert Pbs().submit(request(tmp_path, options=["-l software=x"]), tmp_path / "job.sh") == "12.server"
    lines = (tmp_path / "job.sh").read_text().splitlines()
    assert lines[0] == "#!/bin/sh"
    for wanted in ("-N ft", "-l select=4:ncpus=2:mpiprocs=2", "-l place=scatter", "-l walltime=01:30:00", "-q short", "-A me",
                   "-r n", "-l software=x"):  # fmt: skip
        assert f"#PBS {wanted}" in lines
    assert lines[-2:] == [f"cd {tmp_path} || exit 1", "mpiexec ./x"]


def test_a_pbs_array(tmp_path, commands):
    commands("qsub", "echo '12[].server'")
    pbs = Pbs()
    job = pbs.submit(request(tmp_path, array=3, at_once=2), tmp_path / "job.sh")
    assert "#PBS -J 0-2%2" in (tmp_path / "job.sh").read_text()
    assert pbs.elements(job, 3) == ["12[0].server", "12[1].server", "12[2].server"]


def test_pbs_states_and_causes(tmp_path, commands):
    jobs = {
        "1.s": {"job_state": "Q", "comment": "Not Running: Not enough free nodes available"},
        "2.s": {"job_state": "R", "exec_host": "n1/0*2+n2/0*2"},
        "3.s": {"job_state": "F", "Exit_status": 0, "exec_host": "n1/0"},
        "4.s": {"job_state": "F", "Exit_status": -29},
        "5.s": {"job_state": "F", "Exit_status": -27},
        "6.s": {"job_state": "F", "Exit_status": 271},
        "7.s": {"job_state": "F", "Exit_status": 3},
        "8.s": {"job_state": "F", "comment": "Job deleted before it ran"},
    }
    answer = tmp_path / "answer"
    answer.write_text(json.dumps({"pbs_server": "s", "Jobs": jobs}))
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


def test_a_pbs_job_is_found_by_its_token(tmp_path, commands):
    commands("qsub", "echo 12.server")
    Pbs().submit(request(tmp_path, token="0123456789"), tmp_path / "job.sh")
    assert "#PBS -N ft-0123456789" in (tmp_path / "job.sh").read_text().splitlines()
    jobs = {"3.s": {"Job_Name": "ft-aaaaaaaaaa"}, "12[4].s": {"Job_Name": "link-0123456789"}}
    answer = tmp_path / "answer"
    answer.write_text(json.dumps({"Jobs": jobs}))
    commands("qstat", f"cat {answer}")
    assert Pbs().find("0123456789") == "12[].s"
    assert Pbs().find("aaaaaaaaaa") == "3.s"
    assert Pbs().find("bbbbbbbbbb") is None
    commands("qstat", "echo 'Connection refused' >&2; exit 15")
    with pytest.raises(EnvironmentLacksError, match="qstat does not answer: Connection refused"):
        Pbs().find("0123456789")


def test_an_lsf_job_is_found_by_its_token(tmp_path, commands):
    commands("bsub", "cat > /dev/null; echo 'Job <18> is submitted'")
    Lsf().submit(request(tmp_path, token="0123456789", array=2), tmp_path / "job.sh")
    assert '#BSUB -J "ft-0123456789[1-2]"' in (tmp_path / "job.sh").read_text().splitlines()
    commands("bjobs", "echo '17|other'; echo '18|ft-0123456789[1]'; echo '18|ft-0123456789[2]'")
    assert (Lsf().find("0123456789"), Lsf().find("bbbbbbbbbb")) == ("18", None)
    commands("bjobs", "echo 'No job found' >&2; exit 255")
    assert Lsf().find("0123456789") is None
    commands("bjobs", "echo 'LSF is down' >&2; exit 255")
    with pytest.raises(EnvironmentLacksError, match="bjobs does not answer: LSF is down"):
        Lsf().find("0123456789")


def test_an_lsf_script_goes_to_standard_input(tmp_path, commands):
    commands("bsub", f"cat > {tmp_path}/given; echo 'Job <17> is submitted to queue <short>.'")
    assert Lsf().submit(request(tmp_path, constraint="ib"), tmp_path / "job.sh") == "17"
    text = (tmp_path / "given").read_text()
    assert text == (tmp_path / "job.sh").read_text()
    for wanted in (
        '-J "ft"',
        "-n 8",
        '-R "span[ptile=2]"',
        '-R "select[ib]"',
        "-W 90",
        "-q short",
        "-P me",
        "-rn",
    ):
        assert f"#BSUB {wanted}\n" in text
    assert text.endswith("mpiexec ./x\n")


def test_an_lsf_array(tmp_path, commands):
    commands("bsub", "echo 'Job <17> is submitted to default queue <normal>.'")
    lsf = Lsf()
    job = lsf.submit(request(tmp_path, array=3), tmp_path / "job.sh")
    assert '#BSUB -J "ft[1-3]"' in (tmp_path / "job.sh").read_text()
    assert lsf.elements(job, 3) == ["17[1]", "17[2]", "17[3]"]


def test_lsf_states_and_causes(tmp_path, commands):
    answer = tmp_path / "answer"
    answer.write_text(
        "17|0|PEND|-|-|-|Not enough hosts\n"
        "18|1|RUN|-|4*n1:4*n2|-|-\n"
        "18|2|DONE|0|n1|-|-\n"
        "19|0|EXIT|140|n1|TERM_RUNLIMIT: job killed after reaching LSF run time limit|-\n"
        "20|0|EXIT|130|n1|TERM_OWNER: job killed by owner|-\n"
        "21|0|EXIT|3|n1|-|-\n"
        "22|0|EXIT|1|n1|TERM_RMS: job exited from an RMS system error|-\n"
    )
    commands("bjobs", f"cat {answer}; echo 'Job <23> is not found' >&2; exit 255")
    states = Lsf().state(["17", "18[1]", "18[2]", "19", "20", "21", "22", "23"])
    assert (states["17"].phase, states["17"].reason) == ("pending", "Not enough hosts")
    assert (states["18[1]"].phase, states["18[1]"].nodes) == ("running", ["n1", "n2"])
    assert (states["18[2]"].phase, states["18[2]"].exit_code) == ("ended", 0)
    assert (states["19"].timed_out, "-W" in states["19"].cause) == (True, True)
    assert states["20"].cause == "it was cancelled"
    assert (states["21"].exit_code, states["21"].cause) == (3, "")
    assert "TERM_RMS" in states["22"].cause
    assert states["23"].phase == "unknown"


@pytest.mark.parametrize(("system", "command", "refusal"), [
    (Pbs(), "qsub", "qsub: Unknown queue"),
    (Lsf(), "bsub", "short: No such queue. Job not submitted."),
])  # fmt: skip
def test_what_is_refused_is_said_in_their_words(tmp_path, commands, system, command, refusal):
    commands(command, f"echo '{refusal}' >&2; exit 1")
    with pytest.raises(UsageError, match=refusal):
        system.submit(request(tmp_path), tmp_path / "job.sh")


@pytest.mark.parametrize(("system", "cancel"), [(Pbs(), "qdel"), (Lsf(), "bkill")])
def test_cancelling_names_the_jobs(tmp_path, commands, system, cancel):
    commands(cancel, "true")
    system.cancel(["1", "2"])
    system.cancel([])
    assert (tmp_path / "calls").read_text().splitlines() == [f"{tmp_path}/bin/{cancel} 1 2"]


def test_away_from_a_cluster_it_says_where_to_go(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EnvironmentLacksError, match="qsub is not on PATH; PBS jobs are submitted from a login node"
    ):
        Pbs().submit(request(tmp_path), tmp_path / "job.sh")
