"""Traces that somebody made up behind right checksums: each is refused in one sentence, or used."""

import json
import struct
import time

import pytest
import synthetic
from signed_trace import put_together, taken_apart

from linkworth import _engine
from linkworth.cli.main import main
from linkworth.errors import DamagedInputError, UsageError
from linkworth.trace.read import open_trace


@pytest.fixture
def whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = synthetic.write_trace(tmp_path / "t.lwt", [[synthetic.send(1, 8)], [synthetic.recv(0, 8)]])
    engine = _engine.Trace(str(path))
    names = b"".join(entry.encode() + b"\0" for entry in engine.entries)
    return taken_apart(path.read_bytes(), engine.metadata_json.encode(), names)


def opened(parts, tmp_path):
    path = tmp_path / "t.lwt"
    path.write_bytes(put_together(parts))
    return open_trace(path)


@pytest.mark.parametrize("ranks", [0, 40_000, 1 << 24, (1 << 32) - 1])
def test_ranks_that_the_file_has_no_room_for_are_refused_at_once(whole, tmp_path, ranks):
    began = time.process_time()
    with pytest.raises(DamagedInputError):
        opened(whole._replace(ranks=ranks), tmp_path)
    assert time.process_time() - began < 1


def test_ranks_without_events_are_refused_at_once(whole, tmp_path):
    metadata = json.dumps({**json.loads(whole.metadata), "more": "x" * 40_000}).encode()
    with pytest.raises(DamagedInputError, match="all events of ranks 0 to 1, no events of ranks 2 to 39999"):
        opened(whole._replace(ranks=40_000, metadata=metadata), tmp_path)


def test_blocks_inside_each_other_are_summed_up_a_few_times_only(whole, tmp_path):
    fields, count = {**whole.blocks[0][0], "codec": 2}, 60_000
    content = bytearray(put_together(whole._replace(blocks=[(fields, b"")] * count))[:-1])
    first = content.index(b"LWBK")
    for at in range(first, first + 64 * count, 64):
        struct.pack_into("<I", content, at + 16, len(content) - at - 64)
    path = tmp_path / "nested.lwt"
    path.write_bytes(content)
    began = time.process_time()
    _engine.Trace(str(path))
    assert time.process_time() - began < 2


def test_only_synthetic_traces_are_complete_without_events(tmp_path):
    for source in ("synthetic", "converted", "recorded"):
        trace = synthetic.write_trace(tmp_path / "t.lwt", [[], []], init=False, end=False, source=source)
        if source == "synthetic":
            assert open_trace(trace).lacks is None
        else:
            with pytest.raises(DamagedInputError, match="no events of ranks 0 to 1"):
                open_trace(trace)
        ends = [{"rank": 0, "host": "node", "state": "cut"}]
        cut = synthetic.write_trace(
            tmp_path / "c.lwt", [[], []], init=False, end=False, source=source, ranks=ends
        )
        with pytest.raises(DamagedInputError, match="rank 0 did not reach MPI_Finalize"):
            open_trace(cut)


@pytest.mark.parametrize(
    "metadata",
    [b'{"workload":' * 5000, b'{"workload": "\xff"}', b"", b"[]", b'{"workload": "a", "ranks": [{"rank": 7, "host": ""}]}',
     b'{"workload": "a", "ranks": [{"rank": 0, "host": "", "cpu_seconds": 1e308}]}'],
)  # fmt: skip
def test_metadata_that_no_recording_has_is_refused(whole, tmp_path, metadata):
    with pytest.raises(UsageError, match="metadata"):
        opened(whole._replace(metadata=metadata), tmp_path)


@pytest.mark.parametrize("name", [b"MPI_\xff\xfe", b"", b"MPI_Send\x1b[31m", b"x" * 100_000])
@pytest.mark.parametrize("verb", ["profile", "predict"])
def test_any_name_of_a_call_is_printed(whole, tmp_path, capsys, name, verb):
    (tmp_path / "t.lwt").write_bytes(
        put_together(whole._replace(names=whole.names.replace(b"MPI_Send", name)))
    )
    assert main([verb, "t.lwt", "--json", *(["--on", "gbe"] if verb == "predict" else [])]) in {0, 2, 4}
    assert capsys.readouterr().err.count("\n") <= 3


def test_odd_modules_and_shrinking_files_keep_the_calls(whole, tmp_path):
    names = whole.names.replace(b"MPI_Send", b"MPI_Send@/home/\xe9/prog+0x10")
    assert "MPI_Send" in opened(whole._replace(names=names), tmp_path).engine.names
    trace = opened(whole, tmp_path)
    (tmp_path / "t.lwt").write_bytes(b"")
    assert [len(list(trace.engine.iterate(rank))) for rank in range(2)] == [3, 3]


@pytest.mark.parametrize("verb", ["profile", "predict", "advise", "sweep", "report"])
def test_one_rank_may_send_to_itself(tmp_path, monkeypatch, json_of, printed, undrawn, verb):
    monkeypatch.chdir(tmp_path)
    calls = [synthetic.irecv(0, 1 << 20), synthetic.send(0, 1 << 20).after(1e-3), synthetic.waitall(1)]
    synthetic.write_trace(tmp_path / "t.lwt", [calls])
    options = {"predict": ["--on", "gbe"], "advise": ["--price", "gbe=1", "--price", "ib-edr=2"], "sweep": ["--on", "gbe"],
               "report": ["-o", "page.html"]}  # fmt: skip
    json_of(verb, "t.lwt", *options.get(verb, []))
    if verb == "profile":
        for more in ([], ["--full"]):
            printed(verb, "t.lwt", *more)
