"""Labs of the tests: their state is kept in a folder of each test, so that no test sees another's labs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from linkworth.lab import labs, state
from linkworth.lab.labs import Lab
from linkworth.lab.plan import HeldPlace
from linkworth.lab.spec import LabSpec
from linkworth.lab.state import LabState


@pytest.fixture(autouse=True)
def own_labs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder where this test's labs are."""
    folder = tmp_path_factory.mktemp("runtime")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    yield folder / "linkworth" / "lab"
    # A test that fails may leave a lab that stays.
    for known in state.running() if (folder / "linkworth").exists() else []:
        labs.down(known.name)


@pytest.fixture
def described_lab() -> Lab:
    """A lab of two nodes and 1 Gbit/s with 100 us that is only described, not up."""
    spec = LabSpec(nodes=2, rate=1e9, latency=100e-6)
    places = {name: HeldPlace(pid=1, started=1) for name in ("head", *spec.node_names)}
    known = LabState(
        name="described", mark="0", spec=spec, scoped=True, owner=1, owner_started=1, supervisor=1, supervisor_started=1,
        own_user_namespace=False, places=places,
    )  # fmt: skip
    return Lab(known, Path("/nowhere"))
