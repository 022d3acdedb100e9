"""Labs of the tests: their state is kept in a folder of each test, so that no test sees another's labs."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where this test's labs are."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder / "linkworth" / "lab"
