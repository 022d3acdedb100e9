"""Partitioned messages as they stand in the parts of `programs/partitioned.c`."""

import through_engine


def test_partitions_are_recorded_one_by_one(bench, yielding):
    bench.needs("MPI_Psend_init")
    run = bench.record(bench.compile("partitioned.c"), ranks=2, yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    through_engine.check(run.parts, bench.folder / "trace.lwt")
    sender, receiver = run.parts
    told = {"comm": 0, "tag": 7}
    assert [event.fields for event in sender.of_kind("psend_init")] == [
        told | {"peer": 1, "bytes": 12, "partitions": 6}
    ]
    assert [event.fields for event in receiver.of_kind("precv_init")] == [
        told | {"peer": 0, "bytes": 24, "partitions": 3}
    ]
    ready = [(event.name, event.fields) for event in sender.events if event.kind.startswith("pready")]
    one_round = [
        ("MPI_Pready", {"reference": 1, "first": 0, "last": 0}),
        ("MPI_Pready_range", {"reference": 1, "first": 1, "last": 3}),
        ("MPI_Pready_list", {"reference": 1, "partitions": [5, 4]}),
    ]
    assert ready == one_round * 2
    arrived = [event.fields for event in receiver.of_kind("parrived")]
    assert {(fields["reference"], fields["partition"]) for fields in arrived} == {(1, 2)}
    assert sum(fields["arrived"] for fields in arrived) == 2
    for part in run.parts:
        assert [event.fields["references"] for event in part.of_kind("start")] == [[1], [1]]
        assert [event.fields["completed"] for event in part.named("MPI_Wait")] == [[(1, None)]] * 2
        assert [event.fields for event in part.named("MPI_Request_free")] == [{"reference": 1}]
