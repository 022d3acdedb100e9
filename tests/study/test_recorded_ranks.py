"""Any number of ranks from one file: a program recorded on few ranks, scaled, and predicted on several numbers of nodes."""

import re
import shutil
from pathlib import Path

import pytest
from mpi_programs import compile_c, usable_mpis

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.rates import RateSource
from linkworth.report.study.results import Results
from linkworth.report.study.sections import costs, nodes
from linkworth.skeleton import parse, record_skeleton
from linkworth.skeleton.progress import SilentProgress
from linkworth.study import resume as taking_up
from linkworth.study.definition.file import load
from linkworth.study.matrix import expand
from linkworth.study.outcome import Outcome
from linkworth.study.plan import check_all
from linkworth.study.prediction.jobs import prepare
from linkworth.study.runner import record_of, run_study
from linkworth.study.store import Store, now
from linkworth.trace.read import open_trace

pytestmark = pytest.mark.usefixtures("one_process")

PAGE = Path(__file__).parents[2] / "docs/how-to/scale-a-recording.md"
STUDY = re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
RING = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int cells = (1 << 22) / size;
    double edge[2][512] = {{0}}, total = 0.0, sum = 0.0;
    double *own = calloc(cells, sizeof *own);
    for (int step = 0; step < 5; step++) {
        MPI_Sendrecv(edge[0], 512, MPI_DOUBLE, (rank + 1) % size, 0, edge[1], 512, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i < cells; i++) total += own[i] = 0.5 * own[i - 1] + edge[1][i % 512] + i;
        MPI_Allreduce(&total, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(own);
    MPI_Finalize();
    return sum < 0.0;
}
"""


def begin(folder, text=STUDY):
    (folder / "nodes.toml").write_text(text)
    return taking_up.begin(folder / "nodes.toml", folder=folder / "nodes.study")


@pytest.mark.requires("mpi", "c++")
@pytest.mark.slow  # the tracer is built, a program run and recorded
def test_the_study_of_the_page_goes_from_recordings_to_time_and_cost_over_the_nodes(tmp_path):
    compile_c(usable_mpis()[0], RING, tmp_path / "app", "-O2")
    store = begin(tmp_path)
    status = run_study(store)
    assert (status.total, status.done) == (11, 11), status.problems
    found = {record.environment: record for record in store.records()}
    assert [found[f"here-{ranks}"].mode for ranks in (4, 8, 16)] == ["trace"] * 3
    assert [found[f"gbe-{count}"].facts["ranks"] for count in (1, 2, 4, 8)] == ["16", "32", "64", "128"]
    assert "trace scaled from" not in found["gbe-1"].facts
    assert found["gbe-8"].facts["trace scaled from"] == "4, 8, 16 ranks"
    assert found["ib-hdr-8"].metrics["seconds"] < found["gbe-8"].metrics["seconds"]
    assert open_trace(store.trace("app scaled to 128")).engine.ranks == 128

    (section,) = nodes.sections(Results(store.study, store.records()))
    time, cost = section.figures
    assert time.table.title.startswith("app is fastest on ")
    assert cost.table.title.startswith("app costs least on ")
    least, most = [[each.value for each in row][5:7] for row in time.table.rows][-1]
    assert least < found["ib-hdr-8"].metrics["seconds"] < most

    # Only what is missing is made again, from the recordings that are there.
    before = store.trace("app", "here-4").stat().st_mtime_ns
    shutil.rmtree(store.folder / "runs" / "app@gbe-4@predict@r000")
    store.trace("app scaled to 64").unlink()
    assert run_study(Store(store.folder)).done == 11
    assert store.trace("app", "here-4").stat().st_mtime_ns == before


def test_predictions_wait_for_all_recordings(tmp_path):
    store = begin(tmp_path)
    jobs, failed, waiting = prepare(store, [each for each in store.planned if each.mode == "predict"], None)
    assert (jobs, failed, waiting) == ([], {}, ["the predictions of app wait for its recording"])


GROWTH = 'weak = true\ngrids = ["4x8"]'


def growing(keys=GROWTH):
    return STUDY.replace("[4, 8, 16]", f"[4, 9, 16]\n{keys}")


def test_a_problem_that_grows_is_scaled_to_the_grid_of_its_ranks(tmp_path):
    store = begin(tmp_path, growing())
    for planned in store.planned:
        if planned.mode == "trace":
            side = {4: 48, 9: 72, 16: 96}[planned.ranks]
            program = parse([f"stencil:{side}x{side}x4", "--iterations", "6"])
            each = dict.fromkeys(_engine.skeleton_programs()[program.name], 1e-9)
            rates = RateSource(
                method="reference", description="a nanosecond each", seconds_per_operation=each
            )
            record_skeleton(program, planned.ranks, rates, store.trace("app", planned.environment.name))
            store.write(record_of(planned, Outcome(state="done"), now(), []))
    jobs, _, _ = prepare(store, [each for each in store.planned if each.mode == "predict"], SilentProgress())
    asked = {job.ranks: (job.scaling.weak, job.scaling.grid) for job in jobs if job.scaling}
    assert asked == {32: (True, (4, 8)), 64: (True, None), 128: (True, None)}
    assert run_study(store).done == 11
    assert open_trace(store.trace("app scaled to 32")).metadata.scaling.grid == [4, 8]

    # A smaller problem takes less on fewer nodes, so only the same ranks are compared.
    results = Results(store.study, store.records())
    (section,) = nodes.sections(results)
    titles = [figure.table.title.split(" with ")[0] for figure in section.figures]
    assert titles == [
        f"app {word} at the problem of 128 ranks on 8 nodes" for word in ("is fastest", "costs least")
    ]
    (section,) = costs.sections(results)
    beside = [[each.text for each in row] for row in section.tables[1].rows]
    assert [row[0] for row in beside] == [f"app on {ranks} ranks" for ranks in (16, 32, 64, 128)]


def test_predictions_that_are_scaled_otherwise_are_made_again(tmp_path):
    def planned(keys):
        (tmp_path / "nodes.toml").write_text(growing(keys))
        return expand(load(tmp_path / "nodes.toml"), 0)

    made = {each.run: each.definition for each in planned("")}

    def again(keys):
        return {each.ranks for each in planned(keys) if each.definition != made[each.run]}

    assert again('grids = ["4x8"]') == {32}
    assert again("weak = true") == {32, 64, 128}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("[4, 8, 16]", "[4]", "give at least two different numbers of ranks"),
        ("[4, 8, 16]", "[4, 4]", "give at least two different numbers of ranks"),
        ("[4, 8, 16]", "[4, 8, 0]", "recorded_ranks"),
        ("[4, 8, 16]", '[4, 8]\nrecording = "app.lwt"', "leave out either them or `recording`"),
        ('["${study_folder}/app"]', '"bench:latency"', "needs no recording"),
        ("[4, 8, 16]", "[4, 8, 32]", "on 16 ranks; give one of recorded_ranks, or more than 32"),
        ("[[workloads]]", '[predict]\nmeasured = {app = "gbe=3"}\n[[workloads]]', "of one number of ranks"),
        ("ranks_per_node = 16", "", "without a number of ranks"),
        ("recorded_ranks = [4, 8, 16]", "weak = true", "nodes.toml:11: workloads[0].weak: it is about scaling"),
        ("recorded_ranks = [4, 8, 16]", 'grids = ["4x8"]', "workloads[0].grids: it is about scaling"),
        ("16]", '16]\ngrids = ["4by8"]', "workloads[0].grids[0]: '4by8': give 1 to 4 extents"),
        ("16]", '16]\ngrids = ["4x4"]', "workloads[0].grids[0]: 4x4 has 16 places; give a grid of more than 16"),
        ("16]", '16]\ngrids = ["4x8", "8x4"]', "workloads[0].grids[1]: 8x4 is a second grid of 32 ranks"),
        ("16]", '16]\ngrids = ["5x8"]', "grids of app: 5x8 is unused, as no prediction is on 40 ranks"),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence(tmp_path, old, new, fault):
    assert old in STUDY
    with pytest.raises(UsageError, match=re.escape(fault)):
        check_all((store := begin(tmp_path, STUDY.replace(old, new))).study, store.planned)
