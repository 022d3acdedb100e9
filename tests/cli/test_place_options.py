"""The options that name a place."""

import pytest
import rich_click as click
from click.testing import CliRunner

from linkworth.cli.place_options import options_of, place_of, place_options, ranks_in
from linkworth.errors import UsageError
from linkworth.model.place import Place
from linkworth.places.kinds import KINDS, SYSTEMS


def named(*words):
    seen = []

    @click.command
    @click.option("--other")
    @place_options
    def verb(other, place):
        seen.append((other, place))

    done = CliRunner().invoke(verb, ["--other", "x", *words], standalone_mode=False)
    if done.exception:
        raise done.exception
    assert seen[0][0] == "x"
    return seen[0][1]


def test_each_place_by_its_option(tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("a\n")
    assert named() == Place()
    assert named("--lab", "gbe", "--nodes", "4", "--ppn", "2") == Place(
        kind="lab", name="gbe", nodes=4, ranks_per_node=2
    )
    assert named("--hostfile", str(hosts)) == Place(kind="hostfile", name=str(hosts))
    assert named("--transport", "tcp") == Place(transport="tcp")
    assert named("--bind", "core") == Place(binding="core")
    assert named("--slurm", "--bind", "none") == Place(kind="slurm", binding="none")
    assert named("--pbs", "--partition", "short") == Place(kind="pbs", name="short")
    assert named("--partition", "short") == Place(kind="slurm", name="short")


def test_options_of_a_batch_system_stay_as_typed():
    where = named(
        "--slurm", "--constraint", "ib", "--time", "1:00:00", "--batch-option=--exclusive", "--account", "me"
    )
    assert where.kind == "slurm"
    assert where.options == ["--constraint=ib", "--account=me", "--time=1:00:00", "--exclusive"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_options_of_a_place_name_it_again(kind, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("a\n")
    name = {"local": "", "hostfile": str(hosts)}.get(kind, "short")
    more = {"options": ["--constraint=ib", "--exclusive"]} if kind in SYSTEMS else {}
    place = Place(kind=kind, name=name, nodes=2, ranks_per_node=4, transport="tcp", binding="core", **more)
    assert named(*options_of(place)) == place
    if kind in SYSTEMS:
        assert named(*options_of(Place(kind=kind))) == Place(kind=kind)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"lab": "gbe", "slurm": True}, "--slurm and --lab name different places"),
        ({"lab": "gbe", "constraint": "ib"}, "--constraint is for a batch system"),
        ({"time_limit": "5"}, "--time is for a batch system"),
        ({"ppn": 4}, "--ppn 4: this machine is one node"),
    ],
)
def test_contradictions_are_named(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        place_of(given)


def test_nodes_and_ranks_on_each_make_the_number_of_ranks():
    assert ranks_in(Place(), 3) == 3
    assert ranks_in(Place(nodes=2), None) is None
    assert ranks_in(Place(nodes=2, ranks_per_node=3), None) == 6
    with pytest.raises(UsageError, match="`nodes` 1 and `ppn` 8 make 8 ranks, but `ranks` is 2"):
        ranks_in(Place(nodes=1, ranks_per_node=8), 2)
