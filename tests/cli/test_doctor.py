"""The screen of `linkworth doctor`."""

import fake_installation
import msgspec

from linkworth.cli.main import main
from linkworth.measure.machine import diagnose
from linkworth.model.environment import Check, Diagnosis

MPI = fake_installation.described("mpich", "5.0")
WORKING = Check(group="recording", name=MPI.name, present=True, detail="", purpose="")
CACHE = Check(
    group="recording",
    name="cache",
    present=False,
    detail="",
    purpose="",
    remedy="export XDG_CACHE_HOME=FOLDER",
)
COMPILER = Check(
    group="recording", name="C compiler", present=False, detail="", purpose="", remedy="get a compiler"
)


def test_no_compiler_is_asked_for_if_an_mpi_works_without(monkeypatch, capsys):
    found = Diagnosis(
        can_record=False, python="3", system="", processor="", cores=1, memory_bytes=1, mpis=[MPI],
        checks=[WORKING, CACHE, COMPILER],
    )  # fmt: skip
    monkeypatch.setattr(diagnose, "diagnose", lambda: found)
    assert main(["doctor"]) == 3
    assert capsys.readouterr().err.endswith("run: export XDG_CACHE_HOME=FOLDER\n")
    broken = msgspec.structs.replace(WORKING, present=False)
    none = msgspec.structs.replace(found, checks=[broken, CACHE, COMPILER])
    monkeypatch.setattr(diagnose, "diagnose", lambda: none)
    assert main(["doctor"]) == 3
    assert capsys.readouterr().err.endswith("run: export XDG_CACHE_HOME=FOLDER, then get a compiler\n")
