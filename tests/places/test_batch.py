"""Parts that batch systems share: time limits, a job's script, and the state in its folder."""

import itertools
import subprocess

import pytest
from collector import Collector
from fake_installation import described, script
from hypothesis import given
from hypothesis import strategies as st

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.place import Place
from linkworth.places import following, pairing
from linkworth.places.batch import BatchState, JobShape, clock, duration
from linkworth.places.batch_place import request_of
from linkworth.places.host_list import expand
from linkworth.places.job import Job
from linkworth.places.job_folder import JobFolder, parse_reading
from linkworth.places.job_script import PAIRING_FAILED, body
from linkworth.places.lsf import Lsf
from linkworth.places.pbs import Pbs
from linkworth.places.slurm import Slurm


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("5", 300), ("5:30", 330), ("1:00:00", 3600), ("2-0", 172800), ("1-2:30", 95400), ("1-00:00:01", 86401)],
)
def test_time_limits_as_slurm_writes_them(text, seconds):
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "5m", "1:2:3:4", "-5", "0", "00:00:00"])
def test_other_time_limits_are_refused(text):
    with pytest.raises(UsageError, match="`time`"):
        duration(text)


@given(st.integers(1, 10_000_000))
def test_a_time_limit_is_written_as_it_is_read(seconds):
    assert duration(clock(seconds)) == seconds


def test_options_of_a_place_are_sorted():
    where = Place(
        kind="slurm", name="long", options=["--time=1:00:00", "--constraint=ib", "--exclusive", "--mem=4G"]
    )
    request = request_of(where)
    assert (request.partition, request.seconds, request.constraint) == ("long", 3600, "ib")
    assert list(request.options) == ["--exclusive", "--mem=4G"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[1-3,07],gpu1", ["n1", "n2", "n3", "n07", "gpu1"]),
        ("r[1-2]n[08-10]", ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]),
        ("", []),
    ],
)
def test_lists_of_hosts_are_written_out(text, names):
    assert expand(text) == names


PROBED = "linkworth-probe 0 2 a\nlinkworth-probe 1 2 b\n"


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (PROBED, ""),
        ("linkworth-probe 0 1 a\n" * 2, "started 2 copies of rank 0 of 1"),
        (PROBED.replace(" b", " a"), "put all 2 ranks on 1 of 2 nodes"),
        ("noise\nsrun: error: Invalid MPI type\n", "did not start 2 ranks: srun: error: Invalid MPI type"),
        ("", "did not start 2 ranks: it said nothing"),
    ],
)
def test_a_probe_is_judged(output, sentence):
    assert sentence in pairing.verdict(output, 2, 2)
    assert bool(sentence) is bool(pairing.verdict(output, 2, 2))


class Silent:
    """A batch system whose controller restarts while a job runs."""

    name = "slurm"

    def __init__(self, answers):
        self.answers = iter(answers)
        self.cancelled = []

    def state(self, jobs):
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return dict.fromkeys(jobs, answer)

    def cancel(self, jobs):
        self.cancelled += jobs


