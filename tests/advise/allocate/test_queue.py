"""Queue files, where their times come from, and the verb."""

import json
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import Call, pcontrol, recv, send, write_trace

from linkworth.advise.allocate.options import options_of
from linkworth.advise.allocate.queue import load
from linkworth.advise.allocate.run import allocate
from linkworth.advise.allocate.submit import _lua, job_submit, sbatch_lines
from linkworth.catalog import fabrics
from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.model.allocation import Allocation, Choice
from linkworth.predict import predict, request
from linkworth.replay.layout import Arrangement
from linkworth.skeleton import RateRequest, parse, rates_for

KINDS = """
[[nodes]]
name = "ib"
fabric = "ib-fdr"
count = 2
cores = 20
usd_per_node_hour = 0.975
partition = "fast"
[[nodes]]
name = "eth"
fabric = "gbe"
count = 4
cores = 20
usd_per_node_hour = 0.78
constraint = "gigabit"
"""
PROGRAMS = """
[[programs]]
name = "ft"
ranks = 40
runs = 3
seconds = { ib = 14.4, eth = 107.8 }
command = "./ft.C.x -o 'a b'"
[[programs]]
name = "ep"
ranks = 40
seconds = { ib = 4.66, "eth:4" = 4.66 }
deadline_seconds = 60
command = "./ep.C.x"
"""


def queue_file(folder, text):
    path = folder / "queue.toml"
    path.write_text(text)
    return path


@pytest.fixture
def queue(tmp_path):
    return queue_file(tmp_path, KINDS + PROGRAMS)


def test_known_times_are_options_where_the_ranks_fit(queue):
    found = options_of(load(queue), queue.parent)
    assert {(each.program, each.kind, each.nodes, each.seconds) for each in found} == {
        (0, 0, 2, 14.4),
        (0, 1, 2, 107.8),
        (1, 0, 2, 4.66),
        (1, 1, 4, 4.66),
    }
    assert found[0].cost_usd == pytest.approx(14.4 * 2 * 0.975 / 3600)


def test_known_times_that_no_run_can_take_are_named(tmp_path):
    text = KINDS + PROGRAMS.replace("ib = 14.4, eth = 107.8", 'ib = 14.4, "ib:1" = 9.0, "eth:8" = 50.0')
    _, found = allocate(queue_file(tmp_path, text))
    (warning,) = found.warnings
    assert warning.startswith("ft: its known seconds of ib:1, eth:8 are not used, since no run is considered")
    _, found = allocate(queue_file(tmp_path, KINDS + PROGRAMS))
    assert found.warnings == []
    text = KINDS + PROGRAMS.replace("runs = 3", "runs = 3\nnodes = [2, 9]")
    _, found = allocate(queue_file(tmp_path, text))
    assert found.warnings == [
        "ft: no run on 9 nodes is considered; check 'count' and 'cores' of the nodes, and the ranks of the program"
    ]


def test_the_speed_of_computation_is_only_for_bundled_programs(tmp_path):
    rates = RateRequest(machine="xeon-e5-2650v3-x2")
    write_trace(tmp_path / "app.lwt", [[send(1, 1_000_000)], [recv(0, 1_000_000)]])
    text = KINDS + '[[programs]]\nname = "app"\nworkload = "app.lwt"\nnodes = [1]\n'
    with pytest.raises(UsageError, match=r"^`machine`: it is for bundled programs .* the queue has none"):
        options_of(load(queue_file(tmp_path, text)), tmp_path, rates=rates)
    text += '[[programs]]\nname = "is"\nworkload = "npb:is.S"\nranks = 2\nnodes = [1]\n'
    found = options_of(load(queue_file(tmp_path, text)), tmp_path, rates=rates)
    assert {each.program for each in found} == {0, 1}


