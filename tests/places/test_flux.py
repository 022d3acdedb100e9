"""Flux, with a stand-in of its command that answers as the manuals describe."""

import re

import fake_installation as fake
import pytest

from linkworth.errors import EnvironmentLacksError
from linkworth.places.batch import JobShape
from linkworth.places.flux import Flux


def test_a_flux_script_and_its_identity_in_decimal(tmp_path, commands, request_of_eight):
    commands("flux", "echo ƒ2JL")
    job = Flux().submit(request_of_eight(constraint="ib|hdr", options=["--exclusive"]), tmp_path / "job.sh")
    assert job == "4369"
    lines = (tmp_path / "job.sh").read_text().splitlines()
    for wanted in ("--job-name=ft", "--nslots=8", "--nodes=4", "--time-limit=5400s", "--queue=short", "--setattr=bank=me",
                   "--requires='ib|hdr'", f"--cwd={tmp_path}", f"--output={tmp_path}/log", "--exclusive"):  # fmt: skip
        assert f"# flux: {wanted}" in lines
    assert lines[-1] == "mpiexec ./x"
    # Without a locale that has the letter. The numbers are those of RFC 19.
    for text, number in (("fxyzzy", "633528662"), ("ƒjpXCZedGfVQ", str(2**64 - 1)), ("4369", "4369")):
        commands("flux", f"echo {text}")
        assert Flux().submit(request_of_eight(), tmp_path / "job.sh") == number


def test_elements_of_an_array_are_jobs_of_which_some_run_at_once(tmp_path, commands, request_of_eight):
    commands("flux", f'cat "$2" >> {tmp_path}/given; echo "f$(grep -c job-name {tmp_path}/given)"')
    flux = Flux()
    job = flux.submit(request_of_eight(token="0123456789", array=3, at_once=2), tmp_path / "job.sh")
    given = (tmp_path / "given").read_text()
    # Digits of F58 count from 1.
    assert (job, flux.elements(job, 3), flux.elements("7", 0)) == ("0,1,2", ["0", "1", "2"], ["7"])
    assert re.findall("--env=LINKWORTH_ELEMENT=(.*)", given) == ["0", "1", "2"]
    assert given.count("--dependency=afterany:") == given.count("--dependency=afterany:0\n") == 1
    commands(
        "flux",
        "echo 'f4|ft.2-0123456789'; echo 'f2|ft.0-0123456789'; echo 'f3|other'; echo 'f9|ft-aaaaaaaaaa'",
    )
    assert flux.elements(flux.find("0123456789") or "", 4) == ["1", "", "3", ""]
    assert (flux.find("aaaaaaaaaa"), flux.find("bbbbbbbbbb")) == ("8", None)
    commands("flux", "echo 'flux-jobs: ERROR: Unable to connect to Flux' >&2; exit 1")
    for query in (lambda: flux.find("0123456789"), lambda: flux.state(["1"])):
        with pytest.raises(EnvironmentLacksError, match=r"flux jobs does not answer: .*Unable to connect"):
            query()


def test_flux_states_and_causes(tmp_path, commands):
    answer = tmp_path / "answer"
    answer.write_text(
        "ƒ2|SCHED||||no cores|\n"
        "ƒ3|RUN|||n[1-2]||\n"
        "ƒ4|INACTIVE|COMPLETED|0|n1||\n"
        "ƒ5|INACTIVE|TIMEOUT|142|n1||resource allocation expired\n"
        "ƒ6|INACTIVE|CANCELED|-128|||\n"
        "ƒ7|INACTIVE|FAILED|3|n1||\n"
        "ƒ8|INACTIVE|FAILED|-9|n1||lost contact with n1 | n2\n"
    )
    commands("flux", f"cat {answer}; echo 'JobID ƒ9 unknown' >&2; exit 1")
    states = Flux().state([str(number) for number in range(1, 9)])
    assert (states["1"].phase, states["1"].reason) == ("pending", "no cores")
    assert (states["2"].phase, states["2"].nodes) == ("running", ["n1", "n2"])
    assert (states["3"].exit_code, states["3"].cause) == (0, "")
    assert (states["4"].timed_out, "time limit" in states["4"].cause) == (True, True)
    assert (states["5"].exit_code, states["5"].cause) == (None, "it was cancelled")
    assert (states["6"].exit_code, states["6"].cause) == (3, "")
    assert (states["7"].exit_code, states["7"].cause) == (-9, "Flux ended it: lost contact with n1 | n2")
    assert states["8"].phase == "unknown"


def test_flux_run_starts_the_ranks(commands):
    commands("flux", "printf 'commands:\\t0.66.0\\nlibflux-core:\\t0.66.0\\n'")
    assert Flux().version() == "flux-core 0.66.0"
    four = JobShape(ranks=4, nodes=2, ranks_per_node=2, binding="core")
    openmpi, mpich = (fake.described(kind, "5.0.2") for kind in ("openmpi", "mpich"))
    run = "flux run{} -n 4 -N 2 -o cpu-affinity=per-task"
    assert Flux().ways(openmpi, four)[:2] == [run.format(" -o pmi=pmix"), run.format("")]
    assert Flux().ways(mpich, four)[0] == run.format("")
    with pytest.raises(EnvironmentLacksError, match="Flux binds ranks to cores only, not to each socket"):
        Flux().check_binding("socket")
