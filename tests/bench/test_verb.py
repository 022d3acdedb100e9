"""`linkworth bench` with the MPIs of this machine: small sizes, few samples."""

import contextlib
import json
import re
import signal
from functools import partial
from pathlib import Path

import pytest
from eventual import eventually
from mpi_programs import despite_faults, first_mpi

QUICK = ["--seconds", "0.01", "--sizes", "1,1K,64K"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.requires(kind)) for kind in ("mpich", "openmpi")]
)
def test_latency_is_the_contracts_document(linkworth, kind):
    document = linkworth.json("bench", "latency", "--mpi", kind, *QUICK)
    assert (document["schema"], document["test"], document["ranks"]) == ("linkworth.bench/1", "latency", 2)
    assert [row["bytes"] for row in document["rows"]] == [1, 1024, 65536]
    for row in document["rows"]:
        assert row["minimum"] <= row["median"] <= row["p99"]
        assert row["latency_seconds"] > 0
        assert row["samples"] > 0
        assert row["bandwidth_bytes_per_second"] == pytest.approx(
            row["bytes"] / row["latency_seconds"], rel=1e-6
        )


@pytest.mark.requires("mpi")
def test_inside_a_node_no_network_is_claimed(linkworth):
    carried = linkworth.json("bench", "bandwidth", "--seconds", "0.02", "--sizes", "1M")["carried"]
    assert "shared memory" in carried["verdict"]
    assert carried["transport"]


@pytest.mark.requires("openmpi")
def test_sockets_on_the_loopback_are_told_from_memory(linkworth, monkeypatch):
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    monkeypatch.setenv("OMPI_MCA_pml", "ob1")
    monkeypatch.setenv("OMPI_MCA_btl_tcp_if_include", "lo")
    carried = linkworth.json("bench", "bandwidth", "--mpi", "openmpi", "--seconds", "0.02", "--sizes", "1M")[
        "carried"
    ]
    assert carried["transport"] == "ob1: tcp"
    assert carried["verdict"].startswith("inside a node over lo (TCP on the loopback): 1.")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.requires(kind)) for kind in ("mpich", "openmpi")]
)
@pytest.mark.requires("lab")
def test_between_nodes_the_nic_is_named(linkworth, record_property, kind):
    words = ["bench", "bandwidth", "--lab", "gbe", "--nodes", "2", "--mpi", kind, "--seconds", "0.02",
             "--sizes", "256K", "--window", "8", "--timeout", "60", "--json"]  # fmt: skip
    done = despite_faults(
        first_mpi(kind),
        partial(linkworth, *words),
        record_property,
        ending=lambda done: ("it ran longer than" in done.stderr, done.stderr),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["nodes"], document["facts"]["rate"]) == (2, "1 Gbit/s")
    assert re.match(r"between nodes over d0: 1\.[01]\d of the payload", document["carried"]["verdict"])
    assert "tcp" in document["carried"]["transport"]
    # Nothing that a link of 1 Gbit/s carries is faster than it, beyond what its token bucket lets through at first.
    assert document["rows"][0]["bandwidth_bytes_per_second"] < 1.3e8


@pytest.mark.requires("mpi")
def test_several_tests_are_a_set_and_are_kept_and_drawn(linkworth):
    names = ["bibandwidth", "pingpong", "multipair", "incast", "overlap", "beff", "collectives"]
    document = linkworth.json("bench", *names, *QUICK, "-n", "2", "-o", "kept.json", "--plot", "kept.svg")
    assert document["schema"] == "linkworth.bench-set/1"
    assert document == json.loads((linkworth.folder / "kept.json").read_text())
    by_name = {result["test"]: result for result in document["results"]}
    assert list(by_name) == [*names[:-1], "alltoall", "allreduce", "bcast", "allgather", "barrier"]
    assert [row["bytes"] for row in by_name["pingpong"]["rows"]] == [
        1, 4, 1021, 1024, 1027, 65533, 65536, 65539,
    ]  # fmt: skip
    assert all(
        0 <= row["overlap_share"] <= 1 for row in by_name["overlap"]["rows"] if row["label"] == "both at once"
    )
    assert by_name["barrier"]["rows"][0]["bytes"] == 0
    values = by_name["beff"]["values"]
    mean = (values["rings_bytes_per_second"] * values["random_bytes_per_second"]) ** 0.5
    assert values["beff_bytes_per_second"] == pytest.approx(mean, rel=1e-6)
    assert (linkworth.folder / "kept.svg").read_text().startswith("<svg xmlns=")


@pytest.mark.requires("openmpi")
def test_all_ranks_of_a_crowded_machine(linkworth):
    tests = ["alltoall", "multipair", "incast"]
    alltoall, multipair, incast = linkworth.json("bench", *tests, "--mpi", "openmpi", "-n", "5", *QUICK)[
        "results"
    ]
    assert alltoall["ranks"] == 5
    assert {row["label"] for row in multipair["rows"]} == {"1 pair", "2 pairs"}
    assert {row["label"] for row in incast["rows"]} == {"1 sender", "2 senders", "4 senders"}


def is_measuring(folder):
    """Say whether lw-netbench runs in a folder."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == folder and b"lw-netbench" in (
                entry / "exe"
            ).readlink().name.encode():
                return True
    return False


@pytest.mark.requires("mpi")
def test_ctrl_c_keeps_what_was_measured(linkworth):
    assert linkworth("bench", "barrier", "--seconds", "0.01", "-o", "kept.json").returncode == 0
    process = linkworth.start("bench", "latency", "--seconds", "30", "--precision", "1e-6", "-o", "kept.json")
    assert eventually(lambda: is_measuring(linkworth.folder), during=process), process.poll()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 4, errors
    assert "interrupted" in errors
    assert not is_measuring(linkworth.folder)
    assert json.loads((linkworth.folder / "kept.json").read_text())["test"] == "barrier"


@pytest.mark.requires("mpi")
def test_a_dry_run_runs_nothing(linkworth):
    plan = linkworth.json("bench", "latency", "beff", "--dry-run", "-o", "kept.json")
    assert [test["arguments"][-1] for test in plan["tests"]] == ["auto", "1"]
    assert not (linkworth.folder / "kept.json").exists()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["nosuch"], 2, "there is no test nosuch"),
        (["missing.json"], 2, "missing.json: cannot be read"),
        (["latency", "-n", "1"], 2, "-n 1: a network is measured between two ranks or more"),
        (["latency", "--plot", "x.gif"], 2, "ends in .svg or .png"),
        (["latency", "--among", "pair-across-nodes", "--sizes", "1"], 2, "a pair across nodes: all ranks are on one node"),
    ],
)  # fmt: skip
@pytest.mark.requires("mpi")
def test_bad_input_is_one_sentence(linkworth, words, code, sentence):
    done = linkworth("bench", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