def test_a_traces_times_are_predicted_on_each_kind(tmp_path):
    trace = write_trace(tmp_path / "app.lwt", [[send(1, 1_000_000).after(0.5)], [recv(0, 1_000_000)]])
    text = KINDS.replace("cores = 20", "cores = 1", 1).replace(
        'fabric = "gbe"', 'fabric = "gbe"\ncpu_factor = 2.0'
    )
    path = queue_file(
        tmp_path,
        text
        + '[[programs]]\nname = "app"\nworkload = "app.lwt"\nnodes = [1, 2]\nseconds = { "eth:1" = 9.0 }\n',
    )
    found = {(each.kind, each.nodes): each.seconds for each in options_of(load(path), tmp_path)}

    def seconds(fabric, cpu_factor):
        return (
            predict(trace, [fabrics.get(fabric)], Arrangement(nodes=2), cpu_factor=cpu_factor)
            .predictions[0]
            .seconds
        )

    assert found == {(0, 2): seconds("ib-fdr", 1.0), (1, 1): 9.0, (1, 2): seconds("gbe", 2.0)}


def test_the_warnings_of_predictions_are_printed_with_their_program(capsys, tmp_path):
    split = Call("MPI_Comm_split_type", "comm_new", comm=0, new_comm=2, members=[0, 1])
    part = [pcontrol(1), pcontrol(0).after(1.0)]
    write_trace(tmp_path / "app.lwt", [[split, *part], [split, *part]])
    path = queue_file(
        tmp_path,
        '[[nodes]]\nname = "eth"\nfabric = "gbe"\ncount = 2\ncores = 2\nusd_per_node_hour = 0.3\n'
        '[[programs]]\nname = "app"\nworkload = "app.lwt"\nnodes = [2]\n',
    )
    assert main(["allocate", str(path), "--json"]) == 0
    said = capsys.readouterr()
    nodes, marks = json.loads(said.out)["warnings"]
    assert nodes.startswith("app: the program asked for the ranks of its node")
    assert marks.startswith("app: the time is of the part that the program marks")
    assert nodes in said.err and marks in said.err


def test_a_program_without_a_recording_has_the_speed_of_its_computation_and_a_busy_machines_warning(
    monkeypatch, tmp_path, called
):
    rates = rates_for(parse(["npb:is.S"]), RateRequest(machine="xeon-e5-2650v3-x2"), 2)
    busy = msgspec.structs.replace(rates, warning="the computation may be predicted too slow")
    monkeypatch.setattr(request, "rates_for", lambda *_, **__: busy)
    program = '[[programs]]\nname = "is"\nworkload = "npb:is.S"\nranks = 2\nnodes = [1]\n'
    shown = called("allocate", str(queue_file(tmp_path, KINDS + program)), "--json")
    document = json.loads(shown.out)
    assert document["rates"]["is"]["description"] == rates.description
    assert document["warnings"] == [f"is: {busy.warning}"]
    assert f"linkworth: is: {rates.description}" in shown.err
    assert f"linkworth: warning: is: {busy.warning}" in shown.err


def test_the_verb_shows_the_schedule(capsys, queue, json_of, printed):
    shown = printed("allocate", str(queue))
    assert "no schedule costs less" in shown
    assert main(["allocate", str(queue), "--budget", "0.001"]) == 1
    assert "is too small" in capsys.readouterr().out
    document = json_of("allocate", str(queue))
    assert document["schema"] == "linkworth.allocation/1"
    assert (document["state"], document["goal"]) == ("optimal", "cost")
    assert document["cost_usd"] == pytest.approx(
        sum(placement["cost_usd"] for placement in document["placements"])
    )
    assert document["makespan_seconds"] == max(
        placement["end_seconds"] for placement in document["placements"]
    )
    assert {(choice["program"], choice["nodes_of"]) for choice in document["choices"]} == {
        ("ft", "ib"),
        ("ep", "ib"),
    }
    assert [placement["run"] for placement in document["placements"] if placement["program"] == "ft"] == [
        1,
        2,
        3,
    ]
    assert all(len(placement["on"]) == placement["nodes"] for placement in document["placements"])


