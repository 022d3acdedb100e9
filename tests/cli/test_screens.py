"""Every verb that prints a table, on a terminal of 80 columns: no name, time or cost is cut, and no line is longer."""

import io
import re
from pathlib import Path

import communication_patterns as patterns
import msgspec
import pytest
import study_samples
import synthetic
from hypothesis import given
from hypothesis import strategies as st
from replayed_results import predicted
from report import samples
from rich.cells import cell_len
from rich.console import Console

from linkworth.catalog import apps, fabrics, machines, prices
from linkworth.cli.call_profile_screen import screen
from linkworth.cli.lab_tables import check_table
from linkworth.cli.main import main
from linkworth.cli.published_table import published_table
from linkworth.cli.summary_table import summary_table
from linkworth.cli.table import Table
from linkworth.lab.check import LabCheck, NicCheck
from linkworth.model.call_profile import CallProfile, CallTotal, RankTotal, SizeTotal
from linkworth.model.run import RunResult
from linkworth.model.study import Published, PublishedConclusion, PublishedNumber
from linkworth.report.study.published import compare_with_paper
from linkworth.report.study.results import Results
from linkworth.report.summary import summarise

WIDTH = 80
TRACE = "weather-forecast.lwt"
FABRICS = ("slingshot", "gbex4", "ib-fdr")
ON = [word for name in FABRICS for word in ("--on", name)]
PRICES = [word for name, usd in zip(FABRICS, ("1.3275", "0.78", "0.975"), strict=True)
          for word in ("--price", f"{name}={usd}")]  # fmt: skip
NUMBER = r"\d[\d.,]*"
TIME = rf"{NUMBER} (?:s|ms|µs|ns)\b"
QUEUE = """
[[nodes]]
name = "ethernet-partition"
fabric = "gbe"
count = 2
usd_per_node_hour = 1.0
[[programs]]
name = "weather-forecast"
ranks = 4
seconds = { ethernet-partition = 12345.0 }
deadline_seconds = 86400.0
"""


class Terminal(io.StringIO):
    """A standard output of 80 columns."""

    def isatty(self):
        return True


@pytest.fixture
def shown(tmp_path_factory, monkeypatch, capsys):
    """Return a function that runs a verb on the terminal and returns the lines of its answer."""
    folder = tmp_path_factory.mktemp("screens")
    monkeypatch.chdir(folder)
    calls = [
        [synthetic.pcontrol(1), *rank, synthetic.pcontrol(0)] for rank in patterns.halo(12, 78_000, 1.1e-3)
    ]
    synthetic.write_trace(Path(TRACE), calls, workload="weather-forecast", verified=True)
    Path("queue.toml").write_text(QUEUE)
    sizes = [1 << power for power in range(0, 23, 2)]
    results = [predicted(fabrics.get("gbe"), test, sizes) for test in ("latency", "bandwidth")]
    Path("bench.json").write_bytes(msgspec.json.encode({"results": results}))
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("LINES", "50")

    def run(*words):
        terminal = Terminal()
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", terminal)
            assert main([*words]) == 0, capsys.readouterr().err
        return whole(terminal.getvalue())

    return run


def printed(renderable):
    console = Console(file=io.StringIO(), width=WIDTH, highlight=False)
    console.print(renderable)
    return whole(console.file.getvalue())


def whole(text):
    """Return the lines of a screen on which nothing is cut."""
    lines = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]
    assert not [line for line in lines if cell_len(line) > WIDTH or "…" in line]
    return lines


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["apps"], apps.names()),
        (["fabrics"], fabrics.names()),
        (["fabrics", "show", "slingshot"], ["latency", "eager messages up to", "half round trip, 8 B"]),
        (["machines"], machines.names()),
        (["machines", "show", "laptop"], ["processor", "memory per node"]),
        (["prices"], [price.name for name in prices.names() for price in prices.get_catalog(name)]),
        (["predict", TRACE, *ON, "--loads", "--tolerance", "--samples", "10", "--spread", "latency=0.1"], FABRICS),
        (["predict", TRACE, *ON, "--measured", "slingshot=12.34"], FABRICS),
        (["sweep", TRACE, *ON, "--nodes", "2,4", "--vary", "latency=x0.5,x2", "--vary", "cpu-factor=1,2"], FABRICS),
        (["advise", TRACE, *PRICES], FABRICS),
        (["advise", TRACE, *PRICES, "--nodes", "2,4", "--budget", "0.0001"], FABRICS),
        (["advise", TRACE, "--prices", "aws", "--draws", "20"], ["efa", "100gbe", "hpc6a.48xlarge,"]),
        (["allocate", "queue.toml"], ["weather-forecast", "ethernet-partition"]),
        (["profile", TRACE], ["MPI_Irecv"]),
        (["profile", TRACE, "--full"], ["MPI_Irecv", "MPI_Waitall", "MPI_Finalize"]),
        (["calibrate", "bench.json"], ["link.bandwidth_bytes_per_second", "link.latency_seconds"]),
        (["bench", "bench.json"], ["4194304"]),
    ],
    ids=lambda each: " ".join(each[:3]) if isinstance(each, list) else "",
)  # fmt: skip
def test_a_verb_shows_every_name_whole(words, names, shown):
    if words[0] == "allocate":
        pytest.importorskip("highspy")
    text = "\n".join(shown(*words))
    assert not [name for name in names if not re.search(rf"(?<!\S){re.escape(name)}(?!\S)", text)]


