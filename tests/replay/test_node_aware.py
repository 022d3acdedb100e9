"""Programs that ask which ranks share a node, on other layouts than where they ran."""

import json

import pytest
import synthetic
from synthetic import Call, collective, send

from linkworth.catalog import fabrics
from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.predict import predict
from linkworth.predict.extras import Extras
from linkworth.predict.sweep import arrangements, sweep
from linkworth.profile import build_profile
from linkworth.replay.layout import Arrangement
from linkworth.replay.node_aware import node_groups
from linkworth.trace.read import open_trace

RANKS = 8
GBE = [fabrics.get("gbe")]


def split(members, comm=0, new=2):
    return Call("MPI_Comm_split_type", "comm_new", comm=comm, new_comm=new, members=list(members))


def written(path, calls, hosts=("a",), **metadata):
    """Write a trace of ranks in blocks on hosts; `calls` gives those of a rank and the ranks of its host."""
    size = RANKS // len(hosts)
    programs = [calls(rank, range(rank - rank % size, rank - rank % size + size)) for rank in range(RANKS)]
    ranks = [{"rank": rank, "host": hosts[rank // size], "state": "complete"} for rank in range(RANKS)]
    return synthetic.write_trace(path, programs, ranks=ranks, **metadata)


def hierarchical(rank, here):
    del rank
    return [split(here), *(collective("MPI_Allreduce", 8, comm=2).after(1e-3) for _ in range(5))]


def sharing_memory(rank, here):
    del rank
    window = Call("MPI_Win_allocate_shared", "win_new", comm=2, new_window=0, bytes=1 << 20)
    return [split(here), window, collective("MPI_Barrier", comm=2)]


@pytest.fixture
def on_one_node(tmp_path):
    return written(tmp_path / "t.lwt", hierarchical)


def test_groups_are_read_once_with_their_calls(tmp_path):
    def calls(rank, here):
        dup = Call("MPI_Comm_dup", "comm_new", comm=2, new_comm=3, members=list(here))
        own = [send((rank + 1) % 4, 8, comm=3)] if rank == 0 else []
        return [split(here), dup, collective("MPI_Barrier", comm=2), *own, collective("MPI_Barrier")]

    first, second = node_groups(open_trace(written(tmp_path / "t.lwt", calls, hosts=("a", "b"))))
    assert (first.members, first.among, first.shares_memory) == ([0, 1, 2, 3], list(range(8)), False)
    assert second.members == [4, 5, 6, 7]
    assert (first.calls, second.calls) == (5, 4)


def test_windows_and_partitions_on_a_node_communicator_are_calls_on_it(tmp_path):
    def calls(rank, here):
        window = Call("MPI_Win_create", "win_new", comm=2, new_window=0, bytes=64)
        put = Call("MPI_Put", "rma", operation=0, window=0, peer=(rank + 1) % 8, bytes=8, recv_bytes=0)
        name, kind = ("MPI_Psend_init", "psend_init") if rank % 2 else ("MPI_Precv_init", "precv_init")
        parts = Call(name, kind, peer=rank ^ 1, bytes=8, tag=0, comm=2, partitions=4)
        return [split(here), window, put, put, parts]

    (group,) = node_groups(open_trace(written(tmp_path / "t.lwt", calls)))
    assert group.calls == 3 * RANKS


def test_a_layout_that_splits_node_communicators_is_predicted_with_a_warning(on_one_node):
    assert predict(on_one_node, GBE, Arrangement(nodes=1)).warnings == []
    for nodes in (2, 4):
        (warning,) = predict(on_one_node, GBE, Arrangement(nodes=nodes)).warnings
        assert "MPI_Comm_split_type), up to 8 where it was recorded" in warning
        assert f"puts them on {nodes} nodes" in warning
        assert "40 of its 64 calls" in warning
        assert "is not known" in warning


def test_node_communicators_without_calls_have_a_warning_of_their_own(tmp_path):
    trace = written(tmp_path / "t.lwt", lambda _, here: [split(here)])
    (warning,) = predict(trace, GBE, Arrangement(nodes=2)).warnings
    assert "It makes no calls on the recorded ones" in warning


def test_the_recorded_layout_has_no_warning_and_a_coarser_one_has(tmp_path):
    trace = written(tmp_path / "t.lwt", hierarchical, hosts=("a", "b"))
    assert predict(trace, GBE, Arrangement(nodes=2)).warnings == []
    (warning,) = predict(trace, GBE, Arrangement(nodes=1)).warnings
    assert "larger node communicators" in warning
    assert (
        "smaller node communicators"
        in predict(trace, GBE, Arrangement(nodes=2, placement="cyclic")).warnings[0]
    )


def test_a_communicator_of_a_part_of_a_node_may_lie_on_any_node(tmp_path):
    trace = written(tmp_path / "t.lwt", lambda rank, _: [split([rank // 2 * 2, rank // 2 * 2 + 1])])
    assert predict(trace, GBE, Arrangement(nodes=1)).warnings == []
    assert predict(trace, GBE, Arrangement(nodes=4)).warnings == []


def test_memory_that_ranks_share_cannot_be_parted(tmp_path):
    trace = written(tmp_path / "t.lwt", sharing_memory)
    assert predict(trace, GBE, Arrangement(nodes=1)).warnings == []
    with pytest.raises(
        UsageError, match=r"shared by up to 8 ranks \(MPI_Win_allocate_shared\).*nothing is predicted"
    ):
        predict(trace, GBE, Arrangement(nodes=2))
    with pytest.raises(UsageError, match="memory is shared by"):
        sweep(trace, GBE, [], arrangements([1, 2]))


def test_a_sweep_warns_for_each_layout(on_one_node):
    found = sweep(on_one_node, GBE, [], arrangements([1, 2, 4]))
    assert [warning.partition(":")[0] for warning in found.warnings] == [
        "on 2 nodes, placed block",
        "on 4 nodes, placed block",
    ]


def test_a_program_beside_is_warned_of(on_one_node, tmp_path):
    plain = synthetic.write_trace(tmp_path / "p.lwt", [[collective("MPI_Barrier")] for _ in range(2)])
    (warning,) = predict(
        plain, GBE, Arrangement(nodes=2), extras=Extras(beside=[(on_one_node, "block")])
    ).warnings
    assert warning.startswith("synthetic beside it: the program asked for the ranks of its node")


def test_the_verbs_warn_in_text_and_json(on_one_node, tmp_path, capsys, undrawn, json_of):
    trace = str(on_one_node)
    sentence = "asked for the ranks of its node"
    advise = ["advise", trace, "--price", "gbe=1", "--price", "ib-hdr=2", "--draws", "0"]
    for arguments in (["predict", trace, "--on", "gbe"], advise, ["sweep", trace, "--on", "gbe"]):
        assert main([*arguments, "--json"]) == 0
        said = capsys.readouterr()
        assert sentence in " ".join(json.loads(said.out)["warnings"])
        assert sentence in said.err
    page = tmp_path / "r.html"
    [program] = json_of("report", trace, "--on", "gbe", "--price", "gbe=1", "-o", str(page))["programs"]
    assert sentence in " ".join(program["warnings"])
    assert sentence in page.read_text(encoding="utf-8")


def test_the_group_of_such_a_program_has_a_remark(on_one_node, tmp_path):
    assert "makes node communicators" in (build_profile(on_one_node).node_aware or "")
    assert "shares memory" in (build_profile(written(tmp_path / "m.lwt", sharing_memory)).node_aware or "")
    plain = synthetic.write_trace(tmp_path / "p.lwt", [[collective("MPI_Barrier")] for _ in range(2)])
    assert build_profile(plain).node_aware is None
