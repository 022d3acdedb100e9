"""Temporary folders go, whenever an interrupt arrives."""

import os
import signal

import pytest

from linkworth.writing.folders import remove_folder, temporary_folder


def test_an_interrupt_while_a_folder_is_removed_waits_for_the_end(monkeypatch, tmp_path):
    close = os.close

    def close_and_interrupt(descriptor):
        close(descriptor)
        os.kill(os.getpid(), signal.SIGINT)

    inner = tmp_path / "folder" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.setattr(os, "close", close_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        remove_folder(inner.parent)
    assert not inner.parent.exists()


def test_an_interrupt_removes_a_temporary_folder(tmp_path):
    with pytest.raises(KeyboardInterrupt), temporary_folder(beside=tmp_path) as folder:
        (folder / "file").touch()
        os.kill(os.getpid(), signal.SIGINT)
    assert list(tmp_path.iterdir()) == []
