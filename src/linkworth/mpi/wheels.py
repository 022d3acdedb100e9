"""Wheels of several MPIs in one Python environment: each installs an `mpiexec`, and the last one overwrites the others."""

from collections.abc import Iterable
from pathlib import Path

from linkworth.mpi.files import text_of


def overwritten(folders: Iterable[Path]) -> list[str]:
    """Return a sentence for each of these `bin` folders into which several wheels have installed `mpiexec`."""
    found = ((folder, _owners(folder)) for folder in folders)
    return [
        f"the wheels {' and '.join(owners)} overwrote each other's mpiexec in {folder}; "
        "install each into a Python environment of its own"
        for folder, owners in found
        if len(owners) > 1
    ]


def _owners(folder: Path) -> list[str]:
    records = folder.parent.glob("lib*/python3*/site-packages/*.dist-info/RECORD")
    return sorted(
        {record.parent.name.partition("-")[0].replace("_", "-") for record in records if _lists(record)}
    )


def _lists(record: Path) -> bool:
    return "\n../../../bin/mpiexec," in "\n" + text_of(record)
