"""An allocation by the state of the network: the choice follows the measured utilisation, and faults are named."""

import pytest
from synthetic import recv, send, write_trace

from linkworth.advise.allocate import network_state
from linkworth.advise.allocate.queue import load
from linkworth.cli.main import main
from linkworth.errors import UsageError

QUEUE = """
goal = "makespan"
[[nodes]]
name = "busy"
fabric = "10gbe"
count = 2
usd_per_node_hour = 1.0
[[nodes]]
name = "quiet"
fabric = "gbe"
count = 2
usd_per_node_hour = 1.0
[[programs]]
name = "a"
workload = "a.lwt"
nodes = [2]
"""
STATE = '[[links]]\nnodes = "busy"\nlink = "leaf1"\nutilisation = {busy}\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "queue.toml").write_text(QUEUE)
    write_trace(tmp_path / "a.lwt", [[send(1, 50_000_000)], [recv(0, 50_000_000)]])
    return tmp_path


def test_the_choice_follows_the_state(folder, json_of):
    pytest.importorskip("highspy")
    queue, state = str(folder / "queue.toml"), folder / "state.toml"

    def chosen(*words):
        found = json_of("allocate", queue, *words)
        return found["choices"][0]["nodes_of"], found["choices"][0]["seconds"], found["warnings"]

    name, idle, said = chosen()
    assert (name, said) == ("busy", [])
    state.write_text(STATE.format(busy=0.5))
    name, half, said = chosen("--network-state", str(state))
    assert name == "busy"
    assert half == pytest.approx(2 * idle, rel=0.1)
    assert said == ["busy is predicted with 50 % of its links in use, as measured on leaf1"]
    state.write_text(STATE.format(busy=0.95))
    assert chosen("--network-state", str(state))[0] == "quiet"


def test_the_busiest_link_of_a_kind_counts(folder):
    table = folder / "state.csv"
    table.write_text("\ufefflink,nodes,utilisation\nleaf1,busy,0.1\nleaf2, busy ,0.4\n\nleaf3,quiet,0\n")
    found = network_state.load(table, load(folder / "queue.toml"))
    assert {name: (state.link, state.utilisation) for name, state in found.items()} == {
        "busy": ("leaf2", 0.4),
        "quiet": ("leaf3", 0.0),
    }
    assert len(network_state.sentences(found)) == 1


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.toml", STATE.format(busy=1.0), "utilisation of link 'leaf1' is 1.0"),
        ("s.toml", STATE.format(busy="nan"), "utilisation of link 'leaf1' is nan"),
        ("s.toml", STATE.format(busy=0.5).replace('"busy"', '"bussy"'), "did you mean busy"),
        ("s.toml", "links = []", "no link is in it"),
        ("s.toml", STATE.format(busy='"much"'), "utilisation"),
        ("s.csv", "nodes,link\n", "s.csv:1: the columns are nodes, link"),
        ("s.csv", "nodes,link,utilisation\nbusy,leaf1,35%\n", "s.csv:2: the utilisation '35%' is no number"),
        ("s.csv", "nodes,link,utilisation\nbusy,leaf1\n", "s.csv:2: 2 cells instead of 3"),
        ("s.csv", "", "the columns are missing"),
        ("s.csv", "nodes,link,utilisation\nbusy," + "x" * 200_000, "s.csv:2: it is no CSV table"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_place(folder, name, text, said):
    (folder / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        network_state.load(folder / name, load(folder / "queue.toml"))
    assert said in str(caught.value)


def test_known_seconds_are_named_as_untouched(folder, capsys):
    pytest.importorskip("highspy")
    queue = folder / "queue.toml"
    queue.write_text(QUEUE + "seconds = { busy = 1.0 }\n")
    (folder / "state.toml").write_text(STATE.format(busy=0.5))
    assert main(["allocate", str(queue), "--network-state", str(folder / "state.toml")]) == 0
    assert "the known seconds of a are taken as they are" in " ".join(capsys.readouterr().err.split())
