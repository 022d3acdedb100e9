"""Sources compiled together as a few files, since shared headers take most of the compile time."""

from pathlib import Path

from linkworth.mpi.sources import Recipe


def files(recipe: Recipe, folder: Path) -> list[Path]:
    """Return the files to compile: single sources, and files in a folder that include the joined ones."""
    joined = [source for source in recipe.sources if source not in recipe.independent]
    if not recipe.together or len(joined) <= recipe.together:
        return recipe.sources
    made = []
    for number in range(recipe.together):
        part = joined[number :: recipe.together]
        file = folder / f"{recipe.folder.name}-{number}{part[0].suffix}"
        # Names are relative to the folder, which is on the include path, since its own path may be any text.
        file.write_text("".join(f'#include "{source.relative_to(recipe.folder)}"\n' for source in part))
        made.append(file)
    return [*made, *(source for source in recipe.sources if source in recipe.independent)]
