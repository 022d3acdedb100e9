"""Files and pipes that a user names."""

import os
import threading
from pathlib import Path

import pytest

from linkworth import reading
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.measure.parsers import bench
from linkworth.places import hosts


def test_a_pipe_is_read_to_its_end():
    text = "\ufeffone\r\n" + "two\r\n" * 100_000  # more than a pipe holds
    out, into = os.pipe()

    def write():
        with os.fdopen(into, "wb") as stream:
            stream.write(text.encode())

    writer = threading.Thread(target=write)
    writer.start()
    assert reading.read_text(Path(f"/dev/fd/{out}")) == text[1:].replace("\r\n", "\n")
    writer.join()
    os.close(out)


@pytest.mark.parametrize("read", [bench.read, hosts.read, lambda path: fabrics.get(str(path))])
def test_a_pipe_without_a_writer_is_refused(tmp_path, read):
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match=r"pipe\.toml.*it is a pipe that no program writes to"):
        read(pipe)
