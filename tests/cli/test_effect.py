"""An option that changes nothing is an error in every verb, and not ignored."""

import pytest
from synthetic import collective, pcontrol, recv, send, write_trace

from linkworth.cli.main import main

PREDICT = ("predict", "T", "--on", "gbe")
ADVISE = ("advise", "T", "--on", "gbe", "--price", "gbe=1")
PREDICTIONS = ("advise", "--predictions", "P.json", "--prices", "demo")
REPORT = ("report", "T", "-o", "page.html")
SWEEP = ("sweep", "T", "--on", "gbe")


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    calls = [pcontrol(1), collective("MPI_Allreduce", 100_000).after(1e-3), pcontrol(0)]
    ranks = [[*calls, send(1, 300_000)], [*calls, recv(0, 300_000)], calls]
    return write_trace(tmp_path_factory.mktemp("effect") / "t.lwt", ranks)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((*PREDICT, "--measured", "gbe=1", "--cpu-factor", "2"), "--cpu-factor: --measured sets the CPU factor"),
        ((*PREDICT, "--collective", "alltoall=pairwise"), "--collective alltoall=pairwise: no alltoall of the trace"),
        ((*PREDICT, "--collective", "allreduce=two_proc"), "--collective allreduce"),
        ((*PREDICT, "--on", "gbe"), "--on gbe: it is given twice"),
        ((*SWEEP, "--on", "gbe"), "--on gbe: it is given twice"),
        ((*ADVISE, "--on", "gbe"), "--on gbe: it is given twice"),
        ((*REPORT, "--on", "gbe", "--on", "gbe"), "--on gbe: it is given twice"),
        ((*PREDICT, "--cpu-factor-at", "7=2"), "--cpu-factor-at 7: the program never calls MPI_Pcontrol(7)"),
        ((*PREDICT, "--cpu-factor-at", "1=2", "--cpu-factor-at", "1=3"), "--cpu-factor-at 1: it is given twice"),
        ((*PREDICT, "--cpu-factor-at", "--1=2"), "'--1' is no level of MPI_Pcontrol"),
        ((*PREDICT, "--spread", "latency=0.1", "--spread", "latency=0.2"), "--spread latency: it is given twice"),
        ((*PREDICT, "--collective", "bcast=chain", "--collective", "bcast=linear"), "--collective bcast: it is given twice"),
        ((*PREDICT, "--collective", f"bcast=chain:{2**31}"), "a whole number below 2^31"),
        ((*PREDICT, "--samples", "1000000000"), "--samples 1000000000: give 0, or a number from 10 to 1e6"),
        ((*PREDICT, "--cores", "100000000000"), "--cores 100000000000: give a number from 1"),
        ((*PREDICT, "--thread-gain", "1.5"), "--thread-gain"),
        ((*PREDICT, "--timeline-window", "0:1"), "--timeline-window"),
        ((*SWEEP, "--measured", "gbe=1", "--cpu-factor", "2"), "--cpu-factor: --measured sets"),
        ((*PREDICT, "--measured", "gbe=1", "--cpu-factor-at", "1=2"), "--cpu-factor-at: --measured sets"),
        ((*SWEEP, "--measured", "gbe=1", "--cpu-factor-at", "1=2"), "--cpu-factor-at: --measured sets"),
        ((*ADVISE, "--measured", "gbe=1", "--cpu-factor-at", "1=2"), "--cpu-factor-at: --measured sets"),
        ((*SWEEP, "--vary", "cpu-factor=1,2", "--cpu-factor", "2"), "--cpu-factor: --vary cpu-factor sets it"),
        ((*SWEEP, "--vary", "background-load=0.1", "--background-load", "0.2"), "--background-load: --vary"),
        ((*SWEEP, "--collective", "alltoall=pairwise", "--workers", "1"), "--collective alltoall=pairwise"),
        ((*SWEEP, "--seed", "3"), "--seed"),
        ((*ADVISE, "--measured", "gbe=1", "--cpu-factor", "2"), "--cpu-factor: --measured sets"),
        ((*ADVISE, "--price", "ib-fdr=3"), "--price ib-fdr: there is no prediction on ib-fdr"),
        ((*ADVISE, "--core-hour", "ib-fdr=3"), "--core-hour ib-fdr"),
        ((*ADVISE, "--on-premises", "ib-fdr=3,years=5,utilisation=1"), "--on-premises ib-fdr"),
        ((*ADVISE, "--prices", "demo"), "--prices demo: it has no further price"),
        ((*ADVISE, "--draws", "0", "--spread", "latency=0.1"), "--spread"),
        ((*ADVISE, "--draws", "0", "--seed", "3"), "--seed"),
        *(
            ((*PREDICTIONS, *option), f"{option[0]}: only a trace is replayed")
            for option in (
                ("-n", "4"), ("--nodes", "2"), ("--ppn", "2"), ("--cpu-factor", "2"), ("--measured", "gbe=1"),
                ("--placement", "cyclic"), ("--progress", "calls"), ("--cpu-factor-at", "1=2"), ("--cores", "4"),
                ("--background-load", "0.5"), ("--no-contention",), ("--noise", "0.1"), ("--seed", "3"),
                ("--mpi-library", "mpich"), ("--collective", "bcast=chain"), ("--pass-unmodelled",),
                ("--spread", "latency=0.1"), ("--draws", "20"), ("--calibrate-anew",),
            )
        ),
        ((*REPORT, "--on", "gbe", "--price", "ib-fdr=3"), "--price ib-fdr"),
        ((*REPORT, "--on", "gbe", "--goal", "time"), "--goal: without prices there is no choice"),
        ((*REPORT, "--on", "gbe", "--budget", "3"), "--budget: without prices"),
        ((*REPORT, "--on", "gbe", "--deadline", "3"), "--deadline: without prices"),
        ((*REPORT, "--on", "gbe", "--collective", "alltoall=pairwise"), "--collective alltoall=pairwise"),
        (("run", "--figures", "--profile", "-n", "2", "--", "true"), "--profile: --figures prints no profile"),
        (("profile", "T", "--smaller", "T"), "it is the trace itself"),
        (("profile", "T", "--full", "--json"), "--full: --json has everything"),
        (("convert", "T", "--to", "paje", "--whole"), "--whole: it is for --to ti, not for --to paje"),
        (("convert", "T", "--to", "perfetto", "--flops-per-second", "1e9"), "--flops-per-second"),
        (("convert", "T", "--to", "ti", "--no-attributes"), "--no-attributes: it is for --to otf2"),
        (("convert", "T", "--mpi-library", "mpich"), "--mpi-library: it is for --to"),
        (("bench", "x.json", "--timeout", "3"), "--timeout: files of results are shown"),
        (("bench", "latency", "--window", "3"), "--window: it is for bandwidth, bibandwidth, multipair"),
        (("bench", "barrier", "--sizes", "8"), "--sizes: it is for"),
        (("bench", "latency", "--seed", "8"), "--seed: it is for beff, hpcc"),
        (("trace", "--skeleton", "--exact", "npb:ft.A"), "--exact: --skeleton runs nothing"),
        (("trace", "--skeleton", "--nodes", "2", "npb:ft.A"), "--nodes: --skeleton runs nothing"),
        (("trace", "--merge", ".", "--timeout", "2"), "--timeout: --merge runs nothing"),
        (("trace", "--merge", ".", "--", "./program"), "./program: --merge runs nothing"),
        (("lab", "exec", "x", "--ppn", "2", "true"), "--ppn: it is for ranks over the nodes"),
        (("lab", "exec", "x", "-n", "2", "--node", "node1", "true"), "--node: -n runs the command on ranks"),
        (("lab", "up", "--dilate", "4"), "--dilate lowers the rate"),
        (("lab", "export", "--as", "lxd", "--isolation", "nspawn"), "--isolation: lxd has containers of its own"),
        (("lab", "up", "--bond-mode", "802.3ad"), "--bond-mode 802.3ad"),
        (("lab", "up", "--aggregate", "bond"), "--aggregate bond: a node has one NIC"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)  # fmt: skip