def test_the_times_and_costs_of_an_advice_are_those_of_its_document(shown, json_of):
    lines = shown("advise", TRACE, *PRICES)
    document = json_of("advise", TRACE, *PRICES)
    runs = int(re.search(r"US\$ per (1[,0]*) runs", " ".join(lines))[1].replace(",", ""))
    for option in document["options"]:
        row = next(line for line in lines if line.startswith(option["fabric"] + " "))
        time, cost = re.match(rf"\S+ +({TIME}) +({NUMBER})", row).groups()
        assert seconds(time) == pytest.approx(option["seconds"], rel=0.006)
        assert float(cost) == pytest.approx(option["cost_usd"] * runs, rel=0.006)


def seconds(text):
    number, unit = text.split(" ")
    return float(number.replace(",", "")) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


def test_the_profile_of_a_run_is_shown_whole():
    names = ["MPI_Init", "MPI_Neighbor_alltoallv", "MPI_Allreduce", "MPI_Comm_rank"]
    profile = CallProfile(
        run=RunResult(workload="w", command=[], ranks=12, mpi="m", launcher="local", state="complete", exit_code=0, seconds=1.0),
        computation_share=0.61, mpi_share=0.39, init_seconds=0.123, imbalance=0.27,
        calls=[CallTotal(name=name, calls=123_456, seconds=0.0 if name == "MPI_Comm_rank" else 123.4, share=0.123,
                         bytes_sent=987_000_000, computation_seconds=1.0, least_seconds=0.01234, most_seconds=11.1, most_rank=11)
               for name in names],
        sizes=[SizeTotal(least_bytes=1 << 20, most_bytes=(1 << 21) - 1, calls=123_456, bytes_sent=987_000_000)],
        ranks=[RankTotal(rank=rank, host="h", state="complete", elapsed_seconds=123.4, computation_seconds=12.3,
                         mpi_seconds=111.0, init_seconds=0.1, cpu_seconds=100.0, calls=123_456, bytes_sent=987_000_000,
                         threads=1) for rank in range(12)],
        damage=[],
    )  # fmt: skip
    lines = printed(screen(profile))
    assert not [name for name in names if not any(line.startswith(name + " ") for line in lines)]
    text = "\n".join(lines)
    for cell in ("12.3 ms", "11.1 s", "123,456", "987 MB", "1,048,576 B", "not timed"):
        assert cell in text


def test_the_check_of_a_lab_is_shown_whole():
    nic = NicCheck(
        nic="d0", asked_bits_per_second=1e8, delivered_bits_per_second=93_210_000.0, payload_bits_per_second=87_700_000.0,
        asked_latency_seconds=30e-6, latency_seconds=123.4e-6, median_latency_seconds=234.7e-6, tries=3, passed=False,
    )  # fmt: skip
    text = "\n".join(printed(check_table(LabCheck(lab="l", passed=False, nics=[nic]))))
    cells = "100 Mbit/s, 93.21 Mbit/s, −6.8 %, 87.7 Mbit/s, 30.0 µs, 123 µs, 235 µs, OUT OF LIMITS"
    assert not [cell for cell in cells.split(", ") if cell not in text]


def test_the_summary_of_the_demo_is_shown_whole():
    items = samples.three()
    items[2] = samples.item("npb:cg.W", verified=False)
    text = "\n".join(printed(summary_table(summarise(items))))
    assert "53.3 ms" in text
    # A run that failed its verification gives no number.
    assert text.count("53.3 ms") == 1 and "FAILED" in text
    assert "\x1b" not in "\n".join(printed(summary_table(summarise([samples.item("\x1b[2Jfake")]))))


def test_a_paper_beside_a_study_is_shown_whole():
    study, records = study_samples.interconnects()
    paper = Published(
        source="A paper",
        numbers=[
            PublishedNumber(what="time of FT", of="seconds('npb:ft.A', 'gbe')", value=5.0, miss="Because.")
        ],
        conclusions=[
            PublishedConclusion(what="it gains", holds="gain('npb:ft.A', 'gbe', 'ib-fdr') > 1", miss="")
        ],
    )
    found = compare_with_paper(
        Results(msgspec.structs.replace(study, published=paper), records, study_samples.profiles())
    )
    text = "\n".join(printed(published_table(found)))
    assert "time of FT" in text and "5.00" in text and "it gains" in text


CELL = st.text("ab1", min_size=1, max_size=18)


def _rows(columns):
    return st.lists(st.lists(CELL, min_size=columns, max_size=columns), min_size=1, max_size=4)


@given(st.integers(1, 7).flatmap(_rows), st.integers(40, 100))
def test_a_table_shows_every_cell_in_any_width(rows, width):
    titles = [f"column {number}{'>' if number % 2 else ''}" for number in range(len(rows[0]))]
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(Table(titles, rows))
    text = console.file.getvalue()
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    shown = re.split(r"[\s,]+", text)
    assert all(cell in shown for row in rows for cell in row)
