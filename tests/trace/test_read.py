"""Opening traces: what cannot be used is refused in one sentence, what is damaged is said."""

import os
import struct

import pytest
import synthetic

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.trace.read import open_trace


@pytest.fixture
def trace_path(tmp_path):
    ring = [[synthetic.sendrecv((r + 1) % 4, 100, (r - 1) % 4).after(1e-3)] * 50 for r in range(4)]
    return synthetic.write_trace(tmp_path / "t.lwt", ring)


def test_a_sound_trace_has_metadata_and_no_damage(trace_path):
    trace = open_trace(trace_path)
    assert trace.metadata.workload == "synthetic"
    assert trace.engine.ranks == 4
    assert trace.engine.events == 4 * 52
    assert trace.damage == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot open"),
        (b"", "is empty"),
        (b"#!/bin/sh\necho no trace here at all, only a script that is long enough\n", "not a linkworth trace"),
        (b"LWTRACE1" + struct.pack("<I", 6) + b"\0" * 100, "version 6, and this linkworth reads version 7 only"),
        (b"LWTRACE1" + struct.pack("<I", 8) + b"\0" * 100, "version 8, and this linkworth reads version 7 only"),
    ],
)  # fmt: skip
def test_what_is_no_trace_is_refused_in_one_sentence(tmp_path, content, sentence):
    path = tmp_path / "x.lwt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=sentence) as refused:
        open_trace(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_folders_archives_and_odd_metadata_are_refused(tmp_path):
    archive = tmp_path / "traces.otf2"
    archive.write_bytes(b"OTF2")
    with pytest.raises(UsageError, match=f"is an OTF2 archive: .*linkworth convert {archive} -o FILE.lwt"):
        open_trace(archive)
    with pytest.raises(UsageError, match="is not a file"):
        open_trace(tmp_path)
    os.mkfifo(tmp_path / "pipe.lwt")
    with pytest.raises(UsageError, match="is not a file"):  # without waiting for a writer
        open_trace(tmp_path / "pipe.lwt")
    writer = _engine.TraceWriter(str(tmp_path / "t.lwt"), 1, '{"workload": 5}')
    writer.close()
    with pytest.raises(UsageError, match="metadata cannot be read"):
        open_trace(tmp_path / "t.lwt")


def test_a_rank_that_does_not_exist_is_refused(trace_path):
    with pytest.raises(_engine.TraceError, match="has 4 ranks: there is no rank 4"):
        open_trace(trace_path).engine.iterate(4)
