"""Sources compiled together as a few files, since shared headers take most of the compile time."""

from pathlib import Path

from linkworth.mpi.sources import Recipe


def files(recipe: Recipe, folder: Path) -> list[Path]:
    """Return what to compile: the sources by themselves, or files written to a folder that include several."""
    count = recipe.files
    if not 0 < count < len(recipe.sources):
        return recipe.sources
    made = []
    for number in range(count):
        part = recipe.sources[number::count]
        file = folder / f"{recipe.folder.name}-{number}{part[0].suffix}"
        # Names are relative to the folder, which is on the include path, since its own path may be any text.
        file.write_text("".join(f'#include "{source.relative_to(recipe.folder)}"\n' for source in part))
        made.append(file)
    return made