def test_the_goal_and_the_budget_of_the_command_line_go_first(json_of, queue):
    document = json_of("allocate", str(queue), "--goal", "makespan")
    assert document["makespan_seconds"] == pytest.approx(3 * 14.4)
    assert {(choice["program"], choice["nodes_of"]) for choice in document["choices"]} == {
        ("ft", "ib"),
        ("ep", "eth"),
    }


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (("runs = 3", "runs = 3"), ["--budget", "0.001"], "the budget of 0.001 US$ is too small: the least costly"),
        (("deadline_seconds = 60", "deadline_seconds = 4"), [], "the deadline of ep, 4 s, is shorter than its fastest"),
        (
            ("runs = 3", "runs = 3\non = ['ib']\ndeadline_seconds = 30"),
            [],
            "the deadline of ft cannot be kept with the nodes there are; 2 more nodes of ib would do",
        ),
        (
            ("runs = 3", "runs = 8\non = ['ib']\ndeadline_seconds = 30"),
            [],
            "the deadline of ft cannot be kept with the nodes there are; 6 more nodes of ib would do",
        ),
        (("ranks = 40\nruns", "ranks = 400\nruns"), [], "no kind of nodes can run ft (ib: 2 x 20 cores, eth: 4 x 20 cores)"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_with_the_limit_in_the_way(capsys, queue, change, arguments, message):
    queue.write_text((KINDS + PROGRAMS).replace(*change, 1))
    assert main(["allocate", str(queue), "--json", *arguments]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["state"] == "infeasible"
    assert document["placements"] == []
    assert message in document["reason"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count = 2", "count = 0", "nodes[0] (ib): count is 0"),
        ("count = 2", "cuont = 2", "no key 'cuont'"),
        ('fabric = "gbe"', 'fabric = "gbx"', "nodes[1] (eth): fabric: no fabric is called 'gbx'"),
        ('name = "eth"', 'name = "ib"', "nodes has two entries called 'ib'"),
        ('name = "eth"', 'name = "e th"', "nodes[1].name: 'e th' is no name; write letters, digits"),
        ("usd_per_node_hour = 0.78", "usd_per_node_hour = -1", "usd_per_node_hour is -1"),
        ("usd_per_node_hour = 0.78", "", "nodes without a price: eth; give each"),
        ("deadline_seconds = 60", "on = []", "programs[1] (ep): on is empty"),
        ("runs = 3", "runs = 0", "programs[0] (ft): runs is 0"),
        ("ranks = 40\nruns", "runs", "programs[0] (ft): ranks is missing"),
        ("ib = 14.4", "ibm = 14.4", "seconds) is called 'ibm'; did you mean ib"),
        ('"eth:4"', '"eth:x"', "'eth:x' is no KIND:NODES"),
        ('"eth:4"', '"eth:04"', "'eth:04' is no KIND:NODES"),
        ("deadline_seconds = 60", "deadline_seconds = -60", "deadline_seconds is -60"),
        ("deadline_seconds = 60", "on = ['opa']", "called 'opa'"),
        ("deadline_seconds = 60", "nodes = [0]", "nodes is [0]"),
        ("seconds = { ib = 14.4, eth = 107.8 }", "", "workload and seconds are both missing"),
        ("seconds = { ib = 14.4, eth = 107.8 }", 'workload = "none.lwt"', "program ft: "),
        ('name = "ft"', 'name = "f t"', "programs[0].name"),
    ],
)
def test_a_fault_of_the_file_is_one_sentence(refused, queue, old, new, message):
    queue.write_text((KINDS + PROGRAMS).replace(old, new, 1))
    assert message in refused("allocate", queue)


def choice(program, runs, kind, nodes, seconds, start=0.0):
    return Choice(
        program=program,
        runs=runs,
        nodes_of=kind,
        fabric="gbe",
        nodes=nodes,
        ranks=40,
        seconds=seconds,
        cost_usd=0.0,
        first_start_seconds=start,
        last_end_seconds=seconds,
    )


ALLOCATION = Allocation(
    goal="cost",
    state="optimal",
    reason="r",
    choices=[
        choice("ft", 1, "ib", 2, 7000.0, start=5.0),
        choice("ft", 2, "eth", 4, 10.0, start=7.0),
        choice("ep", 1, "eth", 2, 3.0),
    ],
    placements=[],
)


def test_sbatch_lines_are_in_the_order_of_starts(queue):
    assert sbatch_lines(load(queue), ALLOCATION) == [
        "sbatch --job-name=ep --nodes=2 --ntasks=40 --exclusive --constraint=gigabit --time=00:01:00 --nice=0 "
        "'--wrap=srun ./ep.C.x'",
        "sbatch --job-name=ft --nodes=2 --ntasks=40 --exclusive --constraint=ib --partition=fast --time=02:55:00 --nice=10 "
        "'--wrap=srun ./ft.C.x -o '\"'\"'a b'\"'\"''",
        "sbatch --job-name=ft --array=1-2 --nodes=4 --ntasks=40 --exclusive --constraint=gigabit --time=00:01:00 --nice=20 "
        "'--wrap=srun ./ft.C.x -o '\"'\"'a b'\"'\"''",
    ]
    queue.write_text((KINDS + PROGRAMS).replace('command = "./ep.C.x"\n', ""))
    with pytest.raises(UsageError, match="program ep has no command"):
        sbatch_lines(load(queue), ALLOCATION)


@pytest.mark.requires("lua")
def test_job_submit_sets_the_constraint_of_jobs_by_name(queue, tmp_path):
    script = tmp_path / "job_submit.lua"
    script.write_text(job_submit(load(queue), ALLOCATION))
    driver = tmp_path / "driver.lua"
    driver.write_text(
        f"""
slurm = {{ SUCCESS = 0, log_info = function(...) io.stderr:write(string.format(...), "\\n") end }}
dofile("{script}")
local function submit(job)
   assert(slurm_job_submit(job, {{}}, 0) == 0)
   print(job.name, tostring(job.features), tostring(job.min_nodes), tostring(job.max_nodes), tostring(job.shared))
end
submit({{ name = "ft" }})
submit({{ name = "ep", features = "" }})
submit({{ name = "ep", features = "mine" }})
submit({{ name = "other" }})
assert(slurm_job_modify({{}}, {{}}, {{}}, 0) == 0)
"""
    )
    done = subprocess.run(["lua", driver], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "ft\tib|gigabit\t2\t4\t0",
        "ep\tgigabit\t2\t2\t0",
        "ep\tmine\tnil\tnil\tnil",
        "other\tnil\tnil\tnil\tnil",
    ]
    assert "linkworth: job ft gets constraint ib|gigabit" in done.stderr


@pytest.mark.requires("lua")
@settings(max_examples=20)  # each starts a program
@given(st.lists(st.text(max_size=8), min_size=1, max_size=20))
def test_any_text_becomes_a_lua_string(texts):
    program = "".join(f"io.write({_lua(text)}, '\\0\\0')" for text in texts)
    done = subprocess.run(["lua", "-"], input=program.encode(), capture_output=True, check=True)
    assert done.stdout == b"".join(text.encode() + b"\0\0" for text in texts)


def test_the_forms_are_printed_alone(printed, refused, queue):
    lines = printed("allocate", str(queue), "--as", "sbatch").splitlines()
    assert lines and all(line.startswith("sbatch ") for line in lines)
    assert "function slurm_job_submit" in printed("allocate", str(queue), "--as", "job_submit")
    refused("allocate", queue, "--as", "sbatch", "--json")


def test_the_example_of_the_docs_is_read(tmp_path):
    page = Path(__file__).parents[3] / "docs" / "how-to" / "allocate-a-queue.md"
    text = page.read_text(encoding="utf-8").split("```toml\n", 1)[1].split("```", 1)[0]
    found = load(queue_file(tmp_path, text))
    assert found.programs and found.nodes
