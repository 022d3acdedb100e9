"""A choice among numbers of nodes, each with the trace of as many ranks."""

import pytest
from synthetic import Call, recv, send, write_trace

PRICES = ["--price", "gbe=0.8", "--price", "ib-hdr=2"]


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    made = []
    for ranks in (4, 16):
        work = 0.1 / ranks
        sending, receiving = [send(ranks - 1, 1000).after(work)] * 5, [recv(0, 1000).after(work)] * 5
        idle: list[list[Call]] = [[] for _ in range(ranks - 2)]
        made.append(str(write_trace(folder / f"{ranks}.lwt", [sending, *idle, receiving])))
    return made


def test_each_trace_takes_its_nodes(traces, json_of):
    advice = json_of("advise", *traces, "--ppn", "4", *PRICES, "--goal", "time")
    places = {(option["fabric"], option["nodes"], option["ranks"]) for option in advice["options"]}
    assert places == {(fabric, nodes, 4 * nodes) for fabric in ("gbe", "ib-hdr") for nodes in (1, 4)}
    assert advice["ranks"] == advice["options"][advice["choice_option"]]["ranks"]
    assert advice["draws"] == 400


def test_each_trace_is_scaled_to_its_own_time(traces, json_of):
    measured = ["--measured", "4.lwt:gbe=3", "--measured", f"{traces[1]}:gbe:4x4=2"]
    advice = json_of("advise", *traces, "--ppn", "4", *PRICES, "--draws", "0", *measured)
    seconds = {
        option["nodes"]: option["seconds"] for option in advice["options"] if option["fabric"] == "gbe"
    }
    assert seconds == {1: pytest.approx(3), 4: pytest.approx(2)}


def test_counts_that_were_recorded_on_different_processors_are_doubtful(tmp_path, json_of):
    def recorded(ranks, processor):
        where = [{"rank": rank, "host": "node", "processor": processor} for rank in range(ranks)]
        return str(
            write_trace(
                tmp_path / f"{ranks}.lwt", [[Call("MPI_Wtime", "local").after(1)]] * ranks, ranks=where
            )
        )

    mixed = json_of("advise", recorded(4, "A 1"), recorded(8, "B 2"), "--ppn", "4", *PRICES)
    assert "different processors (4 ranks: A 1; 8 ranks: B 2)" in " ".join(mixed["warnings"])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--nodes", "2"], "give --ppn, and no --nodes"),
        ([], "give --ppn, and no --nodes"),
        (["--ppn", "4", "--measured", "gbe=1"], "--measured 'gbe=1': the program is not clear"),
        (["--ppn", "4", "--measured", "4:gbe=1"], "16.lwt; give a time of each program, or of none"),
        (["--ppn", "16"], "both take 1 node;"),
    ],
)
def test_unclear_requests_are_refused(options, why, traces, refused):
    assert why in refused("advise", *traces, *options, *PRICES)
