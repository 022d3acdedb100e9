"""Stand-ins of the commands of batch systems."""

import fake_installation as fake
import pytest

from linkworth.places.batch import BatchRequest


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """A folder before all others on PATH, and what the stand-ins were given."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")

    def make(name, text):
        fake.script(tmp_path / "bin" / name, f'echo "$0 $@" >> {tmp_path}/calls; {text}')

    return make


@pytest.fixture
def request_of_eight(tmp_path):
    def make(**more):
        return BatchRequest(name="ft", body="mpiexec ./x", folder=tmp_path, log=tmp_path / "log", tasks=8, nodes=4,
                            tasks_per_node=2, seconds=5400, partition="short", account="me", **more)  # fmt: skip

    return make