def test_an_option_without_an_effect_is_refused(words, named, trace, tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    assert named in refused(*(trace if word == "T" else word for word in words))


@pytest.mark.parametrize(
    "options",
    [
        ("--collective", "allreduce=ring"),
        ("--cpu-factor-at", "1=2"),
        ("--cpu-factor-at", "0=2"),
        ("--noise", "0.1", "--seed", "3"),
        ("--samples", "10", "--spread", "latency=0.1", "--seed", "3"),
        ("--spread", "latency=0.1", "--seed", "3"),
    ],
)
def test_what_has_an_effect_is_taken(options, trace, json_of):
    json_of("predict", trace, "--on", "gbe", *options)


@pytest.mark.parametrize(
    ("mine", "other", "accepted"),
    [
        ("npb:ft.B", "npb:ft.W", True),
        ("lu.B.x", "lu.A.x", True),
        ("stencil:large", "stencil:default", True),
        ("npb:ft.B", "npb:is.B", False),
        ("program", "another", False),
    ],
)
def test_smaller_is_of_the_same_program(mine, other, accepted, tmp_path, printed, refused):
    paths = [tmp_path / "mine.lwt", tmp_path / "other.lwt"]
    for path, name in zip(paths, (mine, other), strict=True):
        calls = [collective("MPI_Allreduce", 100_000).after(1e-3)]
        write_trace(path, [calls, calls], workload=name)
    profile = ["profile", paths[0], "--smaller", paths[1]]
    if accepted:
        printed(*profile)
    else:
        assert f"it records {other}, and {paths[0]} records {mine}" in refused(*profile)


def test_simgrid_is_another_name_of_ti(trace, tmp_path):
    assert main(["convert", str(trace), "--to", "simgrid", "-o", str(tmp_path / "t.ti")]) == 0
    assert (tmp_path / "t.ti" / "ti.txt").exists()
