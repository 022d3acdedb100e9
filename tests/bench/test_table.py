"""Table of a result, and charts of several."""

from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from golden import check_golden

from linkworth.cli.bench_table import table
from linkworth.errors import UsageError
from linkworth.report.plots import labelled, plot_bench

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["latency", "beff", "overlap"])
def test_table(name, request):
    check_golden(GOLDEN / f"{name}.txt", table(request.getfixturevalue(name)))


def test_first_columns_are_those_of_the_osu_benchmarks(latency):
    """Whoever reads osu_latency's output with a script (size, value) reads ours."""
    numbers = [line.split()[:2] for line in table(latency).splitlines() if not line.startswith("#")]
    assert numbers == [["1", "1.50"], ["65536", "25.00"]]


def test_values_are_written_with_their_units(latency):
    values = {
        "min_ping_pong_latency_seconds": 7.69e-7,
        "min_ping_pong_bandwidth_bytes_per_second": 1.13e9,
        "turns": 3,
    }
    lines = table(msgspec.structs.replace(latency, values=values)).splitlines()
    assert lines[-3:] == [
        "# min ping pong latency: 769 ns",
        "# min ping pong bandwidth: 1.13 GB/s",
        "# turns: 3",
    ]


def test_a_library_is_named_shortly_and_a_row_without_samples_has_no_number_of_them(latency):
    row = msgspec.structs.replace(latency.rows[0], samples=0)
    text = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"
    lines = table(msgspec.structs.replace(latency, mpi=text, rows=[row])).splitlines()
    assert lines[1].startswith("# Open MPI 4.1.4, 2 ranks")
    assert lines[-1].split()[-1] == "-"


def test_plot_overlays_environments(latency, beff, tmp_path):
    path = tmp_path / "plot.svg"
    plot_bench([("gbe", latency), ("shm", latency), ("gbe", beff)], path)
    root = ElementTree.fromstring(path.read_text())
    words = [element.text for element in root.iter() if element.tag.endswith("text") and element.text]
    assert {"gbe", "shm", "gbe, rings", "gbe, random", "message size", "time, µs", "bandwidth, MB/s"} <= set(
        words
    )
    lines = [element for element in root.iter() if element.get("aria-roledescription") == "line mark"]
    assert len(lines) == 4


def test_a_plot_of_nothing_is_refused(latency, tmp_path):
    with pytest.raises(UsageError, match="none of the results has rows"):
        plot_bench([("a", msgspec.structs.replace(latency, rows=[]))], tmp_path / "plot.svg")
    with pytest.raises(UsageError, match=r"ends in .svg or .png"):
        plot_bench([("a", latency)], tmp_path / "plot.gif")


def test_results_of_a_file_are_told_apart(latency, beff):
    other = msgspec.structs.replace(latency, where="lab 100mbit")
    names = [name for name, _ in labelled("kept", [latency, latency, other, beff])]
    assert names == [
        "kept, lab gbe, Open MPI 4.1.4, run 1",
        "kept, lab gbe, Open MPI 4.1.4, run 2",
        "kept, lab 100mbit, Open MPI 4.1.4",
        "kept",
    ]
