"""The cost of a start: launches in rounds, an honest fit, and what a place or a launch lacks."""

import json
from types import SimpleNamespace

import pytest

from linkworth.bench import startup
from linkworth.bench.startup import Shape, fitted, shapes, summarised
from linkworth.cli.main import main
from linkworth.errors import LinkworthError
from linkworth.mpi import find
from linkworth.places.job import JobEnd


class FakePlace:
    """Nodes whose launches take 0.2 s, 10 ms a rank and 50 ms a node; MPI_Init takes half of it."""

    name, cores, transport = "fake", 4, ""

    def __init__(self, nodes, fails_after=1000):
        self.nodes = [f"n{number}" for number in range(nodes or 2)]
        self.fails_after = fails_after

    def launcher(self, _):
        return self

    def facts(self):
        return {}

    def arguments(self, job):
        return ["fakerun", "-n", str(job.ranks), *job.command]

    def run(self, job, observer):
        self.count()
        seconds = 0.2 + 0.01 * job.ranks + 0.05 * len(self.nodes)
        lines = [f"linkworth-probe {rank} {job.ranks} n{rank % len(self.nodes)}" for rank in range(job.ranks)]
        observer.output("stdout", "\n".join([*lines, f"linkworth-init {seconds / 2:.9f}", ""]).encode())
        return JobEnd(exit_code=0, seconds=seconds, interrupted=LAUNCHED[0] > self.fails_after)

    def count(self):
        LAUNCHED[0] += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


LAUNCHED = [0]


@pytest.fixture
def place(monkeypatch, tmp_path):
    """Two nodes of a fake cluster; the result is set to end it early."""
    limit = SimpleNamespace(launches=1000)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hosts").write_text("n0\nn1\n")
    LAUNCHED[0] = 0
    monkeypatch.setattr(startup, "open_place", lambda where, _: FakePlace(where.nodes, limit.launches))
    monkeypatch.setattr(startup.build, "size_probe", lambda _: tmp_path / "lw-size-probe")
    monkeypatch.setattr(
        find, "choose", lambda _: SimpleNamespace(library_version="Fake MPI 1.0", kind="fake")
    )
    return limit


WHERE = ["--hostfile", "hosts", "-n", "4"]


def test_ranks_and_nodes_have_their_cost_each(place, json_of, tmp_path):
    kept = tmp_path / "startup.json"
    found = json_of("bench", "init", *WHERE, "-o", str(kept))
    assert found == json.loads(kept.read_text())
    assert [(row["ranks"], row["nodes"]) for row in found["rows"]] == [(1, 1), (2, 1), (4, 1), (2, 2), (4, 2)]
    assert all(len(row["launch_seconds"]) == startup.LAUNCHES for row in found["rows"])
    for name, share in (("launch", 1.0), ("init", 0.5)):
        fit = found[name]
        assert fit["base_seconds"] == pytest.approx(0.2 * share, abs=1e-6)
        assert fit["seconds_per_rank"] == pytest.approx(0.01 * share, abs=1e-6)
        assert fit["seconds_per_node"] == pytest.approx(0.05 * share, abs=1e-6)
    assert found["warnings"] == []


def test_the_table_shows_the_fit(place, printed):
    shown = printed("bench", "init", *WHERE)
    assert "# launch: 200 ms" in shown
    assert "10.0 ms" in shown and "a rank" in shown and "a node" in shown


def test_stopped_launches_keep_the_complete_rounds(place, capsys):
    place.launches = 2 * 5 + 2
    assert main(["bench", "init", *WHERE, "--json"]) == 4
    found = json.loads(capsys.readouterr().out)
    assert {len(row["init_seconds"]) for row in found["rows"]} == {2}
    assert found["warnings"] == ["not complete: 2 of 5 rounds"]


def test_an_interrupt_between_launches_keeps_the_rounds_too(place, capsys, monkeypatch, tmp_path):
    kept = tmp_path / "kept.json"

    def counted(_):
        LAUNCHED[0] += 1
        if LAUNCHED[0] > 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(FakePlace, "count", counted)
    assert main(["bench", "init", *WHERE, "-o", str(kept)]) == 4
    assert {len(row["init_seconds"]) for row in json.loads(kept.read_text())["rows"]} == {1}
    assert "it was interrupted; what was measured is in" in " ".join(capsys.readouterr().err.split())


