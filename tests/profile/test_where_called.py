"""Calls told apart by where the program makes them."""

import io

import pytest
import synthetic
from rich.console import Console
from synthetic import recv, send

from linkworth import _engine
from linkworth.cli.profile_detail import SCREENS
from linkworth.cli.profile_times import calls
from linkworth.model.profile import SiteProfile
from linkworth.model.trace import CallSite
from linkworth.profile import build_profile
from linkworth.profile.scan import scan
from linkworth.profile.where_called import located, place_of
from linkworth.trace.read import open_trace


@pytest.fixture
def trace(tmp_path):
    first = [
        send(1, 100, name="MPI_Send@/bin/a+0x10").lasting(1.0),
        send(1, 200, name="MPI_Send@/bin/a+0x20").lasting(3.0),
    ]
    second = [recv(0, 100), recv(0, 200)]
    return synthetic.write_trace(
        tmp_path / "t.lwt", [[*first, send(1, 4).lasting(0.5)], [*second, recv(0, 4)]]
    )


def test_sites_are_sorted_named_and_sum_to_their_calls(trace):
    found = {call.name: call for call in scan(open_trace(trace)).calls}
    assert set(found) == {"MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Finalize"}
    sends = found["MPI_Send"]
    assert (sends.count, sends.bytes, sends.seconds) == (3, 304, 4.5)
    assert {site.site: (site.count, site.bytes, site.seconds) for site in sends.sites} == {
        "/bin/a+0x10": (1, 100, 1.0),
        "/bin/a+0x20": (1, 200, 3.0),
    }
    assert found["MPI_Recv"].sites == []
    known = {"/bin/a+0x20": CallSite(function="solve", file="/src/solve.c", line=7)}
    (sends,) = [call for call in located(scan(open_trace(trace)).calls, known) if call.name == "MPI_Send"]
    assert [(site.function, site.line) for site in sends.sites] == [("solve", 7), ("", 0)]


def test_the_replay_and_the_names_know_calls_without_their_sites(trace):
    assert set(_engine.Trace(str(trace)).names) == {"MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Finalize"}
    profile = build_profile(trace)
    assert profile.messages == 3
    console = Console(file=io.StringIO(), width=120)
    console.print(calls(profile, SCREENS[0], 120))
    assert "67 % a+0x20 (+1)" in console.file.getvalue()


@pytest.mark.parametrize(
    ("function", "short"),
    [
        ("void exchange<double>(Domain const*, int)", "exchange"),
        ("std::vector<int>* std::copy_all<int>(int)", "std::copy_all"),
        ("solver::(anonymous namespace)::reduce(int)", "solver::reduce"),
        ("(anonymous namespace)::reduce(int)", "reduce"),
        ("operator new(unsigned long)", "operator new"),
        ("Grid::operator bool() const", "Grid::operator bool"),
        ("main", "main"),
    ],
)
def test_a_function_is_named_without_its_result_and_arguments(function, short):
    assert place_of(SiteProfile(site="/bin/a+0x10", function=function, count=1, bytes=0, seconds=1)) == short


def test_a_file_without_a_line_is_no_place():
    """Such as the object that addr2line names for a library without debug data."""
    site = SiteProfile(site="/bin/a+0x10", function="sync", file="caf.c.o", count=1, bytes=0, seconds=1)
    assert place_of(site) == "sync"
