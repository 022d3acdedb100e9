"""Sources compiled together as a few files, since shared headers take most of the compile time."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from linkworth.mpi.sources import Recipe


class Unit(NamedTuple):
    """A file to compile, and the sources in it."""

    file: Path
    sources: list[Path]
    independent: bool
    """True if no source includes a header of MPI."""


def units(recipe: Recipe, folder: Path) -> list[Unit]:
    """Return what to compile: sources by themselves, or files written to a folder that include several.

    Sources with MPI are compiled for each MPI, so they become one file. The others become two, for two cores.
    """
    dependent = [source for source in recipe.sources if source not in recipe.independent]
    independent = [source for source in recipe.sources if source in recipe.independent]
    return [
        *_joined(recipe, folder, dependent, 1, independent=False),
        *_joined(recipe, folder, independent, 2, independent=True),
    ]


def _joined(
    recipe: Recipe, folder: Path, sources: Sequence[Path], count: int, *, independent: bool
) -> list[Unit]:
    if not recipe.together or len(sources) <= count:
        return [Unit(source, [source], independent) for source in sources]
    made = []
    for number in range(count):
        part = list(sources[number::count])
        kind = "without-mpi" if independent else "with-mpi"
        file = folder / f"{recipe.folder.name}-{kind}-{number}{part[0].suffix}"
        # Names are relative to the folder, which is on the include path, since its own path may be any text.
        file.write_text("".join(f'#include "{source.relative_to(recipe.folder)}"\n' for source in part))
        made.append(Unit(file, part, independent))
    return made
