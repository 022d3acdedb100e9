"""Labs of the tests: their state is kept in a folder of each test, so that no test sees another's labs."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_labs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where this test's labs are."""
    folder = tmp_path_factory.mktemp("runtime")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder / "linkworth" / "lab"
