"""`linkworth allocate`: what it prints is the answer alone, and faults come before the work."""

import importlib.util
import json

import pytest

from linkworth.advise.allocate import highs
from linkworth.cli.main import main
from linkworth.errors import EnvironmentLacksError

QUEUE = """
[[nodes]]
name = "eth"
fabric = "gbe"
count = 2
usd_per_node_hour = 1.0
[[programs]]
name = "a"
ranks = 4
seconds = { eth = 10.0 }
command = "a"
"""


def queue(folder, text=QUEUE):
    path = folder / "queue.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("form", [["--json"], ["--as", "sbatch"]])
def test_nothing_else_reaches_standard_output(form, tmp_path, capfd):
    pytest.importorskip("highspy")
    assert main(["allocate", queue(tmp_path), *form]) == 0
    output = capfd.readouterr().out
    assert "HiGHS" not in output.splitlines()[0]
    if form == ["--json"]:
        assert json.loads(output)["schema"] == "linkworth.allocation/1"
    else:
        assert all(line.startswith(("#", "sbatch")) for line in output.splitlines() if line)


def test_what_a_library_writes_beside_python_is_kept_away(capfd):
    import ctypes

    library = ctypes.CDLL(None)
    with highs._silent():
        library.puts(b"a banner")
        print("and a line", flush=True)
    print("the answer", flush=True)
    library.fflush(None)
    assert "banner" not in capfd.readouterr().out


def test_a_missing_solver_is_reported_before_anything_is_replayed(tmp_path, monkeypatch, refused):
    found = importlib.util.find_spec

    def without_highspy(name, package=None):
        return None if name == "highspy" else found(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without_highspy)
    with pytest.raises(EnvironmentLacksError, match="needs highspy"):
        highs.require_solver()
    text = QUEUE.replace("seconds = { eth = 10.0 }", 'workload = "missing.lwt"')
    assert "pip install 'linkworth[allocate]'" in refused("allocate", queue(tmp_path, text), code=3)


def test_without_prices_there_is_no_cost_but_the_earliest_end(tmp_path, printed, json_of, refused):
    path = queue(tmp_path, QUEUE.replace("usd_per_node_hour = 1.0", ""))
    assert "the --goal makespan needs no prices" in refused("allocate", path)
    pytest.importorskip("highspy")
    found = json_of("allocate", path, "--goal", "makespan")
    assert found["cost_usd"] is found["choices"][0]["cost_usd"] is None
    assert "US$" not in printed("allocate", path, "--goal", "makespan")


@pytest.mark.parametrize(
    ("right", "wrong", "answer"),
    [
        (
            "usd_per_node_hour = 1.0",
            "price = 1.0",
            "nodes[0]: there is no key 'price'; known here: constraint, cores,",
        ),
        ("usd_per_node_hour = 1.0", "usd_per_hour = 1.0", "did you mean usd_per_node_hour"),
        ("[[nodes]]", 'goal = "speed"\n[[nodes]]', "goal: invalid enum value 'speed'; give cost or makespan"),
    ],
)
def test_a_fault_of_the_file_is_answered_with_what_its_place_has(right, wrong, answer, tmp_path, refused):
    assert answer in refused("allocate", queue(tmp_path, QUEUE.replace(right, wrong, 1)))
