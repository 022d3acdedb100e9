"""Outputs are whole or absent, and devices, pipes and links stay what they are."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.trace.record import publish
from linkworth.writing.files import (
    STANDARD_OUTPUT,
    is_stream,
    put,
    require_writable,
    staged,
    unwritable,
    write_atomically,
    write_output,
)
from linkworth.writing.folders import temporary_folder


def test_a_file_is_replaced_whole(tmp_path):
    target = tmp_path / "file"
    target.write_text("before")
    write_atomically(target, b"after")
    assert target.read_text() == "after"
    mask = os.umask(0)
    os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~mask
    assert list(tmp_path.iterdir()) == [target]


def test_what_fails_leaves_the_file_before_it_and_names_it(tmp_path, monkeypatch):
    def no_room(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = tmp_path / "file"
    target.write_text("before")
    with pytest.raises(ZeroDivisionError), staged(target) as made:
        made.write_text("half")
        raise ZeroDivisionError
    with monkeypatch.context() as patched, pytest.raises(OSError, match=r"No space.*/file'"):
        patched.setattr(os, "fsync", no_room)
        write_atomically(target, b"after")
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/file")
    for text in ("first", "second"):
        write_output(link, text)
        assert link.is_symlink()
        assert (tmp_path / "there/file").read_text() == text
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["file"]


def test_a_link_to_another_file_system_is_followed(tmp_path):
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system to write to")
    far = memory / f"linkworth-test-{os.getpid()}"
    try:
        (tmp_path / "link").symlink_to(far)
        (tmp_path / "made").write_text("content")
        put(tmp_path / "made", tmp_path / "link")
        assert far.read_text() == "content"
        assert [path.name for path in tmp_path.iterdir()] == ["link"]
    finally:
        far.unlink(missing_ok=True)


def test_a_device_stays_a_device(tmp_path):
    (tmp_path / "null").symlink_to(os.devnull)
    for path in (Path(os.devnull), tmp_path / "null"):
        assert is_stream(path)
        write_output(path, "content")
        with staged(path) as made:
            made.write_text("content")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert (tmp_path / "null").is_symlink()


def test_a_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    write_output(pipe, "content")
    reader.join()
    assert found == ["content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_is_not_opened_anew(capfdbinary):
    print("before")
    write_output(STANDARD_OUTPUT, "content\n")
    print("after")
    assert capfdbinary.readouterr().out == b"before\ncontent\nafter\n"


def test_a_trace_goes_where_its_name_leads(tmp_path):
    def made():
        (tmp_path / "made").write_text("trace")
        return tmp_path / "made"

    assert publish(made(), Path(os.devnull), replace=False) == Path(os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    link = tmp_path / "link.lwt"
    link.symlink_to("far.lwt")
    assert publish(made(), link, replace=False) == link
    assert (tmp_path / "far.lwt").read_text() == "trace"
    assert publish(made(), link, replace=False) == tmp_path / "link-2.lwt"
    (tmp_path / "far.lwt").write_text("old")
    assert publish(made(), link, replace=True) == link
    assert link.is_symlink() and (tmp_path / "far.lwt").read_text() == "trace"


def test_why_it_cannot_be_written_decides_the_exit_code(tmp_path):
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(
        EnvironmentLacksError, match="full: No space left on device; make room or give another"
    ):
        write_output(tmp_path / "full", "content")
    with pytest.raises(UsageError, match="x: No such file or directory; give another place with `plot`"):
        write_output(tmp_path / "no/x", "content", "plot")
    with temporary_folder() as folder:
        (folder / "full").symlink_to("/dev/full")
        with pytest.raises(EnvironmentLacksError, match="make room or name another folder in TMPDIR"):
            write_output(folder / "full", "content")


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.EACCES, UsageError),
        (errno.EROFS, UsageError),
        (errno.ENOSPC, EnvironmentLacksError),
        (errno.EDQUOT, EnvironmentLacksError),
    ],
)
def test_a_folder_that_takes_nothing_is_a_bad_name_and_no_lack_of_room(number, kind, tmp_path):
    error = unwritable(tmp_path / "x", OSError(number, os.strerror(number)))
    assert type(error) is kind


def test_a_pipe_whose_reader_has_enough_is_no_bad_output():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        with pytest.raises(BrokenPipeError):
            write_output(Path(f"/dev/fd/{writer}"), "x")
    finally:
        os.close(writer)


def test_an_output_that_cannot_be_written_is_refused_with_its_option(tmp_path):
    require_writable(tmp_path / "new")
    require_writable(Path("/dev/stdout"))
    for path, reason in [
        (tmp_path, "it is a folder"),
        (tmp_path / "a/b", f"there is no folder {tmp_path / 'a'}"),
        (Path("/proc/a"), ".*"),  # root may write there, but no file can be made
    ]:
        with pytest.raises(
            UsageError, match=f"cannot write {path}: {reason}; give another place with `output`"
        ):
            require_writable(path)
