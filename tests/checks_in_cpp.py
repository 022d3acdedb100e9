"""Programs of the tests that check C++ sources without an MPI."""

from collections.abc import Sequence
from pathlib import Path

from run_program import output_of


def compiled(files: Sequence[Path], include: Path, folder: Path, *flags: str) -> Path:
    """Return the program that the files make, compiled as one: their headers cost more to compile than they do."""
    together = folder / "together.cpp"
    together.write_text("".join(f'#include "{file}"\n' for file in files))
    program = folder / "check"
    checks = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]
    output_of(["c++", *checks, *flags, f"-I{include}", together, "-o", program])
    return program