def test_an_output_that_cannot_be_written_is_refused_before_any_launch(place, refused, tmp_path):
    assert "there is no folder" in refused("bench", "init", *WHERE, "-o", tmp_path / "none" / "x.json")
    assert LAUNCHED[0] == 0


def test_a_dry_run_and_a_round_that_is_not_complete_fit_nothing(place, capsys, printed):
    place.launches = 3
    assert main(["bench", "init", *WHERE]) == 4
    assert capsys.readouterr().out == ""
    assert printed("bench", "init", *WHERE, "--dry-run").splitlines()[0] == "fakerun -n 1 lw-size-probe init"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["init", "latency"], "init stands alone"),
        (["init", "--sizes", "8"], "init has no message sizes"),
        (["init", "--slurm"], "each would wait in the queue of Slurm"),
    ],
)
def test_what_init_cannot_do_is_one_sentence_at_once(words, said, refused, monkeypatch):
    monkeypatch.setattr(find, "choose", lambda mpi: pytest.fail("an MPI is looked for"))
    assert said in refused("bench", *words)


def test_a_launcher_of_another_mpi_is_named(place, monkeypatch):
    monkeypatch.setattr(
        FakePlace,
        "run",
        lambda self, job, observer: (
            observer.output("stdout", b"linkworth-probe 0 1 n0\nlinkworth-init 0.1\n" * job.ranks)
            or JobEnd(exit_code=0, seconds=1.0)
        ),
    )
    with pytest.raises(LinkworthError, match="copies of rank 0 of 1"):
        startup.measure(startup.Place(kind="hostfile", name="hosts"), ranks=4)


def test_noise_widens_the_interval():
    steady = fitted([(1, 1, [1.0, 1.001]), (2, 1, [2.0, 2.001]), (4, 1, [4.0, 4.001])])
    noisy = fitted([(1, 1, [0.5, 1.5]), (2, 1, [1.5, 2.5]), (4, 1, [3.5, 4.5])])
    assert steady.seconds_per_rank == pytest.approx(1.0, abs=1e-6)
    assert steady.rank_half_width is not None and noisy.rank_half_width is not None
    assert steady.rank_half_width < 0.01 < 0.3 < noisy.rank_half_width
    assert noisy.worst_miss < 0.01


def test_more_ranks_never_make_a_launch_shorter():
    found = fitted([(1, 1, [0.21, 0.19]), (2, 1, [0.2, 0.18]), (4, 1, [0.19, 0.17])])
    assert found.seconds_per_rank == 0.0 and found.rank_half_width is not None
    assert found.seconds(1 << 20, 1) == found.base_seconds == pytest.approx(0.19)


def test_what_does_not_vary_has_no_cost_and_a_note():
    found = summarised(
        {Shape(2, 2): [(1.0, 0.5)], Shape(4, 4): [(2.0, 1.0)]}, mpi="", where="", date="", facts={}
    )
    # Ranks and nodes vary together: only their sum is known.
    assert found.launch.seconds_per_rank == pytest.approx(0.5)
    assert found.launch.node_half_width is None
    one = summarised({Shape(2, 1): [(1.0, 0.5)]}, mpi="", where="", date="", facts={})
    assert len(one.warnings) == 2
    assert shapes(6, 3) == [
        *(Shape(ranks, 1) for ranks in (1, 2, 4, 6)),
        *(Shape(ranks, 2) for ranks in (2, 4, 6)),
        *(Shape(ranks, 3) for ranks in (4, 6)),
    ]


@pytest.mark.requires("mpi", "c++")
def test_a_real_mpi_is_launched(monkeypatch):
    monkeypatch.setattr(startup, "LAUNCHES", 1)
    found = startup.measure(startup.Place(), ranks=1)
    ((launch,), (init,)) = found.rows[0].launch_seconds, found.rows[0].init_seconds
    assert 0 < init < launch
