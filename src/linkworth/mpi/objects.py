"""Object files of sources without MPI. They are compiled once and linked into the programs of every MPI."""

import hashlib
import platform
import re
import shutil
import tempfile
from pathlib import Path

from linkworth.mpi import joined, sources
from linkworth.mpi.files import text_of
from linkworth.mpi.identify import CompileLine


def place(cache: Path, recipe: sources.Recipe, unit: joined.Unit, line: CompileLine | None) -> Path | None:
    """Return the cache path of an object, or None if each MPI must compile it itself."""
    if not unit.independent or line is None:
        return None
    found = [shutil.which(word) for word in line.compiler]
    compilers = [Path(path).resolve() for path in found if path]
    if len(compilers) != len(line.compiler):
        return None
    made_by = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in compilers]
    made_for = (platform.machine(), processor() if "-march=native" in recipe.flags else "")
    hashed = hashlib.sha256(repr((recipe.flags, made_by, made_for)).encode())
    sources.hash_files(hashed, recipe.folder, [*sources.headers(recipe), *unit.sources])
    return cache / "objects" / f"{unit.file.stem}-{hashed.hexdigest()[:16]}.o"


def keep(compiled: Path, kept: Path) -> None:
    """Put an object in its place atomically. Raises OSError."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    # Others may keep the same object now if files cannot be locked.
    with tempfile.TemporaryDirectory(prefix=f".{kept.stem}-", dir=kept.parent) as draft:
        shutil.copyfile(compiled, Path(draft) / kept.name)
        (Path(draft) / kept.name).replace(kept)


def processor() -> str:
    """Features of this processor, since nodes of several kinds often share a home folder."""
    about = text_of(Path("/proc/cpuinfo"))
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", about, re.MULTILINE)
    return found[1] if found else platform.processor()
