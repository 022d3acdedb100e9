"""The study files that come with linkworth, by name."""

from importlib import resources
from pathlib import Path

from linkworth.errors import UsageError
from linkworth.study.document import nearest, read


def files() -> dict[str, Path]:
    """Return the path of each study by its name: `first` for `first.toml`."""
    folder = Path(str(resources.files("linkworth.study") / "shipped"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def titles() -> dict[str, str]:
    """Return the title of each study by its name."""
    return {name: read(path)[0].data.get("title", "") for name, path in files().items()}


def study_file(given: Path) -> Path:
    """Return the file that a user means: one that exists, or the study of that name that comes with linkworth.

    `first` and `studies/first.toml` both mean the shipped study where no such file exists. Raises UsageError for a name
    (without a suffix or folder) of neither.
    """
    found = _shipped(given)
    if found is None and not given.exists() and given.name == str(given) and not given.suffix:
        raise UsageError(
            f"{given}: no such file, and no study of that name comes along; {nearest(given.name, files())}"
        )
    return found or given


def target(given: Path) -> Path:
    """Return the folder or file that a user means, likewise; anything else stays as it is."""
    return _shipped(given) or given


def _shipped(given: Path) -> Path | None:
    if given.exists():
        return None
    known = files()
    names = {
        str(form): path for name, path in known.items() for form in (name, Path("studies") / f"{name}.toml")
    }
    return names.get(str(given))
