"""Golden files: what the command line printed, kept as text. LINKWORTH_UPDATE_GOLDEN=1 writes them anew."""

import difflib
import os
from pathlib import Path


def check_golden(path: Path, text: str) -> None:
    """Compare without trailing blanks, which editors remove."""
    plain = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    if os.environ.get("LINKWORTH_UPDATE_GOLDEN"):
        path.write_text(plain, encoding="utf-8")
    kept = path.read_text(encoding="utf-8")
    differences = difflib.unified_diff(kept.splitlines(), plain.splitlines(), path.name, "now", lineterm="")
    assert plain == kept, "\n".join(["LINKWORTH_UPDATE_GOLDEN=1 keeps what is new:", *differences])
