import pytest
from msgspec.structs import replace
from report import samples

from linkworth.model.trace import MpiInfo
from linkworth.report.summary import mpi_name, ran_on, summarise


def test_one_row_a_program_with_a_cell_for_each_fabric():
    summary = summarise(samples.three())
    assert summary.fabrics == list(samples.LINKS)
    assert [row.workload for row in summary.rows] == ["npb:ep.W", "npb:ft.W", "npb:cg.W"]
    ft = summary.rows[1]
    assert [cell.time for cell in ft.cells] == ["220 ms", "70.0 ms", "53.3 ms", "51.1 ms"]
    assert [cell.chosen for cell in ft.cells] == [False, False, True, False]
    assert ft.choice == "ib-fdr"
    assert (ft.verified, ft.time, ft.ran_on) == ("yes", "520 ms", "node-a, 2 cores, MPICH 4.0.2")
    assert ft.breakeven == "4.30"


def test_the_time_where_it_ran_is_of_the_predicted_part():
    item = samples.item()
    item = replace(
        item,
        predictions=replace(item.predictions, region="marked"),
        profile=replace(item.profile, marked_seconds=0.61, elapsed_seconds=9.0),
        metadata=replace(item.metadata, reported_seconds=None),
    )
    assert summarise([item]).rows[0].time == "610 ms"


def test_failed_other_and_unknown_programs_have_their_marks():
    row = summarise([samples.item(verified=False)]).rows[0]
    assert row.verified == "FAILED"
    assert {(cell.time, cell.cost, cell.chosen) for cell in row.cells} == {("–", "", False)}
    assert (row.choice, row.breakeven) == ("none", "–")
    assert "check failed" in row.choice_reason
    whole, part = samples.item(), samples.item("other")
    part = replace(part, predictions=replace(part.predictions, predictions=part.predictions.predictions[:1]))
    row = summarise([whole, part]).rows[1]
    assert [cell.time for cell in row.cells] == ["220 ms", "–", "–", "–"]
    item = samples.without_replays()
    row = summarise([item]).rows[0]
    assert (row.group, row.group_reason) == ("not known", "this trace lacks messages")


def test_where_it_ran_counts_the_cores_of_each_host_once():
    item = samples.item()
    assert item.metadata is not None
    ranks = [replace(rank, host=f"node-{rank.rank // 8}", cores=8) for rank in item.metadata.ranks]
    metadata = replace(item.metadata, ranks=ranks)
    assert ran_on(replace(item, metadata=metadata)) == "2 hosts, 16 cores, MPICH 4.0.2"
    lab = replace(metadata, one_machine=True)
    assert ran_on(replace(item, metadata=lab)) == "2 hosts, 8 cores, MPICH 4.0.2"
    bound = [replace(rank, cores=1, first_core=rank.rank % 4) for rank in item.metadata.ranks]
    metadata = replace(item.metadata, ranks=bound)
    assert ran_on(replace(item, metadata=metadata)) == "node-a, 4 cores, MPICH 4.0.2"


@pytest.mark.parametrize(
    ("library", "version", "name"),
    [
        ("/usr/lib/libmpi.so.40", "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI 4.1.4"),
        ("/usr/lib/libmpich.so.12", "MPICH Version:      4.0.2", "MPICH 4.0.2"),
        ("/usr/lib/libmpi.so.12", "Intel(R) MPI Library 2021.9 for Linux* OS", "Intel(R) MPI Library 2021.9 for Linux* OS"),
        ("/usr/lib/libmpi.so.12", "", "libmpi.so.12"),
        ("MPICH", "4.0.2", "MPICH 4.0.2"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_an_mpi_is_named_shortly(library, version, name):
    assert mpi_name(MpiInfo(library=library, version=version)) == name
