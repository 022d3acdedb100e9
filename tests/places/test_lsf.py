"""LSF, with stand-ins of its commands that answer as the manuals describe."""

import msgspec
import pytest
from run_program import output_of

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.places.lsf import Lsf


def test_an_lsf_job_is_found_by_its_token(tmp_path, commands, request_of_eight):
    commands("bsub", "cat > /dev/null; echo 'Job <18> is submitted'")
    Lsf().submit(request_of_eight(token="0123456789", array=2), tmp_path / "job.sh")
    assert '#BSUB -J "ft-0123456789[1-2]"' in (tmp_path / "job.sh").read_text().splitlines()
    commands("bjobs", "echo '17|other'; echo '18|ft-0123456789[1]'; echo '18|ft-0123456789[2]'")
    assert (Lsf().find("0123456789"), Lsf().find("bbbbbbbbbb")) == ("18", None)
    commands("bjobs", "echo 'No job found' >&2; exit 255")
    assert Lsf().find("0123456789") is None
    commands("bjobs", "echo 'LSF is down' >&2; exit 255")
    with pytest.raises(EnvironmentLacksError, match="bjobs does not answer: LSF is down"):
        Lsf().find("0123456789")


def test_an_lsf_script_goes_to_standard_input(tmp_path, commands, request_of_eight):
    commands("bsub", f"cat > {tmp_path}/given; echo 'Job <17> is submitted to queue <short>.'")
    assert Lsf().submit(request_of_eight(constraint="ib"), tmp_path / "job.sh") == "17"
    text = (tmp_path / "given").read_text()
    assert text == (tmp_path / "job.sh").read_text()
    packed = ('-J "ft"', '-R "span[ptile=2]"', '-R "select[ib]"')
    for wanted in (*packed, "-n 8", "-W 90", "-q short", "-P me", "-rn"):
        assert f"#BSUB {wanted}\n" in text
    assert text.endswith("mpiexec ./x\n")


def test_ranks_that_lsf_would_put_on_fewer_nodes_are_refused(request_of_eight):
    five = msgspec.structs.replace(request_of_eight(), tasks=5, nodes=3, tasks_per_node=None)
    assert '-R "span[ptile=2]"' in list(Lsf().directives(five))
    four = msgspec.structs.replace(five, tasks=4)
    with pytest.raises(UsageError, match="`nodes` 3: LSF fills 2 nodes with the 4 ranks, 2 on each"):
        list(Lsf().directives(four))


def test_an_lsf_array(tmp_path, commands, request_of_eight):
    commands("bsub", "echo 'Job <17> is submitted to default queue <normal>.'")
    lsf = Lsf()
    job = lsf.submit(request_of_eight(array=3), tmp_path / "job.sh")
    assert '#BSUB -J "ft[1-3]"' in (tmp_path / "job.sh").read_text()
    assert lsf.elements(job, 3) == ["17[1]", "17[2]", "17[3]"]
    assert output_of(["sh", "-c", f"LSB_JOBINDEX=1; echo {lsf.index}"]) == "0\n"


def test_lsf_names_each_host_once():
    slots = {"LSB_MCPU_HOSTS": "n2 16 n1 4", "PATH": "/usr/bin:/bin"}
    assert output_of(["sh", "-c", Lsf.list_nodes], env=slots) == "n1\nn2\n"


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
    commands("bjobs", "echo 'LSF is down. Please wait ...' >&2; exit 255")
    with pytest.raises(EnvironmentLacksError, match="bjobs does not answer: LSF is down"):
        Lsf().state(["17"])
