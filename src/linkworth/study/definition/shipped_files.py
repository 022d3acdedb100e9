"""Study files that are part of linkworth, by name."""

from importlib import resources
from pathlib import Path

from linkworth.errors import UsageError
from linkworth.study.definition.document import nearest, read


def files() -> dict[str, Path]:
    """Return the path of each study by its name: `first` for `first.toml`."""
    folder = Path(str(resources.files("linkworth.study") / "shipped"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def titles() -> dict[str, str]:
    """Return the title of each study by its name."""
    return {name: read(path)[0].data.get("title", "") for name, path in files().items()}


def study_file(given: Path) -> Path:
    """Return the file that a user names: an existing one, or the shipped study of that name.

    `first` and `studies/first.toml` both name the shipped study if no such file exists. Raises UsageError for an
    unknown name (without a suffix or folder).
    """
    found = _shipped(given)
    if found is None and not given.exists() and given.name == str(given) and not given.suffix:
        raise UsageError(
            f"{given}: no such file, and no study of that name comes along; {nearest(given.name, files())}"
        )
    return found or given


def target(given: Path) -> Path:
    """Return the folder or file that a user names, in the same way; anything else stays unchanged."""
    return _shipped(given) or given


def _shipped(given: Path) -> Path | None:
    if given.exists():
        return None
    known = files()
    names = {
        str(form): path for name, path in known.items() for form in (name, Path("studies") / f"{name}.toml")
    }
    return names.get(str(given))