def followed(tmp_path, monkeypatch, answers):
    monkeypatch.setattr(following, "ASK_SECONDS", (0.05, 0.05))
    monkeypatch.setattr(following, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(following, "SETTLE_SECONDS", 0.05)
    batch = Silent(answers)
    said = []
    return (
        following.Following(batch, batch, "7", JobFolder(tmp_path), Collector(), None, said.append).follow(),
        said,
        batch,
    )


def test_what_follows_a_job_says_each_thing_once(tmp_path, monkeypatch):
    away = EnvironmentLacksError("Slurm does not answer: Unable to contact slurm controller")
    timeout = BatchState(phase="ended", state="TIMEOUT", cause="time limit", timed_out=True, nodes=["n1"])
    end, said, batch = followed(tmp_path, monkeypatch, [away, BatchState(phase="running"), away, timeout])
    assert said == [str(away)] * 2
    assert (end.cause, end.timed_out, end.nodes, batch.cancelled) == ("time limit", True, ["n1"], [])
    waiting = BatchState(phase="pending", reason="Resources")
    done = BatchState(phase="ended", cause="it was cancelled")
    _, said, _ = followed(tmp_path, monkeypatch, [waiting, waiting, done])
    assert said == ["slurm job 7 waits: Resources"]


def test_a_job_that_vanished_says_what_its_log_says(tmp_path, monkeypatch):
    monkeypatch.setattr(following, "FORGOTTEN_SECONDS", 0.1)
    (tmp_path / "job.log").write_text("one\nslurmstepd: error: disk full\n")
    end, _, _ = followed(tmp_path, monkeypatch, itertools.repeat(BatchState(phase="unknown")))
    assert end.exit_code == 1
    assert end.cause.startswith("slurm job 7 ended (it is not known any more) before the program did")
    assert end.cause.endswith("disk full")


def test_only_what_a_job_left_is_removed(tmp_path):
    for name in ("job.json", "end", "before.n1", "probe.0", "stdout", "theirs.txt"):
        (tmp_path / name).touch()
    (tmp_path / "after.all").mkdir()
    JobFolder(tmp_path).clear()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after.all", "theirs.txt"]


class Here(Slurm):
    """Slurm's script, run without Slurm."""

    list_nodes = "printf 'a\\nb\\n'"
    on_each_node = ""


def run_script(tmp_path, ways, *, known=None, program=("sh", "-c", "echo out; echo err >&2; exit 3")):
    place = tmp_path / "it's a job"
    place.mkdir(exist_ok=True)
    job = Job(command=program, ranks=2, environment={"NAME": "a 'quoted' value"}, folder=tmp_path)
    text = body(Here(), job, place=place, ways=ways, known=known, probe=tmp_path / "probe", exported={})
    return subprocess.run(["sh", "-c", text], check=False).returncode, place


def way(tmp_path, name, says):
    """A launcher that answers the probe like this, and starts anything else."""
    return str(script(tmp_path / name, f"case $1 in */probe) printf '{says}';; *) exec \"$@\";; esac"))


def test_the_shell_judges_a_probe_as_python_does(tmp_path):
    alone, crowded, right = (
        "linkworth-probe 0 1 a\\n" * 2,
        "linkworth-probe 0 2 a\\nlinkworth-probe 1 2 a\\n",
        "linkworth-probe 0 2 a\\nlinkworth-probe 1 2 b\\n",
    )
    ways = [
        way(tmp_path, name, says) for name, says in (("alone", alone), ("crowded", crowded), ("right", right))
    ]
    code, place = run_script(tmp_path, ways)
    assert (code, (place / "paired").read_text(), (place / "end").read_text()) == (3, "2\n", "3\n")
    assert [(place / stream).read_text() for stream in ("stdout", "stderr")] == ["out\n", "err\n"]
    assert float((place / "finished").read_text()) >= float((place / "started").read_text())
    for number, says in enumerate((alone, crowded, right)):
        assert bool(pairing.verdict(says.replace("\\n", "\n"), 2, 2)) is (number < 2)


@pytest.mark.parametrize(("system", "file"), [(Pbs(), "$PBS_NODEFILE"), (Lsf(), "$LSB_DJOB_HOSTFILE")])
@pytest.mark.parametrize(("kind", "option"), [("openmpi", "--hostfile"), ("mpich", "-f")])
def test_a_library_without_the_batch_system_is_given_its_nodes(system, file, kind, option):
    plain, named = system.ways(described(kind, "5.0.2"), JobShape(ranks=4))
    assert named == f'{plain} {option} "{file}"'


def test_where_no_way_fits_the_program_is_not_started(tmp_path):
    code, place = run_script(tmp_path, [way(tmp_path, "alone", "linkworth-probe 0 1 a\\n" * 2)])
    assert (code, (place / "paired").read_text()) == (PAIRING_FAILED, "none\n")
    assert not (place / "started").exists()


def test_variables_and_counters_reach_their_place(tmp_path):
    code, place = run_script(tmp_path, ["env"], known=0, program=("sh", "-c", 'echo "$NAME"'))
    assert (code, (place / "stdout").read_text()) == (0, "a 'quoted' value\n")
    # A batch system that starts the job again runs no program twice.
    assert run_script(tmp_path, ["env"], known=0, program=("touch", "twice"))[0] == 1
    assert not (tmp_path / "twice").exists()
    (before,) = place.glob("before.*")
    text = before.read_text()
    counted = parse_reading("a", text)
    names = [nic.nic for nic in counted.nics]
    assert "lo" in names
    assert counted.core_seconds
    link = f"/sys/class/net/{names[-1]}/lower_x"
    below = parse_reading("a", text.replace("==> lower\n", f"==> lower\n{link} "))
    assert [nic.nic for nic in below.nics] == names[:-1]


@pytest.mark.parametrize(
    ("system", "submits", "cancels", "refusal", "answer", "version"),
    [
        (Lsf(), "bsub", "bkill", "short: No such queue", '[ "$1" = -V ] && echo "LSF 10.1" >&2', "LSF 10.1"),
        (Pbs(), "qsub", "qdel", "qsub: Unknown queue", '[ "$1" = --version ] && echo "PBS 10.1"', "PBS 10.1"),
    ],
    ids=["lsf", "pbs"],
)  # fmt: skip
def test_a_system_is_called_and_heard_in_its_own_words(
    tmp_path, commands, request_of_eight, system, submits, cancels, refusal, answer, version
):
    commands(submits, f"echo '{refusal}' >&2; exit 1")
    with pytest.raises(UsageError, match=refusal):
        system.submit(request_of_eight(), tmp_path / "job.sh")
    commands(submits, answer)
    assert system.version() == version
    commands(cancels, "true")
    system.cancel(["1", "2"])
    system.cancel([])
    assert (tmp_path / "calls").read_text().splitlines()[-1] == f"{tmp_path}/bin/{cancels} 1 2"
