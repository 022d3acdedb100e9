"""Programs of the tests that check C++ sources without an MPI."""

import subprocess
from collections.abc import Sequence
from pathlib import Path


def compiled(files: Sequence[Path], include: Path, folder: Path, *flags: str) -> Path:
    """Return the program that the files make, compiled as one: their headers cost more to compile than they do."""
    together = folder / "together.cpp"
    together.write_text("".join(f'#include "{file}"\n' for file in files))
    program = folder / "check"
    command = [
        "c++",
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        *flags,
        f"-I{include}",
        together,
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    return program
