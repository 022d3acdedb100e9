"""One definition of the shares on every screen and page: of the time between MPI_Init and MPI_Finalize."""

import io
import re

import pytest
import synthetic
from rich.console import Console
from synthetic import collective

from linkworth import units
from linkworth.catalog import fabrics
from linkworth.cli.summary_table import summary_table
from linkworth.model.profile import run_shares
from linkworth.report.charts import shares
from linkworth.report.collect import collect
from linkworth.report.study.trace_profiles import profiles_of
from linkworth.report.summary import summarise
from linkworth.trace.read import open_trace


@pytest.fixture(params=[2, 1], ids=["a core each", "shared cores"])
def trace(request, tmp_path):
    """A run of 1 s whose MPI_Init took half a second, on as many cores as ranks or on fewer."""
    programs = [[collective("MPI_Alltoall", 8 << 20).after(0.6).lasting(0.4)] for _ in range(2)]
    ranks = [
        {"rank": rank, "host": "node", "state": "complete", "cores": request.param, "elapsed_seconds": 2.5}
        for rank in range(2)
    ]
    return synthetic.write_trace(tmp_path / "t.lwt", programs, ranks=ranks)


def test_every_screen_and_page_has_the_same_shares(trace, printed, json_of):
    said = json_of("profile", str(trace))
    communication = said["run_shares"]["communication"]
    assert sum(said["run_shares"].values()) == pytest.approx(1)
    assert sum(said["shares"].values()) == pytest.approx(1)
    assert said["shares"]["init"] > 0.1
    assert said["init_seconds"] == pytest.approx(0.5)

    screen = printed("profile", str(trace))
    assert re.search(r"^  communication +(.+? %)", screen, re.MULTILINE)[1] == units.percent(communication, 1)
    assert "+ 500 ms a rank: MPI_Init, Finalize" in screen

    item = collect(open_trace(trace), [fabrics.get("gbe"), fabrics.get("ib-hdr")], {})
    whole = units.percent(communication)
    console = Console(file=io.StringIO(), width=100)
    console.print(summary_table(summarise([item])))
    assert isinstance(console.file, io.StringIO)
    summary = console.file.getvalue()
    assert whole in summary and "500 ms" in summary
    assert f"communicates {whole} of its ranks' time" in shares.figure([item]).table.title

    found, _ = profiles_of({("w", "e"): trace}, {})
    assert found["w", "e"].metrics["communication_share"] == pytest.approx(communication)
    assert found["w", "e"].metrics["init_seconds"] == pytest.approx(0.5)


def test_what_networks_change_for_this_run_comes_before_the_group(trace, printed):
    lines = printed("profile", str(trace)).splitlines()
    assert lines[1].startswith("This run: up to ")
    assert lines[2].startswith("Group of network dependence: ")
    item = collect(open_trace(trace), [fabrics.get("gbe"), fabrics.get("ib-hdr")], {})
    assert "x as fast on ib-hdr as on gbe" in summarise([item]).rows[0].change


def test_a_run_without_time_is_computation():
    assert run_shares(0.0, 0.0).compute == 1.0
    assert run_shares(3.0, 1.0).communication == 0.25
