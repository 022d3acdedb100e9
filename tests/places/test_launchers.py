import fake_installation as fake
import pytest
from collector import Collector
from fake_installation import described

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.places import local
from linkworth.places.given import GivenLauncher, is_launcher
from linkworth.places.job import Job
from linkworth.places.local import LocalLauncher

OPENMPI = "mpiexec (OpenRTE) 4.1.4"
HYDRA = "HYDRA build details:\n    Version:    5.0.2"


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(local, "cores", lambda: 2)


def job(ranks, **more):
    return Job(command=["./program", "--size", "3"], ranks=ranks, **more)


def test_mpich_needs_no_options(two_cores):
    assert LocalLauncher(described("mpich", "5.0.2")).arguments(job(16)) == [
        "/opt/bin/mpiexec", "-n", "16", "./program", "--size", "3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("version", "leave"), [("4.1.4", ["--oversubscribe"]), ("5.0.11", ["--map-by", ":OVERSUBSCRIBE"])]
)
def test_open_mpi_shares_cores_only_where_there_are_too_few(two_cores, version, leave):
    launcher = LocalLauncher(described("openmpi", version))
    few, many = (launcher.arguments(job(ranks))[3:-3] for ranks in (2, 16))
    assert few == leave
    assert many == [*leave, "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]


def test_variables_reach_the_ranks_and_not_the_launcher(two_cores):
    arguments = LocalLauncher(described("mpich", "5.0.2")).arguments(
        job(2, environment={"LD_PRELOAD": "/a b.so"})
    )
    at = arguments.index("LD_PRELOAD=/a b.so")
    assert arguments[at - 1].endswith("env")
    assert arguments[at + 1] == "./program"


def test_an_mpi_without_launcher_says_what_to_do():
    with pytest.raises(EnvironmentLacksError, match="srun -n 8"):
        LocalLauncher(described("cray", "8.1", mpiexec=""))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("mpirun", True), ("mpiexec", True), ("srun", True), ("/opt/x/bin/mpiexec.hydra", True), ("mpirun.openmpi", True),
        ("mpirun-5", True), ("/opt/ibm/jsrun", True), ("./program", False), ("mpirunner", False), ("npb:ft.W", False),
        ("env", False),
    ],
)  # fmt: skip
def test_which_words_are_launchers(word, expected):
    assert is_launcher(word) is expected


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Launchers that answer like real ones, and a program."""
    fake.script(tmp_path / "openmpi/mpirun", f"echo '{OPENMPI}'")
    fake.script(tmp_path / "mpich/mpiexec", f"echo '{HYDRA}'")
    fake.script(tmp_path / "slurm/srun", "echo slurm 22.05.8")
    fake.script(tmp_path / "program", "true")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'slurm'}:/usr/bin:/bin")
    return tmp_path


def given(tools, text):
    return GivenLauncher(
        [str(tools / word) if word.endswith(("mpirun", "mpiexec")) else word for word in text.split()]
    )


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("openmpi/mpirun -np 8 ./program -n 3", 8),
        ("openmpi/mpirun --oversubscribe -c 4 --mca btl tcp,self ./program", 4),
        ("mpich/mpiexec -n 2 ./program : -n 3 ./program 5", 5),
        ("srun -n6 ./program", 6),
        ("srun --ntasks=12 -c 2 ./program", 12),
        ("srun -N 2 ./program", 0),
        ("mpich/mpiexec ./program -n 9", 0),
        ("openmpi/mpirun --map-by test --mca btl_x true -x env -n 4 ./program", 4),
        ("mpich/mpiexec -launcher env -genv X yes -n 4 ./program", 4),
        ("srun -p test --job-name yes -n 4 ./program", 4),
    ],
)
def test_rank_counts_are_read_from_the_users_command(tools, text, ranks):
    launcher = given(tools, text)
    assert launcher.ranks == ranks
    assert launcher.program_words[0] == "./program"


def test_each_launcher_gets_the_variables_in_its_own_way(tools):
    variables = {"LD_PRELOAD": "/x.so", "LINKWORTH_TRACE_DIR": "/parts"}
    more = {"ranks": 2, "environment": variables}
    openmpi = given(tools, "openmpi/mpirun -np 2 ./program")
    assert openmpi.arguments(Job(command=openmpi.command, **more)) == [
        str(tools / "openmpi/mpirun"), "-x", "LD_PRELOAD=/x.so", "-x", "LINKWORTH_TRACE_DIR=/parts", "-np", "2", "./program",
    ]  # fmt: skip
    mpich = given(tools, "mpich/mpiexec -n 2 ./program")
    assert mpich.arguments(Job(command=mpich.command, **more)) == [
        str(tools / "mpich/mpiexec"), "-genv", "LD_PRELOAD", "/x.so", "-genv", "LINKWORTH_TRACE_DIR", "/parts",
        "-n", "2", "./program",
    ]  # fmt: skip
    slurm = given(tools, "srun -n 2 ./program")
    assert slurm.arguments(Job(command=slurm.command, **more)) == [
        str(tools / "slurm/srun"),
        "-n",
        "2",
        "./program",
    ]


def test_srun_hands_its_own_environment_to_the_ranks(tools):
    fake.script(tools / "slurm/srun", 'echo "$LINKWORTH_TRACE_DIR"')
    collected = Collector()
    launcher = given(tools, "srun -n 2 ./program")
    launcher.run(
        Job(command=launcher.command, ranks=2, environment={"LINKWORTH_TRACE_DIR": "/parts"}), collected
    )
    assert collected.data["stdout"] == b"/parts\n"


def test_a_launcher_that_is_not_there_is_a_usage_error(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="there is no program srun"):
        GivenLauncher(["srun", "./program"])


def test_a_launcher_whose_options_are_not_understood_is_refused(monkeypatch, tmp_path):
    fake.script(tmp_path / "jsrun", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        UsageError, match="the options of jsrun are not understood; start the ranks with srun"
    ):
        GivenLauncher(["jsrun", "-n", "4", "./program"])
