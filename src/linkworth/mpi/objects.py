"""Object files of sources that know nothing of MPI: compiled once, linked into the programs of every MPI."""

import hashlib
import os
import platform
import re
import shutil
from pathlib import Path

from linkworth.mpi import sources
from linkworth.mpi.identify import CompileLine


def places(cache: Path, recipe: sources.Recipe, line: CompileLine | None) -> dict[Path, Path]:
    """Return where the objects of the independent sources are kept; none where each MPI has to compile them itself."""
    if not recipe.independent or line is None:
        return {}
    found = [shutil.which(word) for word in line.compiler]
    compilers = [Path(path).resolve() for path in found if path]
    if len(compilers) != len(line.compiler):
        return {}
    made_by = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in compilers]
    made_for = (platform.machine(), processor() if "-march=native" in recipe.flags else "")
    common = hashlib.sha256(repr((recipe.flags, made_by, made_for)).encode())
    sources.hash_files(common, recipe.folder, sources.headers(recipe))
    kept = {}
    for source in recipe.independent:
        hashed = common.copy()
        sources.hash_files(hashed, recipe.folder, [source])
        kept[source] = cache / "objects" / f"{source.stem}-{hashed.hexdigest()[:16]}.o"
    return kept


def keep(compiled: Path, kept: Path) -> None:
    """Put an object in its place, whole or not at all. Raises OSError."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    draft = kept.with_suffix(f".{os.getpid()}")
    shutil.copyfile(compiled, draft)
    draft.replace(kept)


def processor() -> str:
    """Features of this processor: a home folder is often shared by nodes of several kinds."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()
